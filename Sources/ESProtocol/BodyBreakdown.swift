/// Follows a plan through the bytes of a body and notes each as a field. Lenient: what fits is shown, what does not is said.
struct BodyBreakdown {
    let nodes: [BodyPlan.Node]
    /// Where the body starts in the message.
    let bodyOffset: Int
    /// Bytes of the body that are there, from its start.
    let there: Int
    let maximumFields: Int

    private(set) var fields: [Field] = []
    private var position = 0
    /// Nothing contradicted the plan.
    private(set) var isExact = true
    /// The bytes ended before the body did.
    private(set) var isCut = false
    private var isStopped = false
    /// Why it was stopped.
    private var reason = ""

    init(_ plan: BodyPlan, bodyOffset: Int, there: Int, maximumFields: Int) {
        nodes = plan.nodes
        self.bodyOffset = bodyOffset
        self.there = there
        self.maximumFields = maximumFields
        fields.reserveCapacity(16)
    }

    /// Goes through the body.
    /// - Parameter declared: Bytes that it should have; at least as many as are there.
    mutating func run(declared: Int, _ body: RawSpan) {
        visit(0, end: declared, place: Place(), label: nodes[0].kind == .object ? "Length" : "Count", depth: 1, body)
        if !isStopped, position < declared {
            isExact = false
            reason = BodyWords.bytes(declared - position) + " more than the body should have"
        }
        addRest("es.body.rest", to: there, depth: 1)
        position = there
    }

    private mutating func add(
        _ name: consuming String,
        _ label: consuming String,
        at offset: Int,
        _ length: Int,
        _ value: consuming FieldValue,
        _ meaning: consuming String,
        isSecret: Bool = false,
        depth: Int
    ) {
        fields.append(
            Field(
                name: name,
                label: label,
                offset: bodyOffset + offset,
                length: length,
                value: value,
                meaning: meaning,
                isSecret: isSecret,
                depth: depth
            )
        )
    }

    /// What is left up to `end` and belongs to nothing.
    private mutating func addRest(_ name: String, to end: Int, depth: Int) {
        let end = min(end, there)
        guard position < end else { return }
        // In a body that holds a secret somewhere, these bytes may be it.
        let isSecret = nodes.contains { $0.isSecret }
        add(name, "", at: position, end - position, .bytes, reason, isSecret: isSecret, depth: depth)
        position = end
    }

    private mutating func stop(_ reason: String) {
        isExact = false
        isStopped = true
        self.reason = reason
    }

    /// Takes the bytes of a value. If they are cut, what is there becomes a field; if there is no room for them, it is said.
    private mutating func take(
        _ count: Int,
        end: Int,
        _ name: String,
        _ label: String,
        depth: Int
    ) -> Int? {
        guard count <= end - position else {
            let left = max(end - position, 0)
            stop(
                "\(label.isEmpty ? name : label) needs \(count) byte\(count == 1 ? "" : "s"), \(BodyWords.left(left))"
            )
            return nil
        }
        guard count <= there - position else {
            let part = there - position
            if part > 0 {
                add(name, label, at: position, part, .bytes, BodyWords.firstBytes(part, of: count), depth: depth)
            }
            position = there
            isCut = true
            isStopped = true
            return nil
        }
        defer { position += count }
        return position
    }

    /// What stands before the names of fields: nothing, or the name of the element that they are in.
    private struct Place {
        var name = ""
        /// `name.length`, if it was made before.
        var lengthName: String?
    }

    private func fullName(_ place: Place, _ name: String) -> String {
        if place.name.isEmpty { return name }
        return name.isEmpty ? place.name : place.name + name
    }

    private func lengthName(_ place: Place, _ index: Int) -> String {
        if place.name.isEmpty { return nodes[index].lengthName }
        if nodes[index].name.isEmpty, let ready = place.lengthName { return ready }
        return place.name + nodes[index].lengthName
    }

    private mutating func visit(
        _ index: Int,
        end: Int,
        place: Place,
        label: String,
        depth: Int,
        _ body: RawSpan
    ) {
        switch nodes[index].kind {
        case .string, .bytes: visitBytes(index, end: end, place: place, label: label, depth: depth, body)
        case .object: visitObject(index, end: end, place: place, label: label, depth: depth, body)
        case .list, .dictionary: visitList(index, end: end, place: place, label: label, depth: depth, body)
        case .rest:
            let count = min(end, there) - position
            let isText = nodes[index].isAlternative
            add(
                fullName(place, nodes[index].name),
                label,
                at: position,
                count,
                isText ? .text(String(utf8In: body, position..<position + count)) : .bytes,
                count < end - position ? BodyWords.firstBytes(count, of: end - position) : "",
                isSecret: nodes[index].isSecret,
                depth: depth
            )
            if count < end - position {
                isCut = true
                isStopped = true
            }
            position += count
        default: visitFixed(index, end: end, place: place, label: label, depth: depth, body)
        }
    }

