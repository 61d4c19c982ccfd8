/// Reads bytes that stand as numbers in the source of a program: `{ 0xff, 0x00, 'p', 112 }`, `(byte)0xFF`, `&HFF`.
///
/// Comments are left out. Where there are braces or brackets with hex numbers in them, each of these is an array; a number
/// elsewhere (the array's size, a line number) is no byte.
struct NumberList {
    private struct Group {
        var values: [(value: Int, line: Int, at: Int)] = []
        var hexCount = 0
        /// The word before it says which way it went.
        var direction: Dump.Direction?
        /// `peer1_0`: Wireshark's name for what the second side sent.
        var side = 0
        var opening: UInt8 = 0
    }

    private let lines: [TextLine]
    private var finished: [Group] = []
    private var stack: [Group] = [Group()]
    private var direction: Dump.Direction?
    private var side = 0
    private var isInComment = false

    /// - Returns: `nil` if the text has no such list.
    init?(_ lines: [TextLine]) {
        self.lines = lines
        for index in lines.indices { scan(index) }
        finished += stack.reversed()
        finished = arrays(finished)
        guard !finished.isEmpty else { return nil }
    }

    private func arrays(_ groups: [Group]) -> [Group] {
        let isBracketed = { (group: Group) in group.opening != 0 }
        let withHex = groups.filter { $0.hexCount > 0 }
        if withHex.contains(where: isBracketed) { return withHex.filter(isBracketed) }
        if !withHex.isEmpty {
            // One long number is hex digits, not a list.
            guard withHex.contains(where: { $0.values.contains { $0.value <= 255 } }) else { return [] }
            return withHex.map { group in
                var bare = group
                bare.values.removeAll { lines[$0.line].characters[$0.at] != 0x30 && !isMarked($0.line, $0.at) }
                return bare
            }
        }
        // Decimal numbers only: in brackets, and enough of them.
        return groups.filter {
            isBracketed($0) && $0.values.count >= 4 && $0.values.allSatisfy { (-128...255).contains($0.value) }
        }
    }

    /// `&HFF`, `$FF`
    private func isMarked(_ line: Int, _ at: Int) -> Bool { [0x26, 0x24].contains(lines[line].characters[at]) }

    private mutating func scan(_ index: Int) {
        let characters = lines[index].characters
        var at = 0
        func next(_ offset: Int) -> UInt8 { at + offset < characters.count ? characters[at + offset] : 0 }
        if !isInComment, isWholeLineComment(characters) { return note(characters[...]) }
        while at < characters.count {
            let character = characters[at]
            if isInComment {
                if character == 0x2A, next(1) == 0x2F {
                    isInComment = false
                    at += 1
                }
                at += 1
                continue
            }
            switch character {
            case 0x2F where next(1) == 0x2F:
                return note(characters[at...])
            case 0x2F where next(1) == 0x2A:
                isInComment = true
                at += 2
            case 0x23 where next(1) == 0x20:
                return note(characters[at...])
            case 0x7B, 0x5B:
                var group = Group()
                group.opening = character
                group.direction = direction
                group.side = side
                stack.append(group)
                at += 1
            case 0x7D, 0x5D:
                if stack.count > 1 { finished.append(stack.removeLast()) }
                at += 1
            case 0x27 where next(2) == 0x27 && next(1) != 0x5C:
                add(Int(next(1)), isHex: false, index, at)
                at += 3
            case 0x22:
                at = endOfString(characters, at)
            case 0x30...0x39, 0x26, 0x24, 0x2D:
                at = number(characters, index, at)
            case 0x41...0x5A, 0x61...0x7A, 0x5F:
                let start = at
                while at < characters.count, Self.isNamePart(characters[at]) { at += 1 }
                name(characters[start..<at])
            default:
                at += 1
            }
        }
    }

    private static func isNamePart(_ character: UInt8) -> Bool {
        (0x30...0x39).contains(character) || (0x41...0x5A).contains(character) || (0x61...0x7A).contains(character)
            || character == 0x5F
    }

