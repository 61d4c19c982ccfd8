import ESProtocol

/// A body that is filled in field by field, by name.
package struct BodyFields {
    /// What is wrong with a name or a value.
    package enum Problem: Error, Equatable, Sendable {
        /// There is no such field; these there are.
        case unknown(String, known: [String])
        case value(String, reason: String)
    }

    package let schema: BodySchema
    package private(set) var value: BodyValue

    /// Starts with what a field has that nobody sets: empty text and bytes, 0, false, empty lists, the date that was never
    /// set (year 1).
    package init(_ schema: BodySchema) {
        self.schema = schema
        value = Self.standard(schema)
    }

    static func standard(_ schema: BodySchema) -> BodyValue {
        switch schema {
        case .boolean: .boolean(false)
        case .byte, .uint16, .uint32, .uint64, .character: .unsigned(0)
        case .int16, .int32, .int64, .enumeration: .integer(0)
        case .float: .float(0)
        case .double: .double(0)
        case .date(let encoding): .date(BodyDate(raw: encoding == .ticks ? 0 : neverSet, encoding: encoding))
        case .string: .string("")
        case .bytes, .content, .rest: .bytes([])
        case .list: .list([])
        case .dictionary: .dictionary([])
        case .object(let properties):
            .object(properties.map { BodyValue.Property($0.name, standard($0.schema)) })
        }
    }

    /// Year 1 in milliseconds since 1970.
    private static let neverSet: Int64 = -62_135_596_800_000

    /// The names that can be set, as in the names of fields: `p2p_address.public_ip`. `body` is a body that is no object.
    package var names: [String] {
        var names: [String] = []
        func add(_ schema: BodySchema, _ prefix: String) {
            guard case .object(let properties) = schema else {
                names.append(prefix.isEmpty ? "body" : prefix)
                return
            }
            for property in properties {
                add(property.schema, prefix.isEmpty ? property.fieldName : prefix + "." + property.fieldName)
            }
        }
        add(schema, "")
        return names
    }

    // MARK: - Setting

    /// Sets a field from text; an element more, if it is a list or a dictionary.
    /// - Parameters:
    ///   - name: `password`, `Password`, `es.body.password`, `P2PAddress.PublicIP`.
    ///   - text: A number, `true`, a name of an enum's value, a date, text; bytes as text or `hex:01ff`.
    package mutating func set(_ name: String, to text: String) throws(Problem) {
        try change(name) { (schema, old) throws(Problem) in
            switch (schema, old) {
            case (.list(let element), .list(let elements)):
                return .list(elements + [try Self.parse(text, element, name)])
            case (.list(let element), _):
                return .list([try Self.parse(text, element, name)])
            case (.dictionary(let key, let value), let old):
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw .value(name, reason: "an entry is key=value") }
                let entry = BodyValue.Entry(
                    key: try Self.parse(String(parts[0]), key, name),
                    value: try Self.parse(String(parts[1]), value, name)
                )
                if case .dictionary(let entries) = old { return .dictionary(entries + [entry]) }
                return .dictionary([entry])
            default:
                return try Self.parse(text, schema, name)
            }
        }
    }

    /// Makes a field null.
    package mutating func setNull(_ name: String) throws(Problem) {
        try change(name) { (schema, _) throws(Problem) in
            guard schema.fixedSize == nil else { throw .value(name, reason: "a number cannot be null") }
            if case .rest = schema { throw .value(name, reason: "it cannot be null") }
            return .null
        }
    }

    /// Puts a value at a name.
    mutating func set(_ name: String, _ new: BodyValue) throws(Problem) {
        try change(name) { (_, _) throws(Problem) in new }
    }

    private mutating func change(
        _ name: String,
        _ body: (BodySchema, BodyValue) throws(Problem) -> BodyValue
    ) throws(Problem) {
        var path = Self.normalized(name).split(separator: ".").map(String.init)
        if path.first == "es" { path.removeFirst() }
        if path.first == "body" { path.removeFirst() }
        value = try Self.changed(value, schema, path[...], name, names, body)
    }

    private static func changed(
        _ value: BodyValue,
        _ schema: BodySchema,
        _ path: ArraySlice<String>,
        _ name: String,
        _ known: [String],
        _ body: (BodySchema, BodyValue) throws(Problem) -> BodyValue
    ) throws(Problem) -> BodyValue {
        guard let first = path.first else { return try body(schema, value) }
        guard case .object(let properties) = schema else { throw .unknown(name, known: known) }
        guard
            let index = properties.firstIndex(where: {
                normalized($0.name) == first || normalized($0.fieldName) == first
            })
        else { throw .unknown(name, known: known) }
        var values: [BodyValue.Property]
        if case .object(let there) = value, there.count == properties.count {
            values = there
        } else {
            values = properties.map { BodyValue.Property($0.name, standard($0.schema)) }
        }
        values[index].value = try changed(
            values[index].value,
            properties[index].schema,
            path.dropFirst(),
            name,
            known,
            body
        )
        return .object(values)
    }

    /// Without case and underscores: both ways to write a name are the same then.
    private static func normalized(_ name: String) -> String {
        String(decoding: name.utf8.filter { $0 != 0x5F }, as: UTF8.self).lowercased()
    }

    // MARK: - Values

    private static func parse(_ text: String, _ schema: BodySchema, _ name: String) throws(Problem) -> BodyValue {
        func fail(_ reason: String) -> Problem { .value(name, reason: "\(text): \(reason)") }
        switch schema {
        case .boolean:
            switch text.lowercased() {
            case "true", "1", "yes": return .boolean(true)
            case "false", "0", "no": return .boolean(false)
            default: throw fail("true or false should stand here")
            }
        case .byte, .uint16, .uint32, .uint64, .character:
            guard let number = unsigned(text),
                schema.fixedSize == 8 || number >> UInt64(8 * (schema.fixedSize ?? 1)) == 0
            else { throw fail("not a number that \(schema.fixedSize ?? 1) bytes hold") }
            return .unsigned(number)
        case .int16, .int32, .int64:
            let bits = Int64(8 * (schema.fixedSize ?? 4))
            guard let number = signed(text), bits == 64 || number >= -(1 << (bits - 1)) && number < 1 << (bits - 1)
            else {
                throw fail("not a number that \(schema.fixedSize ?? 4) bytes hold")
            }
            return .integer(number)
        case .enumeration(let enumeration):
            if let index = enumeration.names.firstIndex(where: { $0.lowercased() == text.lowercased() }) {
                return .integer(Int64(index))
            }
            guard let number = signed(text), Int32(exactly: number) != nil else {
                throw fail("neither a number nor one of \(enumeration.names.joined(separator: ", "))")
            }
            return .integer(number)
        case .float:
            guard let number = Float(text) else { throw fail("not a number") }
            return .float(number)
        case .double:
            guard let number = Double(text) else { throw fail("not a number") }
            return .double(number)
        case .date(let encoding):
            if let raw = Int64(text) { return .date(BodyDate(raw: raw, encoding: encoding)) }
            guard let milliseconds = milliseconds(text) else {
                throw fail("not a date (2026-11-30T11:04:05.250), nor the eight bytes as a number")
            }
            // Ticks of 100 ns since year 1, of no kind.
            let raw = encoding == .ticks ? (milliseconds - neverSet) * 10_000 : milliseconds
            return .date(BodyDate(raw: raw, encoding: encoding))
        case .string: return .string(text)
        case .bytes, .content, .rest:
            guard text.hasPrefix("hex:") else { return .bytes(Array(text.utf8)) }
            guard let bytes = hex(text.dropFirst(4)) else { throw fail("not hex") }
            return .bytes(bytes)
        case .list, .dictionary, .object: throw fail("a list within a list cannot be set by name")
        }
    }

    private static func unsigned(_ text: String) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }

    private static func signed(_ text: String) -> Int64? {
        text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }

    /// Bytes of hex digits with blanks between them or not.
    package static func hex(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x3A }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    /// `2026-11-30T11:04:05.250` in milliseconds since 1970, of a clock without a zone.
    private static func milliseconds(_ text: String) -> Int64? {
        let separators: [Character] = ["-", "T", " ", ":", "."]
        let parts = text.split(omittingEmptySubsequences: false) { separators.contains($0) }
        guard (3...7).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.count <= 4 }) else { return nil }
        var numbers: [Int64] = []
        for part in parts {
            guard let number = Int64(part), number >= 0 else { return nil }
            numbers.append(number)
        }
        if numbers.count == 7 { for _ in parts[6].count..<3 { numbers[6] *= 10 } }
        while numbers.count < 7 { numbers.append(0) }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day), numbers[3] < 24,
            numbers[4] < 60,
            numbers[5] < 60, numbers[6] < 1000
        else { return nil }
        // Days since 1970 by the usual algorithm: years from March on, in eras of 400 years.
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60_000 + numbers[5] * 1000 + numbers[6]
    }
}
