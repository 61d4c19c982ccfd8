import ESProtocol

/// Reads a body as a ``SequencePlan`` says.
struct SequenceReader {
    /// The value of a number, or the place of a text: its index and count in 32 bits each.
    struct Slot {
        var value: Int64
        var isSet: Bool
    }

    private let shared: SharedPlan
    /// Those of the plan.
    private let steps: UnsafeBufferPointer<SequencePlan.Step>
    private let looks: UnsafeBufferPointer<SequencePlan.Look>
    private let bytes: UnsafeRawBufferPointer
    private let offset: Int
    private let depth: Int
    private let maximumValues: Int
    private let slots: UnsafeMutableBufferPointer<Slot>
    private var fields: [Field] = []
    private var index = 0
    /// Where the bytes, or the room of the object that is read, end.
    private var end: Int
    private var bits = BitReader()
    private var element = 0
    private var valueCount = 0

    /// - Parameters:
    ///   - bytes: All that there are.
    ///   - offset: Where they stand in the message.
    ///   - parameters: Numbers of the parameters, in their order; `nil` for one without a value.
    /// - Returns: the fields; `nil` if the bytes do not fit, or need the interpreter.
    static func fields(
        _ shared: SharedPlan,
        _ bytes: UnsafeRawBufferPointer,
        offset: Int,
        depth: Int,
        maximumFields: Int,
        parameters: [Int64?]
    ) -> [Field]? {
        shared.plan.steps.withUnsafeBufferPointer { steps in
            shared.plan.looks.withUnsafeBufferPointer { looks in
                let slotCount = max(shared.plan.slotCount, parameters.count)
                return withUnsafeTemporaryAllocation(of: Slot.self, capacity: slotCount) { slots in
                    slots.initialize(repeating: Slot(value: 0, isSet: false))
                    for (index, value) in parameters.enumerated() {
                        if let value { slots[index] = Slot(value: value, isSet: true) }
                    }
                    var reader = SequenceReader(shared, steps, looks, bytes, offset, depth, maximumFields, slots)
                    guard reader.run(shared.plan.root), reader.index == bytes.count, reader.compute(),
                        reader.valueCount <= maximumFields
                    else { return nil }
                    return reader.fields
                }
            }
        }
    }

    private init(
        _ shared: SharedPlan,
        _ steps: UnsafeBufferPointer<SequencePlan.Step>,
        _ looks: UnsafeBufferPointer<SequencePlan.Look>,
        _ bytes: UnsafeRawBufferPointer,
        _ offset: Int,
        _ depth: Int,
        _ maximumValues: Int,
        _ slots: UnsafeMutableBufferPointer<Slot>
    ) {
        self.shared = shared
        self.steps = steps
        self.looks = looks
        self.bytes = bytes
        self.offset = offset
        self.depth = depth
        self.maximumValues = maximumValues
        self.slots = slots
        end = bytes.count
        fields.reserveCapacity(shared.plan.looks.count)
    }

    // MARK: - steps

    /// - Returns: whether the bytes fit.
    private mutating func run(_ range: Range<Int>) -> Bool {
        for number in range {
            if let condition = steps[number].condition {
                guard let holds = evaluate(condition) else { return false }
                if holds == 0 { continue }
            }
            guard run(number) else { return false }
            if let check = steps[number].check, !holds(check, slots[steps[number].slot]) { return false }
        }
        return true
    }

