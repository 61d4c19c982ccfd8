/// Makes the tree of all values, computing the instances that nothing has asked for yet.
struct TreeBuilder {
    let interpreter: Interpreter
    private(set) var errors: [DescribedError] = []
    /// Objects on the way to the one that is looked at: a value may lead back to one of them.
    private var path: [Int] = []
    private var nodeCount = 0
    private static let maximumErrors = 100
    private let showsSecrets: Bool

    init(_ interpreter: Interpreter, showsSecrets: Bool) {
        self.interpreter = interpreter
        self.showsSecrets = showsSecrets
    }

    mutating func tree(of object: Int) -> DescribedValue { value(.object(object)) }

    private mutating func note(_ error: DataError) {
        if errors.count < Self.maximumErrors { errors.append(DescribedError(error)) }
    }

    private mutating func value(_ value: Value) -> DescribedValue {
        nodeCount += 1
        // Objects may be reached in several ways; their values are counted each time.
        let maximum = interpreter.limits.values
        guard nodeCount <= maximum else {
            if nodeCount == maximum + 1 { note(DataError(.limit, "more than \(maximum) values to show")) }
            return .null
        }
        switch value {
        case .null, .unset, .computing, .stream: return .null
        case .integer(let number): return number.signed.map { .integer($0) } ?? .unsigned(number.bits)
        case .real(let number): return .real(number)
        case .boolean(let flag): return .boolean(flag)
        case .text(let text): return .text(text)
        case .bytes(let bytes): return .bytes(Array(bytes))
        case .enumeration(let index, let number):
            return .enumeration(name: interpreter.program.enums[index].labels[number], DescribedNumber(number: number))
        case .array(let items):
            var values: [DescribedValue] = []
            for item in items { values.append(self.value(item)) }
            return .array(values)
        case .object(let index): return object(index)
        }
    }

    private mutating func object(_ index: Int) -> DescribedValue {
        guard !path.contains(index) else { return .null }
        guard path.count <= interpreter.limits.depth + 1 else {
            var error = DataError(.limit, "nested more than \(interpreter.limits.depth) deep")
            error.path = interpreter.path(of: index)
            note(error)
            return .null
        }
        path.append(index)
        defer { path.removeLast() }
        let type = interpreter.program.types[interpreter.objects[index].type]
        var members: [DescribedMember] = []
        for slot in type.slots.indices {
            if type.instances.contains(slot), case .unset = interpreter.objects[index].values[slot] {
                compute(slot, of: index)
            }
            let value = interpreter.objects[index].values[slot]
            if case .stream = value { continue }
            // What was not reached is left out.
            if case .unset = value { continue }
            let isHidden = !showsSecrets && interpreter.isSecret(index, slot, value)
            members.append(
                DescribedMember(name: type.slots[slot].name, value: isHidden ? hidden(value) : self.value(value))
            )
        }
        return .object(members)
    }

    /// A secret: its text or bytes are hidden, and an object shows what it is made of.
    private mutating func hidden(_ value: Value) -> DescribedValue {
        switch value {
        case .text(let text): .hidden(count: text.utf8.count)
        case .bytes(let bytes): .hidden(count: bytes.count)
        case .array(let items):
            .array(items.map { hidden($0) })
        case .object, .null: self.value(value)
        default: .hidden(count: 0)
        }
    }

    private mutating func compute(_ slot: Int, of object: Int) {
        do throws(DataError) {
            if !interpreter.repeatsItself(slot, of: object) { _ = try interpreter.instance(slot, of: object) }
        } catch {
            note(error)
        }
    }
}

extension Interpreter {
    /// Whether an object that would read an instance is in another of the same type at the same place of the same bytes:
    /// the instance would lead to a third one, and so on. It is then read only if somebody asks for it.
    func repeatsItself(_ slot: Int, of object: Int) -> Bool {
        let type = program.types[objects[object].type]
        // With parameters each of them may be another.
        guard case .placed = type.slots[slot].content, type.parameterCount == 0 else { return false }
        var holder = objects[object].holder
        while let outer = holder {
            if objects[outer].type == objects[object].type, isSamePlace(objects[outer], objects[object]) { return true }
            holder = objects[outer].holder
        }
        return false
    }

    private func isSamePlace(_ a: Object, _ b: Object) -> Bool {
        let (first, second) = (streams[a.stream], streams[b.stream])
        if a.stream == b.stream { return a.start == b.start }
        return first.bodyOffset != nil && second.bodyOffset != nil && first.start == second.start
            && first.end == second.end
            && a.start == b.start
    }
}
