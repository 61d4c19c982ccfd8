/// Reads a filter: `or` of `and` of `not` of comparisons.
struct FilterParser {
    let expression: String
    private let bytes: [UInt8]
    private let tokens: [FilterToken]
    private var position = 0
    private var depth = 0

    /// How deep parentheses and `not` may be nested.
    static let maximumDepth = 100

    static func parse(_ expression: String) throws(FilterError) -> FilterSyntax {
        var parser = FilterParser(expression: expression, tokens: try FilterLexer.tokens(of: expression))
        guard parser.token.kind != .end else { throw parser.error("the filter is empty") }
        let syntax = try parser.readAny()
        guard parser.token.kind == .end else {
            throw parser.error("expected “and”, “or” or the end here")
        }
        return syntax
    }

    private init(expression: String, tokens: [FilterToken]) {
        self.expression = expression
        bytes = Array(expression.utf8)
        self.tokens = tokens
    }

    // MARK: - Tokens

    private var token: FilterToken { tokens[min(position, tokens.count - 1)] }

    private func text(_ token: FilterToken) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    /// The word that stands here, in lower case; `nil` if it is something else.
    private var keyword: String? { token.kind == .word ? text(token).lowercased() : nil }

    private func error(_ message: String, _ range: Range<Int>? = nil) -> FilterError {
        FilterError(message: message, expression: expression, range: range ?? token.range)
    }

    private mutating func take(_ symbol: FilterToken.Symbol) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func take(_ words: String...) -> Bool {
        guard let keyword, words.contains(keyword) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ symbol: FilterToken.Symbol, _ why: String) throws(FilterError) {
        if !take(symbol) { throw error("expected \(symbol.rawValue) \(why)") }
    }

    // MARK: - Logic

    private mutating func readAny() throws(FilterError) -> FilterSyntax {
        var terms = [try readAll()]
        while take(.or) || take("or") { terms.append(try readAll()) }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private mutating func readAll() throws(FilterError) -> FilterSyntax {
        var terms = [try readTerm()]
        while take(.and) || take("and") { terms.append(try readTerm()) }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func readTerm() throws(FilterError) -> FilterSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw error("nested deeper than \(Self.maximumDepth) levels") }
        if take(.not) || take("not") { return .not(try readTerm()) }
        if take(.open) {
            let start = tokens[position - 1].range
            let inner = try readAny()
            guard take(.close) else {
                throw token.kind == .end
                    ? error("this parenthesis is not closed", start) : error("expected “and”, “or” or ) here")
            }
            return inner
        }
        return try readTest()
    }

    // MARK: - Comparisons