    private mutating func run(_ number: Int) -> Bool {
        let look = steps[number].look
        switch steps[number].kind {
        case .align: bits.align()
        case .integer(let width, let isSigned, let isLittle, let names, let dates):
            guard let raw = integer(width, isLittle: isLittle) else { return false }
            let start = index - width
            if isSigned {
                let shift = UInt64(64 - 8 * width)
                let value = Int64(bitPattern: raw << shift) >> Int64(shift)
                keep(value, number)
                if let dates {
                    let date = BodyDate(raw: value, encoding: dates == .ticks ? .ticks : .milliseconds)
                    let shown = date.milliseconds.map { FieldValue.date(milliseconds: $0) } ?? .integer(value)
                    add(look, start, width, shown, date.description)
                } else {
                    add(look, start, width, .integer(value), meaning(value, names))
                }
            } else {
                keep(unsigned: raw, number)
                if let dates, let value = Int64(exactly: raw) {
                    let date = BodyDate(raw: value, encoding: dates == .ticks ? .ticks : .milliseconds)
                    let shown = date.milliseconds.map { FieldValue.date(milliseconds: $0) } ?? .integer(value)
                    add(look, start, width, shown, date.description)
                } else {
                    add(look, start, width, .unsigned(raw), meaning(unsigned: raw, names))
                }
            }
        case .real(let width, let isLittle):
            guard let raw = integer(width, isLittle: isLittle) else { return false }
            let value =
                width == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw))) : Double(bitPattern: raw)
            add(look, index - width, width, .real(value), value.description)
        case .bits(let count, let isLittle, let names):
            guard let (raw, start) = takeBits(count, isLittle: isLittle) else { return false }
            keep(unsigned: raw, number)
            add(look, start, index - start, .unsigned(raw), meaning(unsigned: raw, names))
        case .flag(let isLittle):
            guard let (raw, start) = takeBits(1, isLittle: isLittle) else { return false }
            keep(Int64(raw), number)
            add(look, start, index - start, .boolean(raw == 1), raw == 1 ? "true" : "false")
        case .bytes(let ends):
            guard let taken = take(ends) else { return false }
            add(look, taken.content.lowerBound, taken.content.count, .bytes, "")
            return addEnds(look, taken)
        case .text(let ends, let isASCII):
            guard let taken = take(ends) else { return false }
            let content = UnsafeRawBufferPointer(rebasing: bytes[taken.content])
            if isASCII, content.contains(where: { $0 >= 0x80 }) { return false }
            slots[steps[number].slot] = Slot(
                value: Int64(taken.content.lowerBound) << 32 | Int64(taken.content.count),
                isSet: taken.content.upperBound < 1 << 31
            )
            let text = String(decoding: content, as: UTF8.self)
            add(look, taken.content.lowerBound, taken.content.count, .text(text), "")
            return addEnds(look, taken)
        case .contents(let wanted):
            bits.align()
            guard wanted.count <= end - index, bytes[index..<index + wanted.count].elementsEqual(wanted) else {
                return false
            }
            add(look, index, wanted.count, .bytes, "")
            index += wanted.count
        case .block(let inner):
            valueCount += 1
            return run(inner)
        case .room(let extent, let inner):
            valueCount += 1
            bits.align()
            guard let size = size(extent) else { return false }
            let outer = end
            end = index + size
            guard run(inner), index == end else { return false }
            bits.align()
            end = outer
        case .loop(let loop, let body, let own): return run(loop, body, own)
        case .choice(let on, let cases, let otherwise):
            guard let value = evaluate(on) else { return false }
            for item in cases where item.value == value { return run(item.steps) }
            if let otherwise { return run(otherwise) }
        }
        return true
    }

    private mutating func run(_ loop: SequencePlan.Loop, _ body: Range<Int>, _ own: Range<Int>) -> Bool {
        var count = Int.max
        if case .count(let expression) = loop {
            guard let value = evaluate(expression) else { return false }
            count = max(Int(clamping: value), 0)
        }
        element = 0
        while element < count {
            if case .toEnd = loop, index >= end, bits.count == 0 { break }
            let before = (index, bits.count)
            for slot in own { slots[slot].isSet = false }
            guard run(body), valueCount <= maximumValues, before != (index, bits.count) else { return false }
            if case .until(let condition) = loop {
                guard let isLast = evaluate(condition) else { return false }
                if isLast != 0 { break }
            }
            element += 1
        }
        return true
    }

    // MARK: - bytes

    private mutating func integer(_ width: Int, isLittle: Bool) -> UInt64? {
        bits.align()
        guard width <= end - index else { return nil }
        var value: UInt64 = 0
        if isLittle {
            var shift: UInt64 = 0
            for position in index..<index + width {
                value |= UInt64(bytes[position]) &<< shift
                shift &+= 8
            }
        } else {
            for position in index..<index + width { value = value &<< 8 | UInt64(bytes[position]) }
        }
        index += width
        return value
    }

    /// As ``ByteStream/takeBits(_:isLittle:)``, with the index of the first byte that no field before it has.
    private mutating func takeBits(_ count: Int, isLittle: Bool) -> (value: UInt64, start: Int)? {
        guard bits.prepare(count, isLittle: isLittle) <= end - index else { return nil }
        let start = index
        return (bits.take(count, of: bytes, at: &index), start)
    }

    private struct Taken {
        var content: Range<Int>
        var terminator: Range<Int>
        var raw: Range<Int>
    }

    private func size(_ extent: SequencePlan.Extent) -> Int? {
        switch extent {
        case .size(let expression):
            guard let value = evaluate(expression), value >= 0, value <= Int64(end - index) else { return nil }
            return Int(value)
        case .toEnd: return end - index
        case .terminated: return nil
        }
    }

    /// As ``Interpreter`` takes bytes.
    private mutating func take(_ ends: SequencePlan.Ends) -> Taken? {
        bits.align()
        let start = index
        if case .terminated = ends.extent {
            guard let terminator = ends.terminator,
                let found = bytes[start..<end].firstIndex(of: terminator)
            else { return nil }
            index = found + 1
            let content = start..<(ends.includesTerminator ? index : found)
            return Taken(content: content, terminator: found..<index, raw: start..<index)
        }
        guard let size = size(ends.extent) else { return nil }
        index += size
        var content = start..<index
        if let padding = ends.padding, ends.terminator != padding {
            while !content.isEmpty, bytes[content.upperBound - 1] == padding {
                content = start..<content.upperBound - 1
            }
        }
        var terminator = content.upperBound..<content.upperBound
        if let byte = ends.terminator, let found = bytes[content].firstIndex(of: byte) {
            terminator = found..<found + 1
            content = start..<(ends.includesTerminator ? found + 1 : found)
        }
        return Taken(content: content, terminator: terminator, raw: start..<index)
    }

    private mutating func addEnds(_ look: Int, _ taken: Taken) -> Bool {
        let used = taken.content.upperBound
        let end = max(taken.terminator.upperBound, used)
        if end > used { addEnd(look, ".terminator", used..<end, "what ends it") }
        if end < taken.raw.upperBound {
            let rest = end..<taken.raw.upperBound
            addEnd(look, ".padding", rest, BodyWords.bytes(rest.count) + " behind its end")
        }
        return true
    }

    // MARK: - fields

    private mutating func keep(_ value: Int64, _ number: Int) {
        slots[steps[number].slot] = Slot(value: value, isSet: true)
    }

    private mutating func keep(unsigned value: UInt64, _ number: Int) {
        slots[steps[number].slot] = Slot(value: Int64(bitPattern: value), isSet: value < 1 << 63)
    }

    private func meaning(_ value: Int64, _ names: Int?) -> String {
        guard let names else { return BodyWords.number(value) }
        return shared.plan.meanings[names].meaning(value)
    }

    private func meaning(unsigned value: UInt64, _ names: Int?) -> String {
        if let signed = Int64(exactly: value) { return meaning(signed, names) }
        guard let names else { return String(value) }
        return FieldBuilder.meaning(of: WideInteger(value), shared.plan.meanings[names].names)
    }

    private mutating func add(_ look: Int, _ start: Int, _ length: Int, _ value: FieldValue, _ meaning: String) {
        valueCount += 1
        fields.append(
            Field(
                name: looks[look].name.text(element),
                label: looks[look].label.text(element),
                offset: offset + start,
                length: length,
                value: value,
                meaning: meaning,
                isSecret: looks[look].isSecret,
                depth: depth + looks[look].depth
            )
        )
    }

    private mutating func addEnd(_ look: Int, _ suffix: String, _ range: Range<Int>, _ meaning: String) {
        fields.append(
            Field(
                name: looks[look].name.text(element) + suffix,
                label: "",
                offset: offset + range.lowerBound,
                length: range.count,
                value: .bytes,
                meaning: meaning,
                isSecret: looks[look].isSecret,
                depth: depth + looks[look].depth
            )
        )
    }

    /// Adds the instances.
    private mutating func compute() -> Bool {
        for computed in shared.plan.computed {
            if let condition = computed.condition {
                guard let holds = evaluate(condition) else { return false }
                if holds == 0 {
                    valueCount += 1
                    continue
                }
            }
            guard let value = evaluate(computed.value) else { return false }
            if let check = computed.check, !holds(check, Slot(value: value, isSet: true)) { return false }
            if computed.isBoolean {
                add(computed.look, index, 0, .boolean(value != 0), value != 0 ? "true" : "false")
            } else {
                add(computed.look, index, 0, .integer(value), meaning(value, computed.names))
            }
        }
        return true
    }

    // MARK: - expressions

    private func holds(_ check: SequencePlan.Check, _ slot: Slot) -> Bool {
        guard slot.isSet else { return false }
        switch check {
        case .equal(let wanted): return evaluate(wanted) == slot.value
        case .range(let least, let most):
            if let least {
                guard let least = evaluate(least), slot.value >= least else { return false }
            }
            if let most {
                guard let most = evaluate(most), slot.value <= most else { return false }
            }
            return true
        case .anyOf(let wanted): return wanted.contains { evaluate($0) == slot.value }
        case .inEnum(let names): return shared.plan.meanings[names].known(slot.value) != nil
        case .holds(let condition): return evaluate(condition) == 1
        }
    }

    /// - Returns: `nil` if it has no value, or none that fits.
    private func evaluate(_ number: SequencePlan.Number) -> Int64? {
        switch number {
        case .constant(let value): return value
        case .slot(let index): return slots[index].isSet ? slots[index].value : nil
        case .index: return Int64(element)
        case .position: return Int64(index)
        case .size: return Int64(bytes.count)
        case .isAtEnd: return index >= end && bits.count == 0 ? 1 : 0
        case .isText(let index, let wanted):
            guard slots[index].isSet else { return nil }
            let start = Int(slots[index].value >> 32)
            let count = Int(slots[index].value & 0x7FFF_FFFF)
            return bytes[start..<start + count].elementsEqual(wanted) ? 1 : 0
        case .unary(let operation, let inner):
            guard let value = evaluate(inner) else { return nil }
            switch operation {
            case .minus: return WideInteger(value).negated?.signed
            case .invert: return ~value
            case .not: return value == 0 ? 1 : 0
            }
        case .binary(.and, let left, let right): return evaluate(left).flatMap { $0 == 0 ? 0 : evaluate(right) }
        case .binary(.or, let left, let right): return evaluate(left).flatMap { $0 != 0 ? 1 : evaluate(right) }
        case .binary(let operation, let left, let right):
            guard let a = evaluate(left), let b = evaluate(right) else { return nil }
            return Self.binary(operation, a, b)
        case .conditional(let condition, let yes, let no):
            return evaluate(condition).flatMap { evaluate($0 != 0 ? yes : no) }
        }
    }

    private static func binary(_ operation: BinaryOperator, _ a: Int64, _ b: Int64) -> Int64? {
        func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
            result.overflow ? nil : result.partialValue
        }
        switch operation {
        case .add: return checked(a.addingReportingOverflow(b))
        case .subtract: return checked(a.subtractingReportingOverflow(b))
        case .multiply: return checked(a.multipliedReportingOverflow(by: b))
        case .divide: return WideInteger(a).divided(by: WideInteger(b))?.signed
        case .modulo: return WideInteger(a).modulo(WideInteger(b))?.signed
        case .shiftLeft: return WideInteger(a).shiftedLeft(by: WideInteger(b))?.signed
        case .shiftRight: return WideInteger(a).shiftedRight(by: WideInteger(b))?.signed
        case .bitAnd: return a & b
        case .bitOr: return a | b
        case .bitXor: return a ^ b
        case .equal: return a == b ? 1 : 0
        case .notEqual: return a != b ? 1 : 0
        case .less: return a < b ? 1 : 0
        case .lessOrEqual: return a <= b ? 1 : 0
        case .greater: return a > b ? 1 : 0
        case .greaterOrEqual: return a >= b ? 1 : 0
        // What is asked before the other side is known.
        case .and: return a != 0 && b != 0 ? 1 : 0
        case .or: return a != 0 || b != 0 ? 1 : 0
        }
    }
}
