import ESProtocol

/// Makes the fields of a body from what an interpreter read: every byte in exactly one, in order.
///
/// A byte belongs to the field of `seq` that was read from it; what only instances look at belongs to the first of them.
/// Values without bytes of their own (computed, read again, unpacked) are fields of no length, behind the bytes that they
/// come from.
struct FieldBuilder {
    private let interpreter: Interpreter
    /// Where the bytes start in the message.
    private let offset: Int
    /// Bytes that are there.
    private let count: Int
    private let rootName: String
    private let rootDepth: Int
    private let maximumFields: Int
    private var names: [String?]

    /// A field and where it is to stand.
    private struct Item {
        var offset: Int
        var length: Int
        /// Of those at the same place the earlier comes first; fields of no length come before others.
        var order: Int
        var field: Field
    }

    init(_ interpreter: Interpreter, offset: Int, count: Int, name: String, depth: Int, maximumFields: Int) {
        self.interpreter = interpreter
        self.offset = offset
        self.count = count
        rootName = name
        rootDepth = depth
        self.maximumFields = maximumFields
        names = [String?](repeating: nil, count: interpreter.objects.count)
    }

    // MARK: - names

    private mutating func name(of object: Int) -> String {
        if let name = names[object] { return name }
        var name = rootName
        if let holder = interpreter.objects[object].holder {
            name = self.name(
                of: holder,
                slot: interpreter.objects[object].holderSlot,
                element: interpreter.objects[object].element
            )
        }
        names[object] = name
        return name
    }

    private mutating func name(of object: Int, slot: Int, element: Int?) -> String {
        var name = self.name(of: object)
        let own = self.slot(object, slot).fieldName
        if !own.isEmpty { name += "." + own }
        if let element { name += "[\(element)]" }
        return name
    }

    private func slot(_ object: Int, _ slot: Int) -> DescribedSlot {
        interpreter.program.types[interpreter.objects[object].type].slots[slot]
    }

    private func label(_ object: Int, _ slot: Int, _ element: Int?) -> String {
        let described = self.slot(object, slot)
        // Such as a length and a text, of which the text is what is meant: the length stands for its row.
        if interpreter.program.types[interpreter.objects[object].type].isSingleValue,
            let holder = interpreter.objects[object].holder
        {
            if described.fieldName.isEmpty { return element.map { "[\($0)]" } ?? "" }
            return label(holder, interpreter.objects[object].holderSlot, interpreter.objects[object].element)
        }
        let own = described.label + (element.map { "[\($0)]" } ?? "")
        guard let index = interpreter.objects[object].element else { return own }
        return own.isEmpty ? "" : "[\(index)].\(own)"
    }

    private func isPlaced(_ object: Int) -> Bool {
        var object = object
        while let holder = interpreter.objects[object].holder {
            if interpreter.program.types[interpreter.objects[holder].type].instances.contains(
                interpreter.objects[object].holderSlot
            ) {
                return true
            }
            object = holder
        }
        return false
    }

    // MARK: - fields

    /// - Parameter reason: why what is left was not read; empty if nothing is wrong.
    /// - Returns: the fields, and whether they cover every byte without anything left over.
    mutating func fields(reason: String) -> (fields: [Field], isComplete: Bool) {
        var claims = Claims()
        var items: [Item] = []
        var others: [Int] = []
        items.reserveCapacity(interpreter.leaves.count + 1)
        for (index, leaf) in interpreter.leaves.enumerated() {
            let isPlaced =
                interpreter.program.types[interpreter.objects[leaf.object].type].instances.contains(leaf.slot)
                || self.isPlaced(leaf.object)
            if isPlaced || leaf.isMade { others.append(index) } else { add(index, &claims, &items) }
        }
        for index in others { add(index, &claims, &items) }
        addComputed(&items)
        items.sort { ($0.offset, $0.length == 0 ? 0 : 1, $0.order) < ($1.offset, $1.length == 0 ? 0 : 1, $1.order) }
        return assemble(items, reason: reason)
    }

    private mutating func add(_ index: Int, _ claims: inout Claims, _ items: inout [Item]) {
        let leaf = interpreter.leaves[index]
        var range = leaf.range
        if leaf.isMade || range.isEmpty {
            range = range.lowerBound..<range.lowerBound
        } else if leaf.kind == .bits {
            // A byte belongs to the first number in it.
            let free = claims.claim(bits: range)
            range = free.isEmpty ? range.upperBound..<range.upperBound : free
        } else if !claims.claim(range) {
            // Its bytes have a name already.
            range = range.upperBound..<range.upperBound
        }
        if leaf.kind == .terminator || leaf.kind == .padding, range.isEmpty { return }
        if case .object = leaf.value, range.isEmpty { return }
        items.append(Item(offset: range.lowerBound, length: range.count, order: index, field: field(leaf, range)))
    }

