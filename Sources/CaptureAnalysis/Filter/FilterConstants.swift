import MessageFormat

/// Turns what is written in a filter into constants of the type of the field beside it.
struct FilterConstants {
    let expression: String
    /// Times without a zone are UTC, not local.
    let utc: Bool

    private func error(_ message: String, _ range: Range<Int>) -> FilterError {
        FilterError(message: message, expression: expression, range: range)
    }

    /// - Parameters:
    ///   - operand: a word or a string.
    ///   - type: of the field.
    ///   - name: of the field, for messages.
    func constant(
        _ operand: FilterOperand,
        for type: FilterType,
        _ name: String,
        _ relation: FilterComparison.Relation
    ) throws(FilterError) -> FilterConstant {
        switch operand.content {
        case .string(let token):
            if relation == .matches { return try pattern(token, type) }
            let bytes = try FilterString.bytes(of: token, in: expression)
            return try constant(string: bytes, operand.range, for: type, name, relation)
        case .word(let word):
            if relation == .matches { throw error("a pattern must stand between quotes", operand.range) }
            return try constant(word: word, operand.range, for: type, name, relation)
        case .slice, .call: throw error("a value must stand here", operand.range)
        }
    }

    // MARK: - Strings

    private func constant(
        string bytes: [UInt8],
        _ range: Range<Int>,
        for type: FilterType,
        _ name: String,
        _ relation: FilterComparison.Relation
    ) throws(FilterError) -> FilterConstant {
        let text = String(decoding: bytes, as: UTF8.self)
        var constant = FilterConstant()
        constant.bytes = bytes
        if relation == .contains {
            constant.search = ByteSearch(bytes)
            return constant
        }
        let kinds = type.kinds
        constant.name = text.lowercased()
        constant.shownName = type.shownNames[text.lowercased()]?.lowercased()
        constant.named = type.values(named: text).map(\.value)
        if kinds.contains(.time) { constant.time = time(text) }
        if !kinds.isDisjoint(with: [.date, .unknown]) { constant.date = date(text) }
        if !kinds.isDisjoint(with: [.endpoint, .host]) { constant.address = address(text, kinds) }
        if !kinds.isDisjoint(with: [.text, .bytes, .unknown]) || !constant.named.isEmpty { return constant }
        if constant.time != nil || constant.date != nil && kinds.contains(.date) || constant.address != nil {
            return constant
        }
        if kinds.contains(.number), FilterNumber(text) != nil {
            throw error("\(name) is a number: write \(text) without quotes", range)
        }
        throw misfit(text, range, type, name)
    }

    private func pattern(_ token: FilterToken, _ type: FilterType) throws(FilterError) -> FilterConstant {
        let (pattern, offset) = FilterString.pattern(of: token, in: expression)
        var constant = FilterConstant()
        do throws(FilterPattern.CompileError) {
            if type.kinds != .bytes { constant.textPattern = try FilterPattern(pattern, isText: true) }
            if !type.kinds.isDisjoint(with: [.bytes, .unknown]) {
                constant.bytePattern = try FilterPattern(pattern, isText: false)
            }
        } catch let failure {
            var range = token.range
            if let offset {
                let place = min(offset + max(failure.offset, 0), token.range.upperBound - 1)
                range = place..<place + 1
            }
            throw error("the pattern does not compile: \(failure.message)", range)
        }
        return constant
    }

    // MARK: - Words

