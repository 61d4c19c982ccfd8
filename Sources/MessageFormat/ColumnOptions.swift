/// Which columns are printed, and how: `--fields` and `-E`, whose settings are tshark's.
package struct ColumnOptions: Equatable, Sendable {
    /// Which values of a field that occurs several times are printed.
    package enum Occurrence: Sendable { case all, first, last }

    package struct Column: Equatable, Sendable {
        /// As it was given.
        package let name: String
        let field: MessageFieldName
        /// The types of messages whose bodies can have it; `nil` for all.
        let messageTypes: Set<UInt16>?
    }

    package var columns: [Column] = []
    /// A line of names first.
    package var hasHeader = false
    /// The bytes EF BB BF first, from which some programs know UTF-8.
    package var hasByteOrderMark = false
    package var separator: UInt8 = 0x09
    /// Between several values of a field.
    package var aggregator: UInt8 = 0x2C
    /// Around the values of a field; doubled within them.
    package var quote: UInt8?
    package var occurrence = Occurrence.all

    package init() {}

    /// What is wrong with a name or a setting.
    package struct Failure: Error, Equatable {
        package var message: String
    }

    /// Adds a column.
    /// - Parameter names: What is known of fields.
    /// - Returns: what may be a mistake, but need not be.
    package mutating func add(_ name: String, names: MessageNames = .framework) throws(Failure) -> String? {
        guard let field = MessageFieldName(name) else {
            let near = names.nearest(to: name).map { "; did you mean \($0)?" } ?? ""
            throw Failure(message: "there is no field \(name)\(near)")
        }
        guard case .body(let body) = field else {
            columns.append(Column(name: name, field: field, messageTypes: []))
            return nil
        }
        let known = names.known(body)
        let isAnywhere = known?.isInAnyMessage ?? true || body.canBeGuessed
        columns.append(Column(name: name, field: field, messageTypes: isAnywhere ? nil : known?.messageTypes))
        guard let known else {
            if body.canBeGuessed { return nil }
            return names.nearest(to: name).map { "no body that is known has \(name); did you mean \($0)?" }
        }
        if known.kinds == .container {
            let inner = names.all.filter { $0.hasPrefix(name + ".") }.prefix(4).joined(separator: ", ")
            throw Failure(message: "\(name) is an object or a list; its fields are \(inner) …")
        }
        return nil
    }

    /// Takes a setting: `header=y`, `separator=,`.
    package mutating func set(_ text: String) throws(Failure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let key = String(parts[0])
        let value = parts.count == 2 ? String(parts[1]) : ""
        switch key {
        case "header": hasHeader = try choice(value, of: ["y": true, "n": false], for: key)
        case "bom": hasByteOrderMark = try choice(value, of: ["y": true, "n": false], for: key)
        case "separator": separator = try character(value, for: key)
        case "aggregator": aggregator = try character(value, for: key)
        case "quote": quote = try choice(value, of: ["d": 0x22, "s": 0x27, "n": nil], for: key)
        case "occurrence": occurrence = try choice(value, of: ["f": .first, "l": .last, "a": .all], for: key)
        default:
            let keys = ["header", "separator", "aggregator", "quote", "occurrence", "bom"]
            let near = MessageFormat.nearest(to: key, among: keys).map { " (did you mean \($0)?)" } ?? ""
            throw Failure(message: "\(key) is not one of \(keys.joined(separator: ", "))\(near)")
        }
    }

    private func choice<Value>(_ text: String, of choices: [String: Value], for key: String) throws(Failure) -> Value {
        if let value = choices[text] { return value }
        let names = choices.keys.sorted().joined(separator: ", ")
        throw Failure(message: "\(key)=\(text): \(key) is one of \(names)")
    }

    private func character(_ text: String, for key: String) throws(Failure) -> UInt8 {
        switch text {
        case "/t": return 0x09
        case "/s": return 0x20
        default:
            guard text.utf8.count == 1, let byte = text.utf8.first, (0x20...0x7E).contains(byte) else {
                throw Failure(message: "\(key)=\(text): \(key) is one printable character, /t (tab) or /s (blank)")
            }
            return byte
        }
    }
}
