extension Interpreter {
    /// Whose expression it is.
    struct Context {
        var object: Int
        /// `_index`
        var index: Int?
        /// `_`
        var element: Value?
    }

    func isTrue(_ expression: Expression, _ context: Context) throws(DataError) -> Bool {
        let value = try evaluate(expression, context)
        guard case .boolean(let result) = value else { throw DataError(.expression, "a condition is \(value.kind)") }
        return result
    }

    func evaluate(_ expression: Expression, _ context: Context) throws(DataError) -> Value {
        switch expression {
        case .constant(let value): return value
        case .own(let slot): return try value(of: slot, context.object)
        case .ownObject: return .object(context.object)
        case .root: return .object(objects[context.object].root)
        case .parent: return try parent(of: context.object)
        case .io: return .stream(objects[context.object].stream)
        case .index: return .integer(context.index ?? 0)
        case .element: return context.element ?? .null
        default: break
        }
        try step()
        try enter()
        defer { depth -= 1 }
        switch expression {
        case .member(let inner, let name): return try member(try evaluate(inner, context), name)
        case .rootOf(let inner): return .object(objects[try object(inner, context)].root)
        case .parentOf(let inner): return try parent(of: try object(inner, context))
        case .ioOf(let inner): return .stream(objects[try object(inner, context)].stream)
        case .method(let method, let inner): return try call(method, try evaluate(inner, context))
        case .toIntegerWithRadix(let inner, let radix):
            return try number(try evaluate(inner, context), radix: try evaluate(radix, context))
        case .substring(let inner, let from, let to):
            return try substring(try evaluate(inner, context), try integer(from, context), try integer(to, context))
        case .decode(let inner, let coding):
            let value = try evaluate(inner, context)
            guard case .bytes(let bytes) = value else {
                throw DataError(.expression, "to_s(…) needs bytes, and this is \(value.kind)")
            }
            try countCopied(bytes.count)
            return .text(decoder.text(bytes, coding))
        case .array(let items):
            var values: [Value] = []
            for item in items { values.append(try evaluate(item, context)) }
            return .array(values)
        case .byteArray(let items):
            var bytes: [UInt8] = []
            for item in items {
                let number = try integer(item, context)
                guard let byte = number.int.flatMap({ UInt8(exactly: $0) }) else {
                    throw DataError(.expression, "\(number) is no byte")
                }
                bytes.append(byte)
            }
            return .bytes(bytes[...])
        case .item(let inner, let index): return try item(try evaluate(inner, context), try integer(index, context))
        case .unary(let operation, let operand): return try unary(operation, try evaluate(operand, context))
        case .binary(.and, let left, let right):
            return .boolean(try isTrue(left, context) ? try isTrue(right, context) : false)
        case .binary(.or, let left, let right):
            return .boolean(try isTrue(left, context) ? true : try isTrue(right, context))
        case .binary(let operation, let left, let right):
            return try binary(operation, try evaluate(left, context), try evaluate(right, context))
        case .conditional(let condition, let yes, let no):
            return try evaluate(try isTrue(condition, context) ? yes : no, context)
        case .cast(let inner, let type): return try cast(try evaluate(inner, context), type)
        case .joined(let parts):
            var text = ""
            for part in parts {
                let value = try evaluate(part, context)
                guard case .text(let more) = value else {
                    throw DataError(.expression, "a part of the text is \(value.kind)")
                }
                try countCopied(more.utf8.count)
                text += more
            }
            return .text(text)
        case .constant, .own, .ownObject, .root, .parent, .io, .index, .element: return .null
        }
    }

    // MARK: - names

    /// The value of a slot; instances are computed when they are asked for.
    func value(of slot: Int, _ object: Int) throws(DataError) -> Value {
        let value = objects[object].values[slot]
        switch value {
        case .unset:
            let type = program.types[objects[object].type]
            if type.instances.contains(slot) { return try instance(slot, of: object) }
            throw DataError(.expression, "\"\(type.slots[slot].name)\" is used before it is read")
        case .computing:
            throw DataError(
                .expression,
                "\"\(program.types[objects[object].type].slots[slot].name)\" depends on itself"
            )
        default: return value
        }
    }

