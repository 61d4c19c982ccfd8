/// Reads the YAML of a description and of what it imports into declarations.
final class DeclarationReader {
    /// How many files a description may be made of.
    static let maximumFiles = 64
    static let maximumTypes = 10_000

    /// Reads a file; `nil` if it is not there.
    typealias Load = (String) -> [UInt8]?

    private let load: Load
    private(set) var types: [TypeDeclaration] = []
    private(set) var enums: [DescribedEnum] = []
    /// The files' own types by their names.
    private(set) var topLevel: [String: Int] = [:]
    private var filesByPath: [String: Int] = [:]
    private var fileCount = 0
    /// The folder of the first file, where imports that begin with `/` are looked for.
    private var rootFolder = ""

    init(load: @escaping Load) { self.load = load }

    private static let typeKeys = [
        "meta", "doc", "doc-ref", "to-string", "params", "seq", "types", "instances", "enums",
    ]
    static let bindingKeys = [
        "-esdump-message-type", "-esdump-information-type", "-esdump-direction", "-esdump-profile", "-esdump-title",
    ]

    // MARK: - files

    func readMain(_ bytes: [UInt8], file name: String) throws(DescriptionError) {
        rootFolder = Self.folder(of: name)
        filesByPath[Self.normalized(name)] = 0
        try readFile(bytes, name: name)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "" }
        return String(path[...slash])
    }

    private func readFile(_ bytes: [UInt8], name: String) throws(DescriptionError) {
        let file = DeclaredFile(name: name)
        let index = fileCount
        fileCount += 1
        let node = try YAMLReader.read(bytes, file: name)
        guard let meta = node["meta"] else { throw file.error(node, "`meta` with an `id` is missing") }
        guard let id = meta["id"] else { throw file.error(meta, "`id` is missing in `meta`") }
        let typeName = try file.identifier(id, of: "the id of a description")
        guard topLevel[typeName] == nil else {
            throw file.error(id, "there is another description with the id \"\(typeName)\"")
        }
        topLevel[typeName] = types.count
        let typeIndex = try readType(node, name: typeName, file: file, fileIndex: index, outer: nil)
        if let imports = meta["imports"] { try readImports(imports, of: file) }
        // A description that only imports what another needs has no byte of its own.
        _ = typeIndex
    }

    private func readImports(_ node: YAMLNode, of file: DeclaredFile) throws(DescriptionError) {
        let items: [YAMLNode]
        switch node.content {
        case .sequence(let list): items = list
        case .scalar: items = [node]
        case .mapping: throw file.error(node, "`imports` is a list of files")
        }
        for item in items {
            let name = try file.text(item, of: "an import")
            let isAbsolute = name.hasPrefix("/")
            let path = Self.normalized(
                (isAbsolute ? rootFolder : Self.folder(of: file.name)) + (isAbsolute ? String(name.dropFirst()) : name)
                    + ".ksy"
            )
            if filesByPath[path] != nil { continue }
            guard filesByPath.count < Self.maximumFiles else {
                throw file.error(item, "more than \(Self.maximumFiles) files are imported")
            }
            guard let bytes = load(path) else {
                throw file.error(item, "\(path), which is imported here, cannot be read")
            }
            filesByPath[path] = fileCount
            try readFile(bytes, name: path)
        }
    }

    /// Takes `a/../` and `./` out of a path, so that one file has one name.
    private static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            if part == "." { continue }
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    // MARK: - types

    @discardableResult
    private func readType(
        _ node: YAMLNode,
        name: String,
        file: DeclaredFile,
        fileIndex: Int,
        outer: Int?
    ) throws(DescriptionError) -> Int {
        guard types.count < Self.maximumTypes else { throw file.error(node, "more than \(Self.maximumTypes) types") }
        let index = types.count
        let type = TypeDeclaration(name: name, file: file, fileIndex: fileIndex, outer: outer, place: node.place)
        types.append(type)
        let keys = try file.keys(
            node,
            of: outer == nil ? "a description" : "a type",
            allowed: Self.typeKeys + Self.bindingKeys
        )
        if let meta = keys["meta"] { try readMeta(meta, of: type) }
        if let outer {
            if type.bitsAreLittle == nil { type.bitsAreLittle = types[outer].bitsAreLittle }
            if type.encoding == nil { type.encoding = types[outer].encoding }
        }
        type.text = keys["to-string"]
        if let node = keys["enums"] {
            for entry in try entries(node, "`enums`", file) {
                let name = try identifier(entry, "the name of an enum", file)
                type.enums[name] = enums.count
                enums.append(try readEnum(entry.value, name: name, file))
            }
        }
        if let node = keys["params"] {
            for item in try list(node, "`params`", file) { try readParameter(item, of: type) }
        }
        type.parameterCount = type.slots.count
        if let node = keys["seq"] {
            for (number, item) in try list(node, "`seq`", file).enumerated() {
                try readField(item, number: number, of: type)
            }
        }
        type.seqCount = type.slots.count - type.parameterCount
        if let node = keys["instances"] {
            for entry in try entries(node, "`instances`", file) { try readInstance(entry, of: type) }
        }
        if let node = keys["types"] {
            for entry in try entries(node, "`types`", file) {
                let name = try identifier(entry, "the name of a type", file)
                type.types[name] = types.count
                try readType(entry.value, name: name, file: file, fileIndex: fileIndex, outer: index)
            }
        }
        type.binding = try BindingReader(file: file, enums: enums, types: types).read(keys, type: index)
        return index
    }

    private func entries(_ node: YAMLNode, _ what: String, _ file: DeclaredFile) throws(DescriptionError) -> [YAMLNode
        .Entry]
    {
        if node.isNull { return [] }
        guard case .mapping(let entries) = node.content else {
            throw file.error(node, "\(what) is a mapping of names, and this is \(node.kind)")
        }
        return entries
    }

    private func list(_ node: YAMLNode, _ what: String, _ file: DeclaredFile) throws(DescriptionError) -> [YAMLNode] {
        if node.isNull { return [] }
        guard case .sequence(let items) = node.content else {
            throw file.error(node, "\(what) is a list, and this is \(node.kind)")
        }
        return items
    }

    private func identifier(_ entry: YAMLNode.Entry, _ what: String, _ file: DeclaredFile) throws(DescriptionError)
        -> String
    {
        let key = YAMLNode(content: .scalar(entry.key, isQuoted: true), place: entry.keyPlace)
        return try file.identifier(key, of: what)
    }

    // MARK: - meta

    private static let metaKeys = [
        "id", "title", "application", "file-extension", "xref", "tags", "license", "ks-version", "ks-debug", "imports",
        "encoding", "endian", "bit-endian", "ks-opaque-types", "ks-zero-copy-substream",
    ]

    private func readMeta(_ node: YAMLNode, of type: TypeDeclaration) throws(DescriptionError) {
        let file = type.file
        let keys = try file.keys(node, of: "`meta`", allowed: Self.metaKeys)
        if let version = keys["ks-version"] { try checkVersion(version, file) }
        if let encoding = keys["encoding"] {
            let name = try file.text(encoding, of: "the encoding")
            guard TextCoding(name) != nil else { throw file.error(encoding, "no encoding \"\(name)\" is known here") }
            type.encoding = name
        }
        if let endian = keys["endian"] {
            switch endian.content {
            case .scalar("le", _): type.order = .little
            case .scalar("be", _): type.order = .big
            case .mapping: type.order = .chosen(endian)
            default: throw file.error(endian, "`endian` is le, be, or a choice with switch-on and cases")
            }
        }
        if let order = keys["bit-endian"] {
            switch order.text {
            case "le": type.bitsAreLittle = true
            case "be": type.bitsAreLittle = false
            default: throw file.error(order, "`bit-endian` is le or be")
            }
        }
        if let opaque = keys["ks-opaque-types"], try file.boolean(opaque, of: "`ks-opaque-types`") {
            throw file.error(
                opaque,
                "opaque types, which a program would have to supply, cannot be read here; use `imports` or `types`"
            )
        }
    }

    /// The language as of version 0.11 is what is read here.
    private func checkVersion(_ node: YAMLNode, _ file: DeclaredFile) throws(DescriptionError) {
        let text = try file.text(node, of: "`ks-version`")
        let numbers = text.split(separator: ".").map { Int($0) }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0 != nil }) else {
            throw file.error(node, "`ks-version` is a version as 0.10")
        }
        let wanted = (numbers[0] ?? 0, numbers.count > 1 ? numbers[1] ?? 0 : 0)
        guard wanted.0 == 0, wanted.1 <= 11 else {
            throw file.error(node, "the description needs version \(text) of the language; here it is 0.11")
        }
    }

    // MARK: - enums

    private func readEnum(_ node: YAMLNode, name: String, _ file: DeclaredFile) throws(DescriptionError)
        -> DescribedEnum
    {
        var result = DescribedEnum(name: name)
        var node = node
        if node["values"] != nil {
            // The form in which an enum can have a `doc`.
            let keys = try file.keys(node, of: "an enum with `values`", allowed: ["values", "type", "doc", "doc-ref"])
            node = keys["values"] ?? node
        }
        for entry in try entries(node, "the enum \(name)", file) {
            guard let number = WideInteger(yaml: entry.key), !entry.isQuoted || entry.key.first != "_" else {
                throw file.error(entry.keyPlace, "\"\(entry.key)\" is no number; an enum maps numbers to labels")
            }
            guard result.labels[number] == nil else {
                throw file.error(entry.keyPlace, "the number \(entry.key) has a label already")
            }
            var labelNode = entry.value
            if case .mapping = entry.value.content {
                let keys = try file.keys(entry.value, of: "a label", allowed: ["id", "doc", "doc-ref"])
                guard let id = keys["id"] else { throw file.error(entry.value, "the label's `id` is missing") }
                labelNode = id
            }
            let label = try file.identifier(labelNode, of: "a label")
            guard result.numbers[label] == nil else {
                throw file.error(labelNode, "the label \"\(label)\" stands for another number already")
            }
            result.labels[number] = label
            result.numbers[label] = number
            if case .mapping = entry.value.content, let name = entry.value["-orig-id"]?.text {
                result.originalNames[number] = name
            }
        }
        return result
    }

    // MARK: - slots

    private func add(_ slot: SlotDeclaration, to type: TypeDeclaration) throws(DescriptionError) {
        if let other = type.slotOfName.updateValue(type.slots.count, forKey: slot.name) {
            throw type.file.error(
                slot.place,
                "there is another \"\(slot.name)\" in this type, in line \(type.slots[other].place.line)"
            )
        }
        type.slots.append(slot)
    }

    private func readParameter(_ node: YAMLNode, of type: TypeDeclaration) throws(DescriptionError) {
        let file = type.file
        let keys = try file.keys(node, of: "a parameter", allowed: ["id", "type", "doc", "doc-ref", "enum"])
        guard let id = keys["id"] else { throw file.error(node, "the parameter's `id` is missing") }
        let syntax =
            try keys["type"].map { (node) throws(DescriptionError) in
                try TypeSyntaxReader(file: file).parameterType(node)
            } ?? .bytes
        try add(
            SlotDeclaration(
                name: try file.identifier(id, of: "the id of a parameter"),
                place: id.place,
                keys: keys,
                role: .parameter(syntax)
            ),
            to: type
        )
    }

    private func readField(_ node: YAMLNode, number: Int, of type: TypeDeclaration) throws(DescriptionError) {
        let file = type.file
        let (syntax, allowed) = try TypeSyntaxReader(file: file).type(ofField: node)
        let keys = try file.keys(node, of: "a field\(Self.description(of: node))", allowed: ["id"] + allowed)
        var name = "_unnamed\(number)"
        var place = node.place
        if let id = keys["id"] {
            name = try file.identifier(id, of: "the id of a field")
            place = id.place
        }
        try add(SlotDeclaration(name: name, place: place, keys: keys, role: .field(syntax)), to: type)
    }

    private static func description(of node: YAMLNode) -> String {
        node["contents"] != nil
            ? " with `contents`"
            : node["type"]?.text.map { " of type \($0)" }
                ?? (node["type"] == nil ? " without a type" : " with a choice of types")
    }

    private func readInstance(_ entry: YAMLNode.Entry, of type: TypeDeclaration) throws(DescriptionError) {
        let file = type.file
        let name = try identifier(entry, "the name of an instance", file)
        if let value = entry.value["value"] {
            let keys = try file.keys(
                entry.value,
                of: "an instance with `value`",
                allowed: ["value", "if", "enum", "valid", "doc", "doc-ref"] + TypeSyntaxReader.noteKeys
            )
            let syntax = try file.expression(value, of: "`value`")
            try add(SlotDeclaration(name: name, place: entry.keyPlace, keys: keys, role: .computed(syntax)), to: type)
            return
        }
        let (syntax, allowed) = try TypeSyntaxReader(file: file).type(ofField: entry.value)
        let keys = try file.keys(
            entry.value,
            of: "an instance\(Self.description(of: entry.value))",
            allowed: ["pos", "io"] + allowed
        )
        try add(SlotDeclaration(name: name, place: entry.keyPlace, keys: keys, role: .placed(syntax)), to: type)
    }
}