    private func isWholeLineComment(_ characters: [UInt8]) -> Bool {
        guard let first = characters.firstIndex(where: { $0 != 0x20 && $0 != 9 }) else { return false }
        return characters[first] == 0x23
    }

    /// What a comment says of the arrays behind it.
    private mutating func note(_ comment: ArraySlice<UInt8>) {
        for word in comment.split(whereSeparator: { $0 == 0x20 || $0 == 9 }) {
            direction = Dump.Direction(rawValue: String(decoding: word, as: UTF8.self)) ?? direction
        }
    }

    private mutating func name(_ name: ArraySlice<UInt8>) {
        if name.starts(with: Array("peer".utf8)), name.count > 4, let digit = name.dropFirst(4).first {
            side = digit == 0x31 ? 1 : 0
        }
    }

    private func endOfString(_ characters: [UInt8], _ start: Int) -> Int {
        var at = start + 1
        while at < characters.count, characters[at] != 0x22 { at += characters[at] == 0x5C ? 2 : 1 }
        return min(at + 1, characters.count)
    }

    /// Reads a number, if one begins there.
    /// - Returns: the place behind it.
    private mutating func number(_ characters: [UInt8], _ line: Int, _ start: Int) -> Int {
        func character(_ index: Int) -> UInt8 { index < characters.count ? characters[index] : 0 }
        var at = start
        var isHex = false
        var isNegative = false
        switch characters[start] {
        case 0x30 where character(start + 1) | 0x20 == 0x78:
            isHex = true
            at += 2
        case 0x26:
            guard character(start + 1) | 0x20 == 0x68 else { return start + 1 }
            isHex = true
            at += 2
        case 0x24:
            isHex = true
            at += 1
        case 0x2D:
            isNegative = true
            at += 1
        default: break
        }
        let digits = at
        var value = 0
        let base = isHex ? 16 : 10
        while let digit = hexValue(character(at)), Int(digit) < base {
            value = min(value * base + Int(digit), 1 << 32)
            at += 1
        }
        guard at > digits else { return start + 1 }
        // 3.5, 10.0.0.1, and times are no bytes.
        let isPart = character(at) == 0x2E || start > 0 && character(start - 1) == 0x2E
        while at < characters.count, Self.isNamePart(characters[at]) { at += 1 }
        if !isPart { add(isNegative ? -value : value, isHex: isHex, line, start) }
        return at
    }

    private mutating func add(_ value: Int, isHex: Bool, _ line: Int, _ at: Int) {
        stack[stack.count - 1].values.append((value, line, at))
        if isHex { stack[stack.count - 1].hexCount += 1 }
    }

    func read() throws(DumpError) -> Dump {
        let isOne = finished.count == 1
        var dump = Dump(form: .list, description: isOne ? "a list of numbers" : "\(finished.count) lists of numbers")
        for group in finished {
            var piece = Dump.Piece()
            piece.direction = group.direction
            piece.side = group.side
            var bytes: [UInt8] = []
            for (value, line, at) in group.values {
                guard (-128...255).contains(value) else {
                    throw lines[line].error(at, "\(value > 255 ? "more" : "less") than a byte holds: \(word(line, at))")
                }
                if piece.places.last?.line != lines[line].number {
                    piece.places.append(
                        Dump.Place(offset: bytes.count, line: lines[line].number, column: lines[line].column(at))
                    )
                }
                bytes.append(UInt8(truncatingIfNeeded: value))
            }
            piece.append(bytes)
            if !bytes.isEmpty { dump.pieces.append(piece) }
        }
        return dump
    }

    private func word(_ line: Int, _ at: Int) -> String {
        let characters = lines[line].characters
        var end = at + 1
        while end < characters.count, end - at < 20, Self.isNamePart(characters[end]) { end += 1 }
        return lines[line].text(at..<end)
    }
}