    private func parent(of object: Int) throws(DataError) -> Value {
        guard let parent = objects[object].parent else {
            throw DataError(.expression, "\"\(program.types[objects[object].type].name)\" has no _parent here")
        }
        return .object(parent)
    }

    private func object(_ expression: Expression, _ context: Context) throws(DataError) -> Int {
        let value = try evaluate(expression, context)
        guard case .object(let index) = value else {
            throw DataError(.expression, "this is no object: it is \(value.kind)")
        }
        return index
    }

    private func integer(_ expression: Expression, _ context: Context) throws(DataError) -> WideInteger {
        let value = try evaluate(expression, context)
        guard case .integer(let number) = value else {
            throw DataError(.expression, "this is no integer: it is \(value.kind)")
        }
        return number
    }

    private func member(_ value: Value, _ name: String) throws(DataError) -> Value {
        guard case .object(let index) = value else {
            guard let method = ValueMethod(rawValue: name) else {
                throw DataError(.expression, "\"\(name)\" is asked of \(value.kind)")
            }
            return try call(method, value)
        }
        let type = program.types[objects[index].type]
        guard let slot = type.slotOfName[name] else {
            throw DataError(.expression, "\"\(type.name)\" has no \"\(name)\"")
        }
        return try self.value(of: slot, index)
    }

    private func item(_ value: Value, _ index: WideInteger) throws(DataError) -> Value {
        switch value {
        case .array(let items):
            guard let index = index.int, items.indices.contains(index) else {
                throw DataError(.expression, "there is no element \(index) of \(items.count)")
            }
            return items[index]
        case .bytes(let bytes):
            guard let index = index.int, index >= 0, index < bytes.count else {
                throw DataError(.expression, "there is no byte \(index) of \(bytes.count)")
            }
            return .integer(Int(bytes[bytes.startIndex + index]))
        default: throw DataError(.expression, "an element is asked of \(value.kind)")
        }
    }

    private func cast(_ value: Value, _ type: StaticType) throws(DataError) -> Value {
        switch (type, value) {
        case (.any, _), (.integer, .integer), (.real, .real), (.boolean, .boolean), (.text, .text), (.bytes, .bytes),
            (.stream, .stream),
            (.structure, .object), (.array, .array), (_, .null):
            return value
        case (.real, .integer(let number)): return .real(number.real)
        case (.user(let wanted), .object(let index)):
            guard objects[index].type == wanted else {
                throw DataError(
                    .expression,
                    "this is of the type \(program.types[objects[index].type].name), not \(program.types[wanted].name)"
                )
            }
            return value
        case (.enumeration(let wanted), .enumeration(let index, _)) where wanted == index: return value
        case (.enumeration(let index), .integer(let number)): return .enumeration(index, number)
        case (.array, .bytes(let bytes)):
            try countCopied(bytes.count * 16)
            return .array(bytes.map { .integer(Int($0)) })
        case (.bytes, .array(let items)):
            var bytes: [UInt8] = []
            for item in items {
                guard case .integer(let number) = item, let byte = number.int.flatMap({ UInt8(exactly: $0) }) else {
                    throw DataError(.expression, "an element is no byte")
                }
                bytes.append(byte)
            }
            return .bytes(bytes[...])
        default: throw DataError(.expression, "this is \(value.kind), not \(type.name)")
        }
    }

    // MARK: - methods