    private mutating func field(_ leaf: Interpreter.Leaf, _ range: Range<Int>) -> Field {
        var field = Field(
            name: name(of: leaf.object, slot: leaf.slot, element: leaf.element),
            label: label(leaf.object, leaf.slot, leaf.element),
            offset: offset + range.lowerBound,
            length: range.count,
            value: .bytes,
            isSecret: interpreter.isSecret(leaf.object, leaf.slot, leaf.value),
            depth: rootDepth + interpreter.objects[leaf.object].depth
        )
        switch leaf.kind {
        case .terminator:
            field.name += ".terminator"
            field.label = ""
            field.meaning = "what ends it"
            return field
        case .padding:
            field.name += ".padding"
            field.label = ""
            field.meaning = BodyWords.bytes(range.count) + " behind its end"
            return field
        case .processed:
            // What is in it can be found from its bytes.
            let types = slot(leaf.object, leaf.slot).content.objectTypes
            if types.contains(where: { interpreter.program.types[$0].holdsSecrets }) { field.isSecret = true }
            if case .bytes(let bytes) = leaf.value { field.meaning = "holds \(BodyWords.bytes(bytes.count))" }
            if case .text(let text) = leaf.value {
                field.value = .text(text)
                field.isTextDecoded = true
            }
            return field
        case .value, .bits: break
        }
        set(leaf.value, of: &field, isSigned: leaf.isSigned, dates: dates(leaf))
        if case .text = leaf.value {
            field.isTextDecoded = !leaf.isUTF8 || leaf.isMade || range.isEmpty && !leaf.range.isEmpty
        }
        if case .bytes(let bytes) = leaf.value, range.isEmpty, !bytes.isEmpty {
            field.meaning = interpreter.hex(bytes)
        }
        return field
    }

    private func dates(_ leaf: Interpreter.Leaf) -> DateEncoding? {
        switch slot(leaf.object, leaf.slot).content {
        case .field(let field), .placed(let field, _, _): field.dates
        case .parameter, .computed: nil
        }
    }

    private func set(_ value: Value, of field: inout Field, isSigned: Bool, dates: DateEncoding? = nil) {
        switch value {
        case .integer(let number):
            if let dates, let raw = number.signed {
                let date = BodyDate(raw: raw, encoding: dates == .ticks ? .ticks : .milliseconds)
                field.value = date.milliseconds.map { .date(milliseconds: $0) } ?? .integer(raw)
                field.meaning = date.description
                return
            }
            field.value = Self.number(number, isSigned: isSigned)
            field.meaning = meaning(of: value)
        case .enumeration(_, let number):
            field.value = Self.number(number, isSigned: isSigned)
            field.meaning = meaning(of: value)
        case .real(let number):
            field.value = .real(number)
            field.meaning = "\(number)"
        case .boolean(let flag):
            field.value = .boolean(flag)
            field.meaning = flag ? "true" : "false"
        case .text(let text): field.value = .text(text)
        case .bytes: field.value = .bytes
        case .null, .array, .object, .stream, .unset, .computing: field.value = .none
        }
    }

    private static func number(_ number: WideInteger, isSigned: Bool) -> FieldValue {
        if isSigned, let signed = number.signed { return .integer(signed) }
        return number.isNegative ? .integer(Int64(bitPattern: number.bits)) : .unsigned(number.bits)
    }

    private func meaning(of value: Value) -> String {
        switch value {
        case .integer(let number): number.signed.map { BodyWords.number($0) } ?? number.description
        case .enumeration(let index, let number): Self.meaning(of: number, interpreter.program.enums[index])
        default: interpreter.shown(value)
        }
    }

    static func meaning(of number: WideInteger, _ names: DescribedEnum) -> String {
        if let name = names.originalNames[number] ?? names.labels[number] { return "\(number) = \(name)" }
        return "\(number) is not a known \(names.name)"
    }

