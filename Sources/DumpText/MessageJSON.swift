/// Messages as `esdump --format json` prints them.
package struct MessageJSON: Sendable {
    /// The line that it begins in, from 1.
    package var line: Int
    package var object: JSONValue
    package var direction: Dump.Direction?

    /// Whether a text looks like it.
    static func looksLike(_ input: [UInt8]) -> Bool {
        var start = input.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < input.count, [0x20, 0x09, 0x0A, 0x0D, 0x5B].contains(input[start]) { start += 1 }
        guard start < input.count, input[start] == 0x7B else { return false }
        start += 1
        while start < input.count, [0x20, 0x09, 0x0A, 0x0D].contains(input[start]) { start += 1 }
        return start < input.count && input[start] == 0x22
    }

    /// The messages of a text: objects a line, one object, or an array of them. Events are left out.
    /// - Returns: the messages, and how many events there were.
    package static func messages(_ input: [UInt8]) throws(DumpError) -> (messages: [MessageJSON], events: Int) {
        var reader = JSONReader(input)
        var messages: [MessageJSON] = []
        var events = 0
        for (line, value) in try reader.values() {
            for object in value.elements ?? [value] {
                guard case .object = object else { throw DumpError(line: line, "JSON: not an object") }
                if object["event"] != nil {
                    events += 1
                    continue
                }
                guard object["es"] != nil || object["header_hex"] != nil || object["fields"] != nil else {
                    throw DumpError(line: line, "JSON: an object without es, header_hex or fields is no message")
                }
                let direction = object["direction"]?.text.flatMap(Dump.Direction.init)
                messages.append(MessageJSON(line: line, object: object, direction: direction))
            }
        }
        return (messages, events)
    }

    /// Bytes of a key that holds hex.
    package func bytes(_ key: String) throws(DumpError) -> [UInt8]? {
        guard let value = object[key] else { return nil }
        guard let text = value.text, text.isEmpty || text.utf8.allSatisfy({ hexValue($0) != nil }) else {
            throw DumpError(line: line, "JSON: \(key) is not hex")
        }
        if text.isEmpty { return [] }
        guard let bytes = hexBytes(Array(text.utf8)[...]) else {
            throw DumpError(line: line, "JSON: \(key) has an odd number of hex digits (\(text.utf8.count))")
        }
        return bytes
    }

    /// `[[offset, length], …]`, in order and within limits.
    package func ranges(_ key: String, limit: Int) throws(DumpError) -> [Range<Int>] {
        guard let value = object[key] else { return [] }
        var ranges: [Range<Int>] = []
        for pair in value.elements ?? [.null] {
            guard let numbers = pair.elements, numbers.count == 2, let offset = numbers[0].integer,
                let length = numbers[1].integer, offset >= Int64(ranges.last?.upperBound ?? 0), length >= 0,
                offset <= Int64(limit), length <= Int64(limit) - offset
            else { throw DumpError(line: line, "JSON: \(key) is not [[offset, length], …] within the message") }
            ranges.append(Int(offset)..<Int(offset + length))
        }
        return ranges
    }

    static func dump(_ input: [UInt8]) throws(DumpError) -> Dump {
        let (messages, events) = try messages(input)
        var dump = Dump(form: .json, description: "JSON of esdump")
        for message in messages { dump.pieces.append(try message.piece()) }
        if events > 0 { dump.notes.append("\(events) event\(events == 1 ? " is" : "s are") no message") }
        guard !dump.pieces.isEmpty else { throw DumpError("JSON: there is no message in it") }
        return dump
    }

    private func piece() throws(DumpError) -> Dump.Piece {
        guard let header = try bytes("header_hex"), let body = try bytes("body_hex") else {
            throw DumpError(line: line, "JSON: the message has no header_hex or no body_hex")
        }
        var piece = Dump.Piece()
        piece.direction = direction
        piece.places = [Dump.Place(offset: 0, line: line, column: 1)]
        let there = header + body
        // Bytes that were masked are not what the message had.
        let masked = try ranges("masked", limit: body.count).map {
            $0.lowerBound + header.count..<$0.upperBound + header.count
        }
        var next = 0
        func append(to end: Int) {
            for range in masked where range.lowerBound < end && range.upperBound > next {
                piece.append(there[next..<max(range.lowerBound, next)])
                let hidden = max(range.lowerBound, next)..<min(range.upperBound, end)
                piece.appendMissing(hidden.count, .hidden)
                next = hidden.upperBound
            }
            piece.append(there[next..<end])
            next = end
        }
        for gap in try ranges("gaps", limit: Int(Int32.max)) {
            append(to: min(max(gap.lowerBound - piece.length + next, next), there.count))
            piece.appendMissing(gap.count, .notInTheText)
        }
        append(to: there.count)
        return piece
    }
}