    func call(_ method: ValueMethod, _ value: Value) throws(DataError) -> Value {
        switch (method, value) {
        case (.length, .text(let text)):
            try countCopied(text.utf8.count / 4)
            return .integer(text.unicodeScalars.count)
        case (.length, .bytes(let bytes)), (.size, .bytes(let bytes)): return .integer(bytes.count)
        case (.length, .array(let items)), (.size, .array(let items)): return .integer(items.count)
        case (.size, .stream(let index)): return .integer(streams[index].size)
        case (.position, .stream(let index)): return .integer(streams[index].position)
        case (.eof, .stream(let index)): return .boolean(streams[index].isAtEnd)
        case (.first, .array(let items)):
            guard let first = items.first else { throw DataError(.expression, "an empty array has no first element") }
            return first
        case (.last, .array(let items)):
            guard let last = items.last else { throw DataError(.expression, "an empty array has no last element") }
            return last
        case (.first, .bytes(let bytes)), (.last, .bytes(let bytes)):
            guard let byte = method == .first ? bytes.first : bytes.last else {
                throw DataError(.expression, "there are no bytes")
            }
            return .integer(Int(byte))
        case (.min, .bytes(let bytes)), (.max, .bytes(let bytes)):
            try countCopied(bytes.count)
            guard let byte = method == .min ? bytes.min() : bytes.max() else {
                throw DataError(.expression, "there are no bytes")
            }
            return .integer(Int(byte))
        case (.min, .array(let items)), (.max, .array(let items)): return try extreme(items, isLeast: method == .min)
        case (.toText, .integer(let number)): return .text(number.description)
        case (.toText, .enumeration(let index, let number)):
            return .text(program.enums[index].labels[number] ?? number.description)
        case (.toText, .text): return value
        case (.toInteger, .integer): return value
        case (.toInteger, .enumeration(_, let number)): return .integer(number)
        case (.toInteger, .boolean(let flag)): return .integer(flag ? 1 : 0)
        case (.toInteger, .real(let number)):
            if let whole = Int64(exactly: number.rounded(.towardZero)) { return .integer(WideInteger(whole)) }
            if let whole = UInt64(exactly: number.rounded(.towardZero)) { return .integer(WideInteger(whole)) }
            throw DataError(.expression, "\(number) is too great for an integer")
        case (.toInteger, .text): return try number(value, radix: .integer(10))
        case (.reverse, .text(let text)):
            try countCopied(text.utf8.count)
            return .text(String(String.UnicodeScalarView(text.unicodeScalars.reversed())))
        default: throw DataError(.expression, "\(method.rawValue) is asked of \(value.kind)")
        }
    }

    private func extreme(_ items: [Value], isLeast: Bool) throws(DataError) -> Value {
        guard var result = items.first else {
            throw DataError(.expression, "an empty array has no \(isLeast ? "least" : "greatest") element")
        }
        for item in items.dropFirst() {
            try step()
            let order = try compare(item, result)
            if let order, isLeast ? order < 0 : order > 0 { result = item }
        }
        return result
    }

    private func number(_ value: Value, radix: Value) throws(DataError) -> Value {
        guard case .text(let text) = value else { throw DataError(.expression, "to_i is asked of \(value.kind)") }
        guard case .integer(let number) = radix, let radix = number.int, (2...36).contains(radix) else {
            throw DataError(.expression, "a radix is 2 to 36")
        }
        guard let result = WideInteger(text, radix: radix) else {
            throw DataError(.expression, "the text is no number of radix \(radix)")
        }
        return .integer(result)
    }