    /// Instances with `value`, at the end of their objects.
    private mutating func addComputed(_ items: inout [Item]) {
        var order = interpreter.leaves.count
        for object in interpreter.objects.indices {
            let described = interpreter.program.types[interpreter.objects[object].type]
            for index in described.instances {
                guard case .computed = described.slots[index].content else { continue }
                let value = interpreter.objects[object].values[index]
                let elements: [(Int?, Value)]
                if case .array(let values) = value {
                    elements = values.prefix(maximumFields).enumerated().map { ($0, $1) }
                } else {
                    elements = [(nil, value)]
                }
                for (element, value) in elements where items.count < maximumFields {
                    switch value {
                    case .null, .array, .object, .stream, .unset, .computing: continue
                    default: break
                    }
                    var field = Field(
                        name: name(of: object, slot: index, element: element),
                        label: label(object, index, element),
                        offset: 0,
                        length: 0,
                        value: .none,
                        isSecret: interpreter.isSecret(object, index, value),
                        depth: rootDepth + interpreter.objects[object].depth
                    )
                    set(value, of: &field, isSigned: true)
                    if case .text = value { field.isTextDecoded = true }
                    if case .bytes(let bytes) = value { field.meaning = interpreter.hex(bytes) }
                    items.append(
                        Item(offset: min(interpreter.end(of: object), count), length: 0, order: order, field: field)
                    )
                    order += 1
                }
            }
        }
    }

    /// Puts fields in a row, and names what lies between them.
    private mutating func assemble(_ items: [Item], reason: String) -> (fields: [Field], isComplete: Bool) {
        var fields: [Field] = []
        fields.reserveCapacity(items.count + 1)
        var covered = 0
        var isComplete = true
        var waiting: [Item] = []
        func place(_ item: Item) {
            var field = item.field
            field.offset = offset + max(item.offset, covered)
            fields.append(field)
            covered = max(item.offset + item.length, covered)
        }
        for item in items {
            guard fields.count < maximumFields else { break }
            if item.length == 0 {
                // One inside bytes that belong to another stands behind them.
                if item.offset <= covered { place(item) } else { waiting.append(item) }
                continue
            }
            if item.offset > covered {
                addRest(covered..<item.offset, "", &fields)
                isComplete = false
                covered = item.offset
            }
            for early in waiting { place(early) }
            waiting.removeAll()
            place(item)
        }
        if covered < count {
            addRest(covered..<count, reason, &fields)
            isComplete = false
            covered = count
        }
        for late in waiting where fields.count < maximumFields { place(late) }
        return (fields, isComplete)
    }

    /// Bytes that no field was read from, named after the innermost object whose room they are in.
    private mutating func addRest(_ range: Range<Int>, _ reason: String, _ fields: inout [Field]) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = range.upperBound
            var name = rootName
            var innermost = Int.max
            var isSecret = interpreter.program.types.contains { $0.holdsSecrets }
            for region in interpreter.regions {
                if region.range.contains(start) {
                    guard region.range.count <= innermost else { continue }
                    innermost = region.range.count
                    name = self.name(of: region.object)
                    end = min(range.upperBound, region.range.upperBound)
                    isSecret = isSecret || interpreter.objects[region.object].isSecret
                } else if region.range.lowerBound > start {
                    end = min(end, region.range.lowerBound)
                }
            }
            fields.append(
                Field(
                    name: name + ".rest",
                    label: "",
                    offset: offset + start,
                    length: end - start,
                    value: .bytes,
                    meaning: reason.isEmpty ? BodyWords.bytes(end - start) + " that no field describes" : reason,
                    isSecret: isSecret && !reason.isEmpty,
                    depth: rootDepth
                )
            )
            start = end
        }
    }
}

/// Which bytes have a field already.
private struct Claims {
    private var ranges: [Range<Int>] = []
    /// - Returns: whether all of the bytes were free.
    mutating func claim(_ range: Range<Int>) -> Bool {
        let at = position(of: range)
        if at > 0, ranges[at - 1].upperBound > range.lowerBound { return false }
        if at < ranges.count, ranges[at].lowerBound < range.upperBound { return false }
        ranges.insert(range, at: at)
        return true
    }

    /// - Returns: the bytes behind those that the field before shares.
    mutating func claim(bits range: Range<Int>) -> Range<Int> {
        let at = position(of: range)
        let start = at > 0 ? max(range.lowerBound, min(ranges[at - 1].upperBound, range.upperBound)) : range.lowerBound
        let free = start..<range.upperBound
        return !free.isEmpty && claim(free) ? free : range.upperBound..<range.upperBound
    }

    /// The first range that begins behind the start of another.
    private func position(of range: Range<Int>) -> Int {
        if let last = ranges.last, last.lowerBound <= range.lowerBound { return ranges.count }
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].lowerBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