    private mutating func readTest() throws(FilterError) -> FilterSyntax {
        var isForAll: Bool?
        // Not where it is the name of something.
        if let keyword, ["any", "all"].contains(keyword), position + 1 < tokens.count,
            tokens[position + 1].kind == .word
        {
            isForAll = keyword == "all"
            position += 1
        }
        var left = try readOperand()
        if let negated = readIn() {
            return .membership(left, try readSet(), isNegated: negated)
        }
        var terms: [FilterSyntax] = []
        while var comparison = readComparison() {
            if let isForAll { comparison.isForAll = isForAll }
            let right = try readOperand()
            terms.append(.comparison(left, comparison, right))
            left = right
        }
        if terms.isEmpty { return .presence(left) }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    /// `in`, `not in`.
    /// - Returns: whether it is negated; `nil` if neither stands here.
    private mutating func readIn() -> Bool? {
        if take("in") { return false }
        guard keyword == "not", position + 1 < tokens.count, tokens[position + 1].kind == .word,
            text(tokens[position + 1]).lowercased() == "in"
        else { return nil }
        position += 2
        return true
    }

    private mutating func readComparison() -> FilterComparison? {
        let found: (FilterComparison.Relation, isForAll: Bool)?
        switch token.kind {
        case .symbol(let symbol): found = Self.operators[symbol.rawValue]
        case .word: found = keyword.flatMap { Self.operators[$0] }
        case .string, .end: found = nil
        }
        guard let found else { return nil }
        position += 1
        return FilterComparison(relation: found.0, isForAll: found.isForAll, range: tokens[position - 1].range)
    }

    private static let operators: [String: (FilterComparison.Relation, isForAll: Bool)] = [
        "==": (.equal, false), "eq": (.equal, false), "any_eq": (.equal, false),
        "===": (.equal, true), "all_eq": (.equal, true),
        "!=": (.notEqual, true), "ne": (.notEqual, true), "all_ne": (.notEqual, true),
        "!==": (.notEqual, false), "any_ne": (.notEqual, false),
        "<": (.less, false), "lt": (.less, false), "<=": (.lessOrEqual, false), "le": (.lessOrEqual, false),
        ">": (.greater, false), "gt": (.greater, false), ">=": (.greaterOrEqual, false), "ge": (.greaterOrEqual, false),
        "contains": (.contains, false), "matches": (.matches, false), "~": (.matches, false),
    ]

    private mutating func readSet() throws(FilterError) -> [FilterSetElement] {
        try expect(.openSet, "and the values of the set, as in {1, 2, 5..9}")
        var elements: [FilterSetElement] = []
        repeat {
            let low = try readOperand()
            elements.append(FilterSetElement(low: low, high: take(.range) ? try readOperand() : nil))
        } while take(.comma)
        guard take(.closeSet) else { throw error("expected , or } here") }
        return elements
    }

    // MARK: - Operands

    private mutating func readOperand() throws(FilterError) -> FilterOperand {
        let first = token
        switch first.kind {
        case .string:
            position += 1
            return FilterOperand(content: .string(first), range: first.range)
        case .word:
            let word = text(first)
            guard !Self.reserved.contains(word.lowercased()) else {
                throw error("expected a field or a value, not the operator “\(word)”")
            }
            position += 1
            if token.kind == .symbol(.open) { return try readCall(word, first.range) }
            return try readSlices(FilterOperand(content: .word(word), range: first.range))
        case .symbol(.close): throw error("expected a field or a value before the parenthesis")
        case .symbol(let symbol): throw error("expected a field or a value, not \(symbol.rawValue)")
        case .end: throw error("expected a field or a value at the end")
        }
    }

    private static let reserved: Set<String> = [
        "and", "or", "not", "in", "eq", "ne", "lt", "le", "gt", "ge", "contains", "matches", "any_eq", "all_eq",
        "any_ne", "all_ne",
    ]

    private mutating func readCall(_ word: String, _ range: Range<Int>) throws(FilterError) -> FilterOperand {
        guard let function = FilterFunction(rawValue: word.lowercased()) else {
            let names = FilterFunction.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("there is no function \(word); those that are: \(names)", range)
        }
        position += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw error("nested deeper than \(Self.maximumDepth) levels") }
        let argument = try readOperand()
        try expect(.close, "behind the field of \(function.rawValue)")
        let whole = range.lowerBound..<tokens[position - 1].range.upperBound
        return try readSlices(FilterOperand(content: .call(function, argument), range: whole))
    }

    /// `[2:4]`, `[2-5]`, `[2:]`, `[:4]`.
    private mutating func readSlices(_ operand: FilterOperand) throws(FilterError) -> FilterOperand {
        guard token.kind == .symbol(.openSlice), token.range.lowerBound == operand.range.upperBound else {
            return operand
        }
        position += 1
        let inner = token
        guard inner.kind == .word, let slice = Self.slice(text(inner)) else {
            throw error("expected a part of the bytes, as in [2:4] (four from the third on), [2:], [:4] or [2-5]")
        }
        position += 1
        try expect(.closeSlice, "behind the part of the bytes")
        let whole = operand.range.lowerBound..<tokens[position - 1].range.upperBound
        return FilterOperand(content: .slice(operand, slice), range: whole)
    }

    private static func slice(_ text: String) -> FilterSlice? {
        func number(_ text: Substring) -> Int? { Int32(text).flatMap { $0 >= 0 ? Int($0) : nil } }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let start = parts[0].isEmpty ? 0 : number(parts[0]) else { return nil }
            if parts[1].isEmpty { return FilterSlice(start: start, length: nil) }
            return number(parts[1]).map { FilterSlice(start: start, length: $0) }
        }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let start = number(ends[0]), let end = number(ends[1]), end >= start else { return nil }
        return FilterSlice(start: start, length: end - start + 1)
    }
}