    /// Characters from one position up to another, counted from 0; what lies outside is left out.
    private func substring(_ value: Value, _ from: WideInteger, _ to: WideInteger) throws(DataError) -> Value {
        guard case .text(let text) = value else {
            throw DataError(.expression, "a substring is asked of \(value.kind)")
        }
        try countCopied(text.utf8.count)
        let scalars = Array(text.unicodeScalars)
        func position(_ number: WideInteger) -> Int { number.isNegative ? 0 : min(number.int ?? .max, scalars.count) }
        let (start, end) = (position(from), position(to))
        guard start < end else { return .text("") }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<end])
        return .text(String(view))
    }

    // MARK: - operations

    private func unary(_ operation: UnaryOperator, _ value: Value) throws(DataError) -> Value {
        switch (operation, value) {
        case (.minus, .integer(let number)): return try fitting(number.negated)
        case (.minus, .real(let number)): return .real(-number)
        case (.invert, .integer(let number)): return try fitting(number.inverted)
        case (.not, .boolean(let flag)): return .boolean(!flag)
        default: throw DataError(.expression, "\(operation.rawValue) is applied to \(value.kind)")
        }
    }

    private func fitting(_ number: WideInteger?) throws(DataError) -> Value {
        guard let number else { throw DataError(.expression, "the result does not fit 64 bits") }
        return .integer(number)
    }

    private func binary(_ operation: BinaryOperator, _ a: Value, _ b: Value) throws(DataError) -> Value {
        switch operation {
        case .equal: return .boolean(try isEqual(a, b))
        case .notEqual: return .boolean(try !isEqual(a, b))
        case .less: return .boolean(try compare(a, b).map { $0 < 0 } ?? false)
        case .lessOrEqual: return .boolean(try compare(a, b).map { $0 <= 0 } ?? false)
        case .greater: return .boolean(try compare(a, b).map { $0 > 0 } ?? false)
        case .greaterOrEqual: return .boolean(try compare(a, b).map { $0 >= 0 } ?? false)
        default: break
        }
        switch (a, b) {
        case (.integer(let a), .integer(let b)): return try integers(operation, a, b)
        case (.integer(let a), .real(let b)): return try reals(operation, a.real, b)
        case (.real(let a), .integer(let b)): return try reals(operation, a, b.real)
        case (.real(let a), .real(let b)): return try reals(operation, a, b)
        case (.text(let a), .text(let b)) where operation == .add:
            try countCopied(a.utf8.count + b.utf8.count)
            return .text(a + b)
        default: throw DataError(.expression, "\(operation.rawValue) is applied to \(a.kind) and \(b.kind)")
        }
    }

    private func integers(_ operation: BinaryOperator, _ a: WideInteger, _ b: WideInteger) throws(DataError) -> Value {
        switch operation {
        case .add: return try fitting(a.adding(b))
        case .subtract: return try fitting(a.subtracting(b))
        case .multiply: return try fitting(a.multiplied(by: b))
        case .divide, .modulo:
            if b.isZero { throw DataError(.expression, "a division by zero") }
            return try fitting(operation == .divide ? a.divided(by: b) : a.modulo(b))
        case .bitAnd: return try fitting(a & b)
        case .bitOr: return try fitting(a | b)
        case .bitXor: return try fitting(a ^ b)
        case .shiftLeft: return try fitting(a.shiftedLeft(by: b))
        case .shiftRight:
            guard let result = a.shiftedRight(by: b) else { throw DataError(.expression, "a shift by \(b)") }
            return .integer(result)
        default: throw DataError(.expression, "\(operation.rawValue) is applied to integers")
        }
    }

    private func reals(_ operation: BinaryOperator, _ a: Double, _ b: Double) throws(DataError) -> Value {
        switch operation {
        case .add: return .real(a + b)
        case .subtract: return .real(a - b)
        case .multiply: return .real(a * b)
        case .divide: return .real(a / b)
        case .modulo:
            let remainder = a.truncatingRemainder(dividingBy: b)
            return .real(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder)
        default: throw DataError(.expression, "\(operation.rawValue) is applied to real numbers")
        }
    }

    func isEqual(_ a: Value, _ b: Value) throws(DataError) -> Bool {
        switch (a, b) {
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.boolean(let a), .boolean(let b)): return a == b
        case (.enumeration(let kind, let a), .enumeration(let other, let b)): return kind == other && a == b
        default: return try compare(a, b) == 0
        }
    }

    /// Negative, zero or positive, as the first is less than, equal to, or greater than the second. Text is ordered by its
    /// characters' numbers, bytes as unsigned numbers.
    /// - Returns: `nil` if they have no order: one of them is not a number.
    func compare(_ a: Value, _ b: Value) throws(DataError) -> Int? {
        func order<T: Comparable>(_ a: T, _ b: T) -> Int? { a < b ? -1 : a == b ? 0 : a > b ? 1 : nil }
        switch (a, b) {
        case (.integer(let a), .integer(let b)): return order(a, b)
        case (.integer(let a), .real(let b)): return order(a.real, b)
        case (.real(let a), .integer(let b)): return order(a, b.real)
        case (.real(let a), .real(let b)): return order(a, b)
        case (.text(let a), .text(let b)):
            try countCopied(min(a.utf8.count, b.utf8.count) / 4)
            // Swift's own == takes different characters that look the same for equal.
            if a.utf8.elementsEqual(b.utf8) { return 0 }
            return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        case (.bytes(let a), .bytes(let b)):
            try countCopied(min(a.count, b.count) / 4)
            if a.elementsEqual(b) { return 0 }
            return a.lexicographicallyPrecedes(b) ? -1 : 1
        case (.bytes, .array), (.array, .bytes): return try compare(try cast(a, .bytes), try cast(b, .bytes))
        default: throw DataError(.expression, "\(a.kind) cannot be compared with \(b.kind)")
        }
    }
}
