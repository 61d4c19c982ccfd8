/// Looks for the serializer's forms in a body that nothing is known of.
///
/// A guess and no more: the serializer writes no types, so that four zero bytes may be a number, an empty string or an
/// empty list. It is believed only if everything fits to the last byte and at least one text is in it.
struct BodyGuess {
    private enum Item {
        case text(length: Int)
        case null
        case number
        case byte
    }

    private var items: [Item] = []
    private var textCount = 0
    private let isObject: Bool

    /// - Returns: `nil` if a whole body does not look like the serializer's.
    init?(_ body: RawSpan, maximumFields: Int) {
        guard body.byteCount >= 8 else { return nil }
        let first = Int(body.int32(at: 0))
        isObject = first == body.byteCount - 4
        var position = 4
        if isObject {
            while position < body.byteCount {
                guard items.count < maximumFields / 2 else { return nil }
                position += addItem(body, position)
            }
        } else {
            guard first > 0, first <= (body.byteCount - 4) / 4, first <= maximumFields / 2 else { return nil }
            for _ in 0..<first {
                guard position + 4 <= body.byteCount else { return nil }
                let count = Int(body.int32(at: position))
                guard count >= -1, count <= body.byteCount - position - 4 else { return nil }
                guard count <= 0 || isText(body, position + 4..<position + 4 + count) else { return nil }
                items.append(count < 0 ? .null : .text(length: count))
                textCount += count > 0 ? 1 : 0
                position += 4 + max(count, 0)
            }
            guard position == body.byteCount else { return nil }
        }
        guard textCount > 0 else { return nil }
    }

    private mutating func addItem(_ body: RawSpan, _ position: Int) -> Int {
        guard position + 4 <= body.byteCount else {
            items.append(.byte)
            return 1
        }
        let count = Int(body.int32(at: position))
        if count == -1 {
            items.append(.null)
            return 4
        }
        if count > 0, count <= body.byteCount - position - 4,
            isText(body, position + 4..<position + 4 + count)
        {
            items.append(.text(length: count))
            textCount += 1
            return 4 + count
        }
        items.append(.number)
        return 4
    }

    var title: String {
        isObject ? "looks like an object of the serializer, a guess" : "looks like a list of strings, a guess"
    }

    func fields(_ body: RawSpan, bodyOffset: Int) -> [Field] {
        var fields: [Field] = []
        var position = 0
        func add(_ name: String, _ label: String, _ length: Int, _ value: FieldValue, _ meaning: String, depth: Int) {
            fields.append(
                Field(
                    name: name,
                    label: label,
                    offset: bodyOffset + position,
                    length: length,
                    value: value,
                    meaning: meaning,
                    // Nobody knows what it is; a password would look like this.
                    isSecret: false,
                    depth: depth
                )
            )
            position += length
        }
        let first = Int64(body.int32(at: 0))
        add(
            isObject ? "es.body.length" : "es.body.count",
            isObject ? "Length" : "Count",
            4,
            .integer(first),
            isObject
                ? BodyWords.objectLength(Int(first))
                : BodyWords.elements(Int(first)),
            depth: 1
        )
        for (index, item) in items.enumerated() {
            let label = BodyWords.index(index)
            let name = isObject ? "es.body.guess" + label : "es.body" + label
            let depth = isObject ? 1 : 2
            switch item {
            case .text(let length):
                let meaning = length == 0 ? "0 bytes: \"\"" : BodyWords.bytes(length)
                add(name + ".length", label, 4, .integer(Int64(length)), meaning, depth: depth)
                let value = FieldValue.text(String(utf8In: body, position..<position + length))
                add(name, "", length, value, "", depth: depth)
            case .null:
                add(name, label, 4, .integer(-1), isObject ? "-1 = null, or the number" : "-1 = null", depth: depth)
            case .number:
                let number = Int64(body.int32(at: position))
                let meaning = number == 0 ? "0: a number, or something empty" : BodyWords.number(number)
                add(name, label, 4, .integer(number), meaning, depth: depth)
            case .byte:
                let number = body.byte(at: position)
                add(name, label, 1, .unsigned(UInt64(number)), BodyWords.number(Int64(number)), depth: depth)
            }
        }
        return fields
    }
}