    private mutating func visitFixed(
        _ index: Int,
        end: Int,
        place: Place,
        label: String,
        depth: Int,
        _ body: RawSpan
    ) {
        let size = nodes[index].size
        let name = fullName(place, nodes[index].name)
        guard let offset = take(size, end: end, name, label, depth: depth) else { return }
        let value: FieldValue
        let meaning: String
        switch nodes[index].kind {
        case .boolean:
            let byte = body.byte(at: offset)
            value = .boolean(byte != 0)
            meaning = byte == 0 ? "false" : byte == 1 ? "true" : "\(byte), neither false nor true"
            if byte > 1 { isExact = false }
        case .unsigned:
            let number = body.unsigned(at: offset, size)
            value = .unsigned(number)
            meaning = number <= UInt64(Int64.max) ? BodyWords.number(Int64(number)) : String(number)
        case .character:
            let unit = UInt16(truncatingIfNeeded: body.unsigned(at: offset, 2))
            value = .unsigned(UInt64(unit))
            meaning = String(decoding: CollectionOfOne(unit), as: UTF16.self)
        case .float:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: body.unsigned(at: offset, 4)))
            value = .real(Double(number))
            meaning = "\(number)"
        case .double:
            let number = Double(bitPattern: body.unsigned(at: offset, 8))
            value = .real(number)
            meaning = "\(number)"
        case .date:
            let encoding: BodyDate.Encoding = nodes[index].isAlternative ? .milliseconds : .ticks
            let date = BodyDate(raw: body.signed(at: offset, 8), encoding: encoding)
            value = date.milliseconds.map { .date(milliseconds: $0) } ?? .integer(date.raw)
            meaning = date.description
            if !date.isPlausible { isExact = false }
        default:
            let number = body.signed(at: offset, size)
            value = .integer(number)
            meaning = nodes[index].enumeration?.meaning(of: number) ?? BodyWords.number(number)
        }
        add(name, label, at: offset, size, value, meaning, isSecret: nodes[index].isSecret, depth: depth)
    }

    private mutating func visitBytes(
        _ index: Int,
        end: Int,
        place: Place,
        label: String,
        depth: Int,
        _ body: RawSpan
    ) {
        let lengthName = self.lengthName(place, index)
        guard let offset = take(4, end: end, lengthName, label, depth: depth) else { return }
        let says = Int(body.int32(at: offset))
        guard says >= -1, says <= end - position else {
            addMisfit(lengthName, label, at: offset, says, left: end - position, depth: depth)
            return
        }
        let isText = nodes[index].kind == .string
        let lengthMeaning =
            says > 0
            ? BodyWords.bytes(says) : says < 0 ? "-1 = null" : isText ? "0 bytes: \"\"" : "0 bytes"
        add(lengthName, label, at: offset, 4, .integer(Int64(says)), lengthMeaning, depth: depth)

        if says > 0, !nodes[index].contents.isEmpty, says <= there - position,
            visitContent(index, count: says, end: end, place: place, depth: depth, body)
        {
            return
        }
        let count = min(max(says, 0), there - position)
        let name = fullName(place, nodes[index].name)
        var meaning = ""
        var value = FieldValue.none
        if says >= 0 {
            if isText {
                value = .text(String(utf8In: body, position..<position + count))
            } else {
                value = .bytes
            }
        }
        if count < says { meaning = BodyWords.firstBytes(count, of: says) }
        if count > 0 || says <= 0 {
            add(name, "", at: position, count, value, meaning, isSecret: nodes[index].isSecret, depth: depth)
        }
        position += count
        if count < says {
            isCut = true
            isStopped = true
        }
    }

    /// The contents of bytes by the first of its forms whose conditions hold.
    /// - Returns: False if none does, or the bytes do not have that form; nothing has been noted then.
    private mutating func visitContent(
        _ index: Int,
        count: Int,
        end: Int,
        place: Place,
        depth: Int,
        _ body: RawSpan
    ) -> Bool {
        let contentEnd = position + count
        guard
            let content = nodes[index].contents.first(where: { content in
                content.conditions.allSatisfy {
                    number(of: $0.node, behind: index, from: contentEnd, end: min(end, there), body) == $0.value
                }
            })
        else { return false }
        let saved = (fields.count, position, isExact)
        let isRaw = nodes[content.node].kind == .rest
        visit(
            content.node,
            end: contentEnd,
            place: place,
            label: isRaw ? "" : "Content",
            depth: isRaw ? depth : depth + 1,
            body
        )
        if isExact, !isStopped, position == contentEnd { return true }
        fields.removeSubrange(saved.0...)
        position = saved.1
        isExact = saved.2 && !content.isRequired
        isStopped = false
        if content.isRequired {
            let says = fields[fields.count - 1].meaning
            fields[fields.count - 1].meaning = says + ", not of the form that stands there: " + reason
        }
        return false
    }

    /// The number in a later property, if all between can be stepped over.
    private func number(of node: Int, behind index: Int, from start: Int, end: Int, _ body: RawSpan) -> Int64? {
        guard node > index else { return nil }
        var offset = start
        for sibling in index + 1..<node {
            switch nodes[sibling].kind {
            case .string, .bytes, .object:
                guard offset + 4 <= end else { return nil }
                offset += 4 + max(Int(body.int32(at: offset)), 0)
            case .list, .dictionary, .rest: return nil
            default: offset += nodes[sibling].size
            }
            guard offset <= end else { return nil }
        }
        let size = nodes[node].size
        guard size > 0, offset + size <= end else { return nil }
        return body.signed(at: offset, size)
    }

    /// A length that more than fills what is left.
    private mutating func addMisfit(
        _ name: String,
        _ label: String,
        at offset: Int,
        _ says: Int,
        left: Int,
        depth: Int
    ) {
        let meaning = "says \(says) bytes, \(BodyWords.left(left))"
        add(name, label, at: offset, 4, .integer(Int64(says)), meaning, depth: depth)
        stop("\(label.isEmpty ? name : label) " + meaning)
    }

    private mutating func visitObject(
        _ index: Int,
        end: Int,
        place: Place,
        label: String,
        depth: Int,
        _ body: RawSpan
    ) {
        let lengthName = self.lengthName(place, index)
        guard let offset = take(4, end: end, lengthName, label, depth: depth) else { return }
        let says = Int(body.int32(at: offset))
        let left = end - position
        let isRoot = index == 0
        if says == -1 {
            add(lengthName, label, at: offset, 4, .integer(-1), "-1 = null", depth: depth)
            return
        }
        let isBelieved = says >= 0 && says <= left
        let meaning: String
        if isBelieved, !isRoot || says == left {
            meaning =
                isRoot
                ? BodyWords.objectLength(says) : BodyWords.bytes(says)
        } else {
            meaning = "object says \(says) bytes, \(left) \(left == 1 ? "is" : "are") there"
            isExact = false
        }
        add(lengthName, label, at: offset, 4, .integer(Int64(says)), meaning, depth: depth)
        guard says >= 0 else { return stop(meaning) }
        let objectEnd = isBelieved ? position + says : end
        let inner = isRoot ? depth : depth + 1
        for child in nodes[index].children {
            visit(child, end: objectEnd, place: place, label: nodes[child].label, depth: inner, body)
            if isStopped { break }
        }
        if isStopped {
            // The bytes ended; or the object's own end is not to be trusted either; or there are too many fields.
            guard isBelieved, !isRoot, !isCut, fields.count < maximumFields else { return }
            isStopped = false
        } else if position < objectEnd {
            isExact = false
            let more = objectEnd - position
            reason = BodyWords.bytes(more) + " more than its properties take"
        } else {
            return
        }
        addRest(fullName(place, nodes[index].name) + ".rest", to: objectEnd, depth: inner)
        if position < objectEnd {
            isCut = true
            isStopped = true
        }
    }

    private mutating func visitList(
        _ index: Int,
        end: Int,
        place: Place,
        label: String,
        depth: Int,
        _ body: RawSpan
    ) {
        let lengthName = self.lengthName(place, index)
        guard let offset = take(4, end: end, lengthName, label, depth: depth) else { return }
        let says = Int(body.int32(at: offset))
        let left = end - position
        guard says >= -1, says <= left / nodes[index].elementSize else {
            let meaning = "says \(says) elements, \(left) byte\(left == 1 ? " is" : "s are") left"
            add(lengthName, label, at: offset, 4, .integer(Int64(says)), meaning, depth: depth)
            return stop("\(label.isEmpty ? lengthName : label) " + meaning)
        }
        let meaning = says < 0 ? "-1 = null" : BodyWords.elements(says)
        add(lengthName, label, at: offset, 4, .integer(Int64(says)), meaning, depth: depth)
        let name = fullName(place, nodes[index].name)
        let children = nodes[index].children
        for element in 0..<max(says, 0) {
            guard fields.count < maximumFields else {
                isStopped = true
                reason = "\(says - element) more elements, not shown one by one"
                return
            }
            let number = BodyWords.index(element)
            let isReady = place.name.isEmpty && element < BodyPlan.readyElements
            let inner =
                isReady
                ? Place(name: nodes[index].elementNames[element], lengthName: nodes[index].elementLengthNames[element])
                : Place(name: name + number)
            if children.count == 1 {
                visit(children.lowerBound, end: end, place: inner, label: number, depth: depth + 1, body)
            } else {
                for child in children where !isStopped {
                    let label = number + "." + nodes[child].label
                    visit(child, end: end, place: inner, label: label, depth: depth + 1, body)
                }
            }
            if isStopped { return }
        }
    }
}

/// UTF-8 without control characters other than tab, line feed and carriage return.
func isText(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    var isASCII = true
    for offset in range {
        let byte = bytes.byte(at: offset)
        if byte < 32 && byte != 9 && byte != 10 && byte != 13 || byte == 127 { return false }
        if byte >= 128 { isASCII = false }
    }
    if isASCII { return true }
    return bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self).isDecoded(from: $0) }
}
