import ESProtocol
import MessageFormat

/// A filter whose words are known, before its tests are put in a row.
indirect enum FilterCondition: Sendable {
    case any([FilterCondition])
    case all([FilterCondition])
    case not(FilterCondition)
    /// - Parameter cost: what it costs to ask, beside others: the cheap ones are asked first.
    case test(FilterTest, cost: Int)

    static let always = FilterCondition.test(.constant(true), cost: 0)

    var cost: Int {
        switch self {
        case .any(let terms), .all(let terms): terms.reduce(0) { max($0, $1.cost) }
        case .not(let term): term.cost
        case .test(_, let cost): cost
        }
    }
}

/// Looks up the words of a filter, checks what is compared with what, and makes the program.
struct FilterCompiler {
    let expression: String
    private let constants: FilterConstants
    private let names: MessageNames
    private var program = FilterProgram()
    /// What may be a mistake, but need not be.
    private var hints: [FilterError] = []

    static func compile(
        _ expression: String,
        utc: Bool,
        names: MessageNames
    ) throws(FilterError) -> (program: FilterProgram, hints: [FilterError]) {
        let syntax = try FilterParser.parse(expression)
        var compiler = FilterCompiler(expression: expression, utc: utc, names: names)
        let condition = try compiler.check(syntax)
        compiler.program.start = compiler.add(
            condition,
            whenTrue: FilterInstruction.accept,
            whenFalse: FilterInstruction.reject
        )
        return (compiler.program, compiler.hints)
    }

    private init(expression: String, utc: Bool, names: MessageNames) {
        self.expression = expression
        self.names = names
        constants = FilterConstants(expression: expression, utc: utc)
    }

    private func error(_ message: String, _ range: Range<Int>) -> FilterError {
        FilterError(message: message, expression: expression, range: range)
    }

    // MARK: - Putting the tests in a row

    /// Adds the tests of a condition from the last to the first.
    /// - Returns: where they begin.
    private mutating func add(_ condition: FilterCondition, whenTrue: Int32, whenFalse: Int32) -> Int32 {
        switch condition {
        case .not(let term): return add(term, whenTrue: whenFalse, whenFalse: whenTrue)
        case .all(let terms):
            return Self.ordered(terms).reversed().reduce(whenTrue) { next, term in
                add(term, whenTrue: next, whenFalse: whenFalse)
            }
        case .any(let terms):
            return Self.ordered(terms).reversed().reduce(whenFalse) { next, term in
                add(term, whenTrue: whenTrue, whenFalse: next)
            }
        case .test(let test, _):
            program.instructions.append(FilterInstruction(test: test, whenTrue: whenTrue, whenFalse: whenFalse))
            return Int32(program.instructions.count - 1)
        }
    }

    /// Asking has no effect, so that the order is free.
    private static func ordered(_ terms: [FilterCondition]) -> [FilterCondition] {
        terms.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
    }

    // MARK: - Checking

    private mutating func check(_ syntax: FilterSyntax) throws(FilterError) -> FilterCondition {
        switch syntax {
        case .any(let terms): return .any(try checkAll(terms))
        case .all(let terms): return .all(try checkAll(terms))
        case .not(let term): return .not(try check(term))
        case .presence(let operand): return try presence(operand)
        case .membership(let operand, let elements, let isNegated):
            guard let field = try field(operand) else { throw noField(operand) }
            return try membership(field, elements, isNegated: isNegated)
        case .comparison(let left, let comparison, let right):
            if let field = try field(left) {
                if let other = try self.field(right) { return try compare(field, comparison, other) }
                return try compare(field, comparison, right)
            }
            guard let field = try field(right) else { throw noField(left) }
            guard let mirrored = comparison.relation.mirrored else {
                throw error("the field stands on the left of “\(comparison.relation.rawValue)”", comparison.range)
            }
            var turned = comparison
            turned.relation = mirrored
            return try compare(field, turned, left)
        }
    }

    private mutating func checkAll(_ terms: [FilterSyntax]) throws(FilterError) -> [FilterCondition] {
        var conditions: [FilterCondition] = []
        for term in terms { conditions.append(try check(term)) }
        return conditions
    }

    // MARK: - Fields

    /// A side of a comparison that is a field, or made from one.
    private struct FieldOperand {
        var source: FilterSource
        var type: FilterType
        var name: String
        var range: Range<Int>