    private func constant(
        word: String,
        _ range: Range<Int>,
        for type: FilterType,
        _ name: String,
        _ relation: FilterComparison.Relation
    ) throws(FilterError) -> FilterConstant {
        var constant = FilterConstant()
        constant.bytes = Self.hex(word)
        if relation == .contains {
            guard let bytes = constant.bytes else {
                throw error("text must stand between quotes (\"\(word)\"), bytes are written 5f:30", range)
            }
            constant.search = ByteSearch(bytes)
            return constant
        }
        let kinds = type.kinds
        let named = type.values(named: word)
        constant.number = FilterNumber(word)
        if ["true", "false"].contains(word.lowercased()) { constant.boolean = word.lowercased() == "true" }
        if constant.number == nil { constant.name = word.lowercased() }
        constant.shownName = type.shownNames[word.lowercased()]?.lowercased()
        constant.named = named.map(\.value)
        if kinds.contains(.time) { constant.time = time(word) }
        if !kinds.isDisjoint(with: [.date, .unknown]) { constant.date = date(word) }
        if !kinds.isDisjoint(with: [.endpoint, .host]) { constant.address = address(word, kinds) }

        if kinds.contains(.unknown) {
            // The name of a value, or text.
            constant.bytes = constant.bytes ?? Array(word.utf8)
            return constant
        }
        if kinds.contains(.number), constant.number != nil || !named.isEmpty { return constant }
        if kinds.contains(.name), !named.isEmpty { return constant }
        if kinds.contains(.boolean), constant.boolean != nil || isBit(constant.number) { return constant }
        if !kinds.isDisjoint(with: .octets), constant.bytes != nil { return constant }
        if constant.time != nil || constant.address != nil { return constant }
        if kinds.contains(.date), constant.date != nil || constant.number != nil { return constant }
        if !kinds.isDisjoint(with: .octets) {
            throw error(
                kinds.contains(.text)
                    ? "\(name) is text, which must stand between quotes: \"\(word)\""
                    : "\(name) is bytes, which are written 5f:30 (one byte :5f) or as text between quotes",
                range
            )
        }
        throw misfit(word, range, type, name)
    }

    private func isBit(_ number: FilterNumber?) -> Bool { number == .integer(0) || number == .integer(1) }

    private func misfit(_ text: String, _ range: Range<Int>, _ type: FilterType, _ name: String) -> FilterError {
        if type.kinds.contains(.time) {
            return error(
                "not a time: 2026-11-30T11:04:05Z, \"2026-11-30 11:04:05.25\", or seconds since 1970",
                range
            )
        }
        if !type.kinds.isDisjoint(with: [.endpoint, .host]) {
            let forms =
                type.kinds.contains(.endpoint)
                ? "10.0.0.1:4530, [::1]:4530, 10.0.0.1, 10.0.0.0/8, 4530" : "10.0.0.1, ::1, 10.0.0.0/8"
            return error("not an address: \(name) is compared with \(forms)", range)
        }
        if !type.valueNames.isEmpty {
            let near = MessageFormat.nearest(
                to: text.lowercased(),
                among: type.valueNames.map { $0.name.lowercased() }
            )
            let meant = near.flatMap { near in type.valueNames.first { $0.name.lowercased() == near }?.name }
            var hint = meant.map { "; did you mean \($0)?" } ?? ""
            if let new = type.replaced[text.lowercased()] { hint = "; it is called \(new) here" }
            if type.kinds == .name { return error("\(name) is \(type.description), not \(text)\(hint)", range) }
            return error("\(name) is \(type.description), and there is no \(type.nameOf) \(text)\(hint)", range)
        }
        return error("\(name) is \(type.description), and \(text) is not", range)
    }

    // MARK: - Forms

    private func time(_ text: String) -> Int64? {
        guard case .instant(let time) = TimeArgument(text, utc: utc) else { return nil }
        return time
    }

    /// Dates in bodies have no zone, so they are taken as they stand.
    private func date(_ text: String) -> Int64? {
        guard text.utf8.count > 8, case .instant(let time) = TimeArgument(text, utc: true) else { return nil }
        return time / 1_000_000
    }

    private func address(_ text: String, _ kinds: FilterType.Kinds) -> FilterAddress? {
        guard let address = FilterAddress(text) else { return nil }
        return kinds.contains(.endpoint) || address.hasHost && !address.hasPort ? address : nil
    }

    /// `5f:30`, and `:5f` for one byte.
    static func hex(_ word: String) -> [UInt8]? {
        guard word.utf8.contains(0x3A) else { return nil }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == 0, part.isEmpty { continue }
            guard part.utf8.count == 2, part.utf8.allSatisfy({ FilterString.hexDigit($0) != nil }),
                let byte = UInt8(part, radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : bytes
    }
}
