/// Writes the framework's bodies as a description in the language of Kaitai Struct (.ksy), made from the table of bodies: a
/// starting point for a user's own, which may replace them.
///
/// The notes `-esdump-…` say whose body a type is, and what its fields are called here; other tools pass over them.
public struct KaitaiDescription {
    /// One body, with where it is used.
    public struct Body {
        public let type: MessageTypeDescription
        public let body: MessageTypeDescription.Body

        public init(_ type: MessageTypeDescription, _ body: MessageTypeDescription.Body) {
            self.type = type
            self.body = body
        }
    }

    private var lines: [String] = []
    /// Types that several bodies use, by their names; written once, behind the bodies.
    private var shared: [(name: String, lines: [String])] = []
    private var enumerations: [(name: String, enumeration: BodyEnumeration)] = []

    private init() {}

    /// The text of a file that describes bodies.
    /// - Parameters:
    ///   - id: The file's own name, as the language wants it: lower-case letters, digits and `_`.
    ///   - bodies: A single one is the file's own type; several are its `types`.
    public static func text(id: String, title: String, bodies: [Body]) -> String {
        var writer = KaitaiDescription()
        writer.put(0, "meta:")
        writer.put(1, "id: \(identifier(id))")
        writer.put(1, "title: \(quoted(title))")
        writer.put(1, "endian: le")
        writer.put(1, "encoding: UTF-8")
        if bodies.count == 1 {
            writer.put(bodies[0], indent: 0)
        } else {
            writer.put(0, "types:")
            let names = writer.names(of: bodies)
            for (name, body) in zip(names, bodies) {
                writer.put(1, "\(name):")
                writer.put(body, indent: 2)
            }
        }
        writer.putShared(hasTypes: bodies.count > 1)
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private mutating func put(_ indent: Int, _ line: String) {
        lines.append(String(repeating: "  ", count: indent) + line)
    }

    // MARK: - Bodies

    /// `logon_request`, `logon_reply`, `logon_reply_7_2`
    private func names(of bodies: [Body]) -> [String] {
        var used: Set<String> = []
        return bodies.map { body in
            let base = Self.identifier(body.type.title(body.body.direction))
            let versions = body.body.versions.names.joined(separator: "_")
            var name = used.contains(base) ? Self.identifier("\(base)_\(versions)") : base
            if used.contains(name) { name += "_\(body.type.number)" }
            used.insert(name)
            return name
        }
    }

    private mutating func put(_ body: Body, indent: Int) {
        let versions = body.body.versions.names.map(Self.quoted).joined(separator: ", ")
        put(indent, "-esdump-message-type: \(body.type.number)")
        switch body.body.direction {
        case .request: put(indent, "-esdump-direction: request")
        case .reply: put(indent, "-esdump-direction: reply")
        case .both: break
        }
        put(indent, "-esdump-profile: [\(versions)]")
        put(indent, "-esdump-title: \(Self.quoted(body.type.title(body.body.direction)))")
        let root = Scope(path: "", prefix: "", isRoot: true)
        var fields: [String] = []
        var instances: [String] = []
        append(body.body.schema, scope: root, to: &fields, instances: &instances)
        putType(fields, instances, indent: indent)
    }

    private mutating func putType(_ fields: [String], _ instances: [String], indent: Int) {
        put(indent, "seq:")
        for line in fields { put(indent + 1, line) }
        guard !instances.isEmpty else { return }
        put(indent, "instances:")
        for line in instances { put(indent + 1, line) }
    }

    private mutating func putShared(hasTypes: Bool) {
        if !shared.isEmpty, !hasTypes { put(0, "types:") }
        for type in shared {
            put(1, "\(type.name):")
            for line in type.lines { put(2, line) }
        }
        guard !enumerations.isEmpty else { return }
        put(0, "enums:")
        for (name, enumeration) in enumerations {
            put(1, "\(name):")
            var used: Set<String> = []
            for (value, label) in enumeration.names.enumerated() where label != String(value) {
                var id = Self.identifier(label)
                if used.contains(id) { id += "_\(value)" }
                used.insert(id)
                put(2, "\(value):")
                put(3, "id: \(id)")
                put(3, "-orig-id: \(Self.quoted(label))")
            }
        }
    }

    // MARK: - Fields

    /// Where fields are added.
    private struct Scope {
        /// What the ids begin with, so that they are different within a type: empty, or `content_`.
        var path: String
        /// The same in the names of fields: empty, or `content.`.
        var prefix: String
        /// It is the body itself.
        var isRoot = false
    }

    /// The fields of a schema that stands alone in a type: the body, or what a type of its own holds.
    private mutating func append(
        _ schema: BodySchema,
        scope: Scope,
        to fields: inout [String],
        instances: inout [String]
    ) {
        switch schema {
        case .object(let properties):
            fields += [
                "- id: len_\(scope.path)object", "  type: s4",
                "  -esdump-name: \(scope.prefix)length", "  -orig-id: Length", "  valid: _io.size - _io.pos",
            ]
            for property in properties {
                append(property, scope: scope, of: properties, to: &fields, instances: &instances)
            }
        case .list(let element):
            fields += ["- id: num_elements", "  type: s4", "  -esdump-name: count", "  -orig-id: Count"]
            fields += ["- id: elements", "  -esdump-name: \"\""] + form(of: element, id: "element").map { "  " + $0 }
            fields += ["  repeat: expr", "  repeat-expr: num_elements", "  if: num_elements >= 0"]
        case .dictionary(let key, let value):
            let pair = pairType(key, value)
            fields += ["- id: num_pairs", "  type: s4", "  -esdump-name: count", "  -orig-id: Count"]
            fields += ["- id: pairs", "  -esdump-name: \"\"", "  type: \(pair)"]
            fields += ["  repeat: expr", "  repeat-expr: num_pairs", "  if: num_pairs >= 0"]
        default:
            fields += ["- id: value", "  -esdump-name: \"\""] + form(of: schema, id: "value").map { "  " + $0 }
        }
    }

    private mutating func append(
        _ property: BodyProperty,
        scope: Scope,
        of properties: [BodyProperty],
        to fields: inout [String],
        instances: inout [String]
    ) {
        let id = scope.path + property.fieldName
        let name = scope.prefix + property.fieldName
        let label = "  -orig-id: \(Self.quoted(property.name))"
        let naming = name == id ? [] : ["  -esdump-name: \(name)"]
        func lengthField(_ kind: String, _ suffix: String) -> [String] {
            [
                "- id: \(kind)_\(id)", "  type: s4", "  -esdump-name: \(name).\(suffix)", label, "  valid:",
                "    min: -1",
            ]
        }
        switch property.schema {
        case .string:
            fields += lengthField("len", "length")
            fields += ["- id: \(id)"] + naming + ["  type: str", "  size: len_\(id)", "  if: len_\(id) >= 0"]
            if property.isSecret { fields.append("  -esdump-secret: true") }
        case .bytes:
            fields += lengthField("len", "length")
            fields += ["- id: \(id)"] + naming + ["  size: len_\(id)", "  if: len_\(id) >= 0"]
        case .content(let contents):
            fields += lengthField("len", "length")
            fields += ["- id: \(id)"] + naming + ["  size: len_\(id)"]
            appendContent(contents, id, property, of: properties, to: &fields, instances: &instances)
            fields.append("  if: len_\(id) >= 0")
        case .object(let inner):
            fields += lengthField("len", "length")
            let type = objectType(property.fieldName, inner)
            fields += ["- id: \(id)"] + naming
            fields += ["  type: \(type)", "  size: len_\(id)", "  if: len_\(id) >= 0"]
        case .list(let element):
            fields += lengthField("num", "count")
            fields += ["- id: \(id)"] + naming + form(of: element, id: property.fieldName).map { "  " + $0 }
            fields += ["  repeat: expr", "  repeat-expr: num_\(id)", "  if: num_\(id) >= 0"]
        case .dictionary(let key, let value):
            fields += lengthField("num", "count")
            fields += ["- id: \(id)"] + naming + ["  type: \(pairType(key, value))"]
            fields += ["  repeat: expr", "  repeat-expr: num_\(id)", "  if: num_\(id) >= 0"]
        default:
            fields +=
                ["- id: \(id)"] + naming + [label] + form(of: property.schema, id: property.fieldName).map { "  " + $0 }
        }
    }

    /// What stands in bytes by what later properties say: these are looked at ahead of their turn.
    private mutating func appendContent(
        _ contents: [BodyContent],
        _ id: String,
        _ property: BodyProperty,
        of properties: [BodyProperty],
        to fields: inout [String],
        instances: inout [String]
    ) {
        var cases: [String] = []
        for (index, content) in contents.enumerated() {
            var conditions: [String] = []
            for condition in content.conditions {
                let ahead = "\(Self.identifier(condition.property))_ahead"
                guard addInstance(ahead, condition.property, behind: property, of: properties, to: &instances) else {
                    return
                }
                conditions.append("\(ahead) == \(condition.value)")
            }
            if case .object = content.schema, !content.isRequired {
                let ahead = "len_\(id)_content_ahead"
                if !instances.contains("\(ahead):") {
                    instances += ["\(ahead):", "  pos: \(position(of: property, in: properties)) + 4", "  type: s4"]
                    instances += ["  if: len_\(id) >= 4"]
                }
                conditions.insert("len_\(id) >= 4", at: 0)
                conditions.append("\(ahead) == len_\(id) - 4")
            }
            cases.append("(\(conditions.joined(separator: " and "))) ? \(index + 1) : ")
        }
        fields += ["  type:", "    switch-on: " + Self.quoted(cases.joined() + "0"), "    cases:"]
        for (index, content) in contents.enumerated() {
            fields.append("      \(index + 1): \(contentType(content.schema))")
        }
    }

    /// A later property as an instance; false if its place cannot be computed.
    private func addInstance(
        _ name: String,
        _ property: String,
        behind: BodyProperty,
        of properties: [BodyProperty],
        to instances: inout [String]
    ) -> Bool {
        guard !instances.contains("\(name):") else { return true }
        guard let first = properties.firstIndex(where: { $0.name == behind.name }),
            let last = properties.firstIndex(where: { $0.name == property }), last > first
        else { return false }
        var between = 0
        for index in first + 1..<last {
            guard let size = properties[index].schema.fixedSize else { return false }
            between += size
        }
        let type: String
        switch properties[last].schema {
        case .boolean, .byte: type = "u1"
        case .int32, .enumeration: type = "s4"
        default: return false
        }
        let length = "len_\(behind.fieldName)"
        let place = position(of: behind, in: properties)
        instances += [
            "\(name):", "  pos: \(place) + 4 + (\(length) > 0 ? \(length) : 0)\(between > 0 ? " + \(between)" : "")",
            "  type: \(type)",
        ]
        return true
    }

    /// Where a property's length stands in its object: all before it has a fixed size.
    private func position(of property: BodyProperty, in properties: [BodyProperty]) -> Int {
        properties.prefix { $0.name != property.name }.reduce(4) { $0 + ($1.schema.fixedSize ?? 0) }
    }

    // MARK: - Types of fields

    /// `type: …` and what goes with it, for a value that stands alone.
    private mutating func form(of schema: BodySchema, id: String) -> [String] {
        switch schema {
        case .boolean, .byte: ["type: u1"] + (schema == .boolean ? ["valid:", "  max: 1"] : [])
        case .uint16, .character: ["type: u2"]
        case .uint32: ["type: u4"]
        case .uint64: ["type: u8"]
        case .int16: ["type: s2"]
        case .int32: ["type: s4"]
        case .int64: ["type: s8"]
        case .float: ["type: f4"]
        case .double: ["type: f8"]
        case .enumeration(let enumeration): ["type: s4", "enum: \(use(enumeration))"]
        case .date(let encoding):
            ["type: s8", "-esdump-date: \(encoding == .ticks ? "ticks" : "milliseconds")"]
        case .string: ["type: \(stringType())"]
        case .bytes, .content: ["type: \(bytesType())"]
        case .list(let element): ["type: \(listType(id, element))"]
        case .dictionary(let key, let value): ["type: \(listType(id, .dictionary(key: key, value: value)))"]
        case .object(let properties): ["type: \(wrappedObjectType(id, properties))"]
        case .rest(let isText): isText ? ["type: str", "size-eos: true"] : ["size-eos: true"]
        }
    }

    private mutating func use(_ enumeration: BodyEnumeration) -> String {
        if let known = enumerations.first(where: { $0.enumeration == enumeration }) { return known.name }
        var name = Self.identifier(enumeration.name)
        while enumerations.contains(where: { $0.name == name }) { name += "_2" }
        enumerations.append((name, enumeration))
        return name
    }

    /// Adds a type if none like it is there.
    private mutating func share(_ name: String, _ lines: [String]) -> String {
        var name = name
        while let known = shared.first(where: { $0.name == name }) {
            if known.lines == lines { return name }
            name += "_2"
        }
        shared.append((name, lines))
        return name
    }

    private mutating func stringType() -> String {
        share(
            "element_string",
            [
                "seq:", "  - id: len", "    type: s4", "    -esdump-name: length", "    valid:", "      min: -1",
                "  - id: text", "    -esdump-name: \"\"", "    type: str", "    size: len", "    if: len >= 0",
            ]
        )
    }

    private mutating func bytesType() -> String {
        share(
            "element_bytes",
            [
                "seq:", "  - id: len", "    type: s4", "    -esdump-name: length", "    valid:", "      min: -1",
                "  - id: data", "    -esdump-name: \"\"", "    size: len", "    if: len >= 0",
            ]
        )
    }

    private mutating func pairType(_ key: BodySchema, _ value: BodySchema) -> String {
        var lines = ["seq:", "  - id: key"] + form(of: key, id: "key").map { "    " + $0 }
        lines += ["  - id: value"] + form(of: value, id: "value").map { "    " + $0 }
        return share("pair", lines)
    }

    private mutating func listType(_ id: String, _ schema: BodySchema) -> String {
        var fields: [String] = []
        var instances: [String] = []
        append(schema, scope: Scope(path: "", prefix: ""), to: &fields, instances: &instances)
        return share("list_of_\(id)", ["seq:"] + fields.map { "  " + $0 })
    }

    /// The properties of an object whose length stands before it, outside.
    private mutating func objectType(_ id: String, _ properties: [BodyProperty]) -> String {
        var fields: [String] = []
        var instances: [String] = []
        for property in properties {
            append(property, scope: Scope(path: "", prefix: ""), of: properties, to: &fields, instances: &instances)
        }
        return share(id, ["seq:"] + fields.map { "  " + $0 })
    }

    /// An object with its length.
    private mutating func wrappedObjectType(_ id: String, _ properties: [BodyProperty]) -> String {
        let inner = objectType("\(id)_object", properties)
        return share(
            id,
            [
                "seq:", "  - id: len", "    type: s4", "    -esdump-name: length", "    valid:", "      min: -1",
                "  - id: object", "    -esdump-name: \"\"", "    type: \(inner)", "    size: len", "    if: len >= 0",
            ]
        )
    }

    /// What fills bytes that have a length of their own.
    private mutating func contentType(_ schema: BodySchema) -> String {
        var fields: [String] = []
        var instances: [String] = []
        let name: String
        if case .rest = schema {
            name = "raw_text"
            append(schema, scope: Scope(path: "", prefix: ""), to: &fields, instances: &instances)
        } else {
            name = "content"
            append(schema, scope: Scope(path: "content_", prefix: "content."), to: &fields, instances: &instances)
        }
        return share(name, ["seq:"] + fields.map { "  " + $0 })
    }

    // MARK: - Words

    /// A name of the language: lower-case letters, digits and underscores, a letter first.
    public static func identifier(_ text: String) -> String {
        var id = ""
        for character in BodyProperty.fieldName(of: text).unicodeScalars {
            switch character {
            case "a"..."z", "0"..."9": id.unicodeScalars.append(character)
            case "A"..."Z": id.unicodeScalars.append(Unicode.Scalar(character.value + 32) ?? character)
            default: if !id.isEmpty, !id.hasSuffix("_") { id += "_" }
            }
        }
        while id.hasSuffix("_") { id.removeLast() }
        return id.first.map { ("a"..."z").contains($0) } == true ? id : "es_" + id
    }

    /// A string of YAML in double quotes.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text {
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return result + "\""
    }
}