        /// What it is, if it is a field and nothing is made of it.
        var plain: MessageFieldName? {
            if case .field(let name) = source { name } else { nil }
        }

        /// The name of the body's field at the root.
        var bodyName: BodyFieldName? {
            var source = source
            while true {
                switch source {
                case .field(.body(let name)): return name
                case .field: return nil
                case .slice(let inner, _), .call(_, let inner): source = inner
                }
            }
        }
    }

    /// - Returns: `nil` if it is a value.
    private mutating func field(_ operand: FilterOperand) throws(FilterError) -> FieldOperand? {
        switch operand.content {
        case .string: return nil
        case .word(let word): return try field(word, operand.range)
        case .slice(let inner, let slice):
            let field = try madeFrom(inner, .octets, "a part can be taken of text and bytes")
            return FieldOperand(
                source: .slice(field.source, slice),
                type: FilterType(.bytes),
                name: text(operand.range),
                range: operand.range
            )
        case .call(let function, let inner):
            var kinds = FilterType.Kinds.number
            var field: FieldOperand
            switch function {
            case .length: field = try madeFrom(inner, .octets, "len is of text and bytes")
            case .count:
                field = try madeFrom(inner, nil, "")
                if case .field(.body(_)) = field.source {
                } else if field.plain != nil {
                    throw error("count is of fields of bodies; \(field.name) is there once", inner.range)
                }
            case .lower, .upper:
                field = try madeFrom(inner, .octets, "\(function.rawValue) is of text")
                kinds = field.type.kinds.contains(.unknown) ? .unknown : .text
            }
            field = FieldOperand(
                source: .call(function, field.source),
                type: FilterType(kinds),
                name: text(operand.range),
                range: operand.range
            )
            return field
        }
    }

    private mutating func madeFrom(
        _ operand: FilterOperand,
        _ kinds: FilterType.Kinds?,
        _ rule: String
    ) throws(FilterError) -> FieldOperand {
        guard let field = try field(operand) else { throw noField(operand) }
        if let kinds, field.type.kinds.isDisjoint(with: kinds.union(.unknown)) {
            throw error("\(rule); \(field.name) is \(field.type.description)", operand.range)
        }
        return field
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: expression.utf8Bytes(range), as: UTF8.self)
    }

    private mutating func field(_ word: String, _ range: Range<Int>) throws(FilterError) -> FieldOperand? {
        guard let name = MessageFieldName(word) else {
            // Everything else that begins so would be meant to be a field.
            guard word.hasPrefix("es.") || ["n", "file", "masked"].contains(word) else { return nil }
            throw unknownField(word, range)
        }
        if case .body(let body) = name, names.known(body) == nil, !body.canBeGuessed,
            let near = names.nearest(to: word)
        {
            hints.append(error("no body that is known has \(word); did you mean \(near)?", range))
        }
        return FieldOperand(source: .field(name), type: FilterType(of: name, names), name: word, range: range)
    }

    private func unknownField(_ word: String, _ range: Range<Int>) -> FilterError {
        if ["n", "file", "masked"].contains(word) {
            return error("\(word) is known only when a message is shown; a filter cannot ask for it", range)
        }
        let hint = names.nearest(to: word).map { "; did you mean \($0)?" } ?? ""
        return error("there is no field \(word)\(hint)", range)
    }

    /// A value stands where a field must be.
    private func noField(_ operand: FilterOperand) -> FilterError {
        switch operand.content {
        case .word(let word):
            if let type = names.messageTypes.first(where: { $0.name.lowercased() == word.lowercased() }) {
                return error("\(word) is a message type: es.message_type == \(type.name)", operand.range)
            }
            if FilterNumber(word) == nil, FilterConstants.hex(word) == nil { return unknownField(word, operand.range) }
            return error("a field must stand on one side, and \(word) is a value", operand.range)
        case .string: return error("a field must stand on one side, and this is text", operand.range)
        case .slice, .call: return error("a field must stand here", operand.range)
        }
    }

    // MARK: - Comparisons

    private func checkRelation(_ field: FieldOperand, _ comparison: FilterComparison) throws(FilterError) {
        let kinds = field.type.kinds
        if kinds == .container {
            let inner = names.all.filter { $0.hasPrefix(field.name + ".") }
            let names = inner.prefix(4).joined(separator: ", ") + (inner.count > 4 ? " …" : "")
            throw error("\(field.name) is an object or a list; what can be compared are \(names)", field.range)
        }
        switch comparison.relation {
        case .equal, .notEqual: break
        case .contains, .matches:
            let looksInto: FilterType.Kinds = [.text, .bytes, .unknown, .endpoint, .host, .name]
            guard !kinds.isDisjoint(with: looksInto) else {
                let hint = field.name == "es.message_type" ? " (its name is es.message_type_name)" : ""
                throw error(
                    "“\(comparison.relation.rawValue)” looks into text and bytes; \(field.name) is \(field.type.description)\(hint)",
                    comparison.range
                )
            }
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard kinds.isDisjoint(with: [.endpoint, .host, .name]) else {
                throw error("\(field.name) has no order: only == and != and “in” go with it", comparison.range)
            }
        }
    }

    /// A name that a user's files replace may still be one of another number, which need not be meant.
    private mutating func noteReplaced(_ operand: FilterOperand, _ field: FieldOperand) {
        guard case .word(let word) = operand.content, let new = field.type.replaced[word.lowercased()] else { return }
        hints.append(error("a \(field.type.nameOf) that is \(word) otherwise is called \(new) here", operand.range))
    }

    private mutating func compare(
        _ field: FieldOperand,
        _ comparison: FilterComparison,
        _ operand: FilterOperand
    ) throws(FilterError) -> FilterCondition {
        try checkRelation(field, comparison)
        let constant = try constants.constant(operand, for: field.type, field.name, comparison.relation)
        noteReplaced(operand, field)
        if let source = numberSource(of: field, comparison.relation) {
            let values = ranges(field, comparison.relation, constant)
            return numbers(source, values, isIn: comparison.relation != .notEqual, isForAll: comparison.isForAll)
        }
        if let condition = addresses(field, [constant], comparison) { return condition }
        if let source = byteSource(of: field) {
            let check: FilterByteCheck =
                switch comparison.relation {
                case .equal: .equal
                case .notEqual: .notEqual
                case .contains: .contains
                case .matches: .matches
                case .less, .lessOrEqual, .greater, .greaterOrEqual: .ordered(comparison.relation)
                }
            return bytes(source, check, [constant])
        }
        return values(field, .constant(comparison.relation, isForAll: comparison.isForAll, constant))
    }

    private mutating func compare(
        _ field: FieldOperand,
        _ comparison: FilterComparison,
        _ other: FieldOperand
    ) throws(FilterError) -> FilterCondition {
        try checkRelation(field, comparison)
        if comparison.relation == .matches { throw error("a pattern must stand between quotes", other.range) }
        var check = comparison
        if comparison.relation == .contains { check.relation = .contains }
        try checkRelation(other, check)
        func family(_ kinds: FilterType.Kinds) -> FilterType.Kinds {
            kinds.isDisjoint(with: .octets) ? kinds : kinds.union(.octets)
        }
        let kinds = family(field.type.kinds)
        guard
            kinds.contains(.unknown) || other.type.kinds.contains(.unknown)
                || !kinds.isDisjoint(with: family(other.type.kinds))
        else {
            throw error(
                "\(field.name) is \(field.type.description), \(other.name) is \(other.type.description)",
                field.range.lowerBound..<other.range.upperBound
            )
        }
        return values(field, .other(comparison.relation, isForAll: comparison.isForAll, other.source))
    }

    private mutating func membership(
        _ field: FieldOperand,
        _ elements: [FilterSetElement],
        isNegated: Bool
    ) throws(FilterError) -> FilterCondition {
        let equal = FilterComparison(relation: .equal, isForAll: isNegated, range: field.range)
        try checkRelation(field, equal)
        var pairs: [(low: FilterConstant, high: FilterConstant?)] = []
        for element in elements {
            let low = try constants.constant(element.low, for: field.type, field.name, .equal)
            noteReplaced(element.low, field)
            guard let operand = element.high else {
                pairs.append((low, nil))
                continue
            }
            let high = try constants.constant(operand, for: field.type, field.name, .equal)
            let range = element.low.range.lowerBound..<operand.range.upperBound
            pairs.append(try pair(low, high, field, range))
        }
        if let source = numberSource(of: field, .equal) {
            var all: [FilterRange] = []
            for (low, high) in pairs {
                guard let high else {
                    all += ranges(field, .equal, low)
                    continue
                }
                let from = ranges(field, .greaterOrEqual, low)
                let to = ranges(field, .lessOrEqual, high)
                if let from = from.first, let to = to.first {
                    all.append(FilterRange(low: from.low, high: to.high, tokens: from.tokens & to.tokens))
                }
            }
            return numbers(source, all, isIn: !isNegated, isForAll: isNegated)
        }
        let comparison = FilterComparison(
            relation: isNegated ? .notEqual : .equal,
            isForAll: isNegated,
            range: field.range
        )
        if let condition = addresses(field, pairs.map(\.low), comparison) { return condition }
        if let source = byteSource(of: field), pairs.allSatisfy({ $0.high == nil }) {
            return bytes(source, isNegated ? .notEqual : .equal, pairs.map(\.low))
        }
        return values(field, .set(pairs, isNegated: isNegated))
    }

    /// The two ends of a range, checked; those of addresses become one.
    private func pair(
        _ low: FilterConstant,
        _ high: FilterConstant,
        _ field: FieldOperand,
        _ range: Range<Int>
    ) throws(FilterError) -> (FilterConstant, FilterConstant?) {
        if let from = low.address, let to = high.address {
            guard let through = from.through(to) else {
                throw error("a range goes from a lower address (or port) to a higher one", range)
            }
            var constant = low
            constant.address = through
            return (constant, nil)
        }
        let isOrdered: Bool
        if let first = low.time, let last = high.time {
            isOrdered = first <= last
        } else if let first = low.number, let last = high.number {
            isOrdered = (first.compared(to: last) ?? 1) <= 0
        } else if let first = low.date, let last = high.date {
            isOrdered = first <= last
        } else if let first = low.bytes, let last = high.bytes {
            isOrdered = !last.lexicographicallyPrecedes(first)
        } else {
            throw error("a range goes from one number, time, address or text to another", range)
        }
        guard isOrdered else { throw error("a range goes from the lower value to the higher one", range) }
        return (low, high)
    }

    // MARK: - Tests

    /// The number that a field is, where it can be asked for without collecting values.
    private func numberSource(
        of field: FieldOperand,
        _ relation: FilterComparison.Relation
    ) -> [FilterNumberSource]? {
        guard relation != .contains, relation != .matches else { return nil }
        switch field.plain {
        case .header(let header): return header.filterNumber.map { [$0] }
        case .property(.port): return [.sourcePort, .destinationPort]
        case .property(let property): return property.filterNumber.map { [$0] }
        default: return nil
        }
    }

    private func ranges(
        _ field: FieldOperand,
        _ relation: FilterComparison.Relation,
        _ constant: FilterConstant
    ) -> [FilterRange] {
        // Of names the values differ by version.
        if constant.number == nil, constant.time == nil, let name = constant.name {
            return field.type.values(named: name).compactMap { value in
                FilterRange(relation, .integer(value.value)).map {
                    FilterRange(low: $0.low, high: $0.high, tokens: value.tokens)
                }
            }
        }
        let number = field.type.kinds.contains(.time) ? constant.time.map { FilterNumber.integer($0) } : constant.number
        return number.flatMap { FilterRange(relation, $0) }.map { [$0] } ?? []
    }

    private mutating func numbers(
        _ sources: [FilterNumberSource],
        _ ranges: [FilterRange],
        isIn: Bool,
        isForAll: Bool
    ) -> FilterCondition {
        let start = Int32(program.ranges.count)
        program.ranges += ranges
        let range = start..<Int32(program.ranges.count)
        let terms = sources.map { FilterCondition.test(.number($0, range, isIn: isIn), cost: 1) }
        return terms.count == 1 ? terms[0] : isForAll ? .all(terms) : .any(terms)
    }

    /// Whether an address is one of some; `nil` if the field is none, or it is to be looked into.
    private mutating func addresses(
        _ field: FieldOperand,
        _ constants: [FilterConstant],
        _ comparison: FilterComparison
    ) -> FilterCondition? {
        guard comparison.relation == .equal || comparison.relation == .notEqual else { return nil }
        let sides: [Bool]
        switch field.plain {
        case .property(.source), .property(.sourceHost): sides = [true]
        case .property(.destination), .property(.destinationHost): sides = [false]
        case .property(.host): sides = [true, false]
        default: return nil
        }
        let start = Int32(program.addresses.count)
        program.addresses += constants.compactMap(\.address)
        let range = start..<Int32(program.addresses.count)
        let isIn = comparison.relation == .equal
        let terms = sides.map { FilterCondition.test(.endpoint(isSource: $0, range, isIn: isIn), cost: 2) }
        return terms.count == 1 ? terms[0] : comparison.isForAll ? .all(terms) : .any(terms)
    }

    private func byteSource(of field: FieldOperand) -> FilterByteSource? {
        switch field.plain {
        case .header(.userID): .userID
        case .header(.destUserID): .destUserID
        case .typeName: .typeName
        case .headerBytes: .headerBytes
        case .bodyBytes: .bodyBytes
        default: nil
        }
    }

    private mutating func bytes(
        _ source: FilterByteSource,
        _ check: FilterByteCheck,
        _ constants: [FilterConstant]
    ) -> FilterCondition {
        var cost = source == .bodyBytes ? 20 : 3
        if case .matches = check { cost *= 3 }
        program.byteTests.append(FilterByteTest(source: source, check: check, constants: constants))
        return .test(.bytes(Int32(program.byteTests.count - 1)), cost: cost)
    }

    private mutating func values(_ field: FieldOperand, _ check: FilterValueTest.Check) -> FilterCondition {
        let test = FilterValueTest(source: field.source, check: check)
        program.valueTests.append(test)
        let condition = FilterCondition.test(
            .values(Int32(program.valueTests.count - 1)),
            cost: test.needsBodies ? 100 : 10
        )
        // Other messages cannot have the field: their bodies are not read.
        guard let body = field.bodyName, let known = names.known(body), !known.isInAnyMessage, !body.canBeGuessed,
            !isCount(field.source)
        else { return condition }
        let types = known.messageTypes.sorted().map { FilterRange(low: Int64($0), high: Int64($0)) }
        return .all([numbers([.messageType], types, isIn: true, isForAll: false), condition])
    }

    /// `count` has a value where the field is not.
    private func isCount(_ source: FilterSource) -> Bool {
        switch source {
        case .field: false
        case .slice(let inner, _): isCount(inner)
        case .call(let function, let inner): function == .count || isCount(inner)
        }
    }

    // MARK: - Presence

    private mutating func presence(_ operand: FilterOperand) throws(FilterError) -> FilterCondition {
        guard let field = try field(operand) else { throw noField(operand) }
        guard let plain = field.plain else { return values(field, .present) }
        switch plain {
        case .header(.clientType): return present(.clientType)
        case .property(.missing): return present(.missing)
        case .property(.gaps): return present(.gaps)
        case .typeName: return bytes(.typeName, .present, [])
        case .bodyBytes: return bytes(.bodyBytes, .present, [])
        case .header, .property, .headerBytes: return .always
        case .body: return values(field, .present)
        }
    }

    private mutating func present(_ source: FilterNumberSource) -> FilterCondition {
        numbers([source], [FilterRange(low: .min, high: .max)], isIn: true, isForAll: false)
    }
}

extension FilterRange {
    /// The whole numbers of which a relation to a number holds; `nil` if there are none.
    init?(_ relation: FilterComparison.Relation, _ number: FilterNumber) {
        switch relation {
        case .equal, .notEqual:
            guard let low = number.ceiling, let high = number.floor, low <= high else { return nil }
            self.init(low: low, high: high)
        case .less:
            guard let ceiling = number.ceiling else {
                self.init(low: .min, high: .max)
                return
            }
            guard ceiling > .min else { return nil }
            self.init(low: .min, high: ceiling - 1)
        case .lessOrEqual:
            guard let floor = number.floor else { return nil }
            self.init(low: .min, high: floor)
        case .greater:
            guard let floor = number.floor else {
                self.init(low: .min, high: .max)
                return
            }
            guard floor < .max else { return nil }
            self.init(low: floor + 1, high: .max)
        case .greaterOrEqual:
            guard let ceiling = number.ceiling else { return nil }
            self.init(low: ceiling, high: .max)
        case .contains, .matches: return nil
        }
    }
}
