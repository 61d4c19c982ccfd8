/// What is wrong with the file of a profile, and where.
public struct ProfileFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public let line: Int
    /// In characters of the line (Unicode scalars), from 1.
    public let column: Int
    public let message: String

    /// `3:8: …`, to be put behind the file's name.
    public var description: String { "\(line):\(column): \(message)" }
}

/// Reads the file of a profile: lines `key = value` in sections, and `#` before a comment.
///
///     [profile]
///     name = Trading server
///     bodies = 6.5                   # the framework's own types are as in 4.0, 4.7, 6.5, 7.2, or none
///
///     [header]
///     start-token = ff               # ff, 0f or ffff; without it as in the version of the bodies
///     id-slot = 12                   # or user-id-length = 11; without it found from the stream
///
///     [client-types]
///     20 = Bot
///
///     [message-types]
///     1001 = Quote
///     1002 = Order like 201          # has the bodies of the framework's type 201
///     2112 = Logon                   # a name of the framework's brings its bodies
public struct ProfileFile {
    private enum Section: String, CaseIterable {
        case profile, header, clientTypes = "client-types", messageTypes = "message-types"
    }

    /// A piece of a line, and where it begins.
    private struct Word {
        let text: String
        let column: Int
    }

    /// A type of message as its line says it; what its bodies are is known when the version is.
    private struct TypeLine {
        let number: UInt16
        let name: String
        let like: Word?
        let line: Int
    }

    private var section: Section?
    private var line = 0
    private var name: String?
    /// The version, if it has been said; within it `nil` for `none`.
    private var version: ProtocolVersion??
    private var startToken: HeaderLayout.StartToken?
    private var idSlot: UInt8?
    private var userIDLength: (value: Int, line: Int, column: Int)?
    private var clientTypes: [UInt8: String] = [:]
    private var types: [TypeLine] = []
    /// Where each key was said: `section/key`.
    private var seen: [String: Int] = [:]

    private init() {}

    /// Reads the bytes of a file, UTF-8.
    public static func read(_ bytes: [UInt8]) throws(ProfileFileError) -> CustomProfile {
        var file = ProfileFile()
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.first?.starts(with: [0xEF, 0xBB, 0xBF]) == true { lines[0] = lines[0].dropFirst(3) }
        for line in lines {
            file.line += 1
            try file.take(line.last == 0x0D ? line.dropLast() : line)
        }
        return try file.finished()
    }

    private func fail(_ column: Int, _ message: String, line: Int? = nil) -> ProfileFileError {
        ProfileFileError(line: line ?? self.line, column: column, message: message)
    }

    // MARK: - Lines

    private mutating func take(_ bytes: ArraySlice<UInt8>) throws(ProfileFileError) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.isDecoded(from: bytes) else {
            let good = zip(text.utf8, bytes).prefix { $0 == $1 }.count
            let column = 1 + bytes.prefix(good).count { $0 & 0xC0 != 0x80 }
            throw fail(column, "not UTF-8")
        }
        let scalars = Array(text.unicodeScalars)
        if let bad = scalars.firstIndex(where: { $0.value < 32 && $0.value != 9 || (0x7F...0x9F).contains($0.value) }) {
            throw fail(bad + 1, "a control character")
        }
        func isBlank(_ index: Int) -> Bool { scalars[index] == " " || scalars[index] == "\t" }
        // A comment begins at the start of the line or behind a blank.
        let end = scalars.indices.first { scalars[$0] == "#" && ($0 == 0 || isBlank($0 - 1)) } ?? scalars.count
        func word(_ range: Range<Int>) -> Word {
            var range = range
            while let first = range.first, isBlank(first) { range.removeFirst() }
            while let last = range.last, isBlank(last) { range.removeLast() }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[range])
            return Word(text: String(text), column: range.lowerBound + 1)
        }
        let whole = word(0..<end)
        guard !whole.text.isEmpty else { return }
        if whole.text.hasPrefix("[") { return try open(whole) }
        guard let equals = scalars[..<end].firstIndex(of: "=") else {
            throw fail(whole.column, "neither a [section] nor key = value")
        }
        let key = word(0..<equals)
        let value = word(equals + 1..<end)
        guard !key.text.isEmpty else { throw fail(equals + 1, "nothing stands before the =") }
        guard !value.text.isEmpty else { throw fail(equals + 2, "\(key.text) has no value") }
        guard let section else { throw fail(key.column, "\(key.text) stands before the first [section]") }
        try noteFirst("\(section.rawValue)/\(key.text)", key)
        switch section {
        case .profile: try takeProfile(key, value)
        case .header: try takeHeader(key, value)
        case .clientTypes:
            guard let number = UInt8(key.text) else {
                throw fail(key.column, "\(key.text) is not a kind of client (a number up to 255)")
            }
            clientTypes[number] = value.text
        case .messageTypes: try takeType(key, value)
        }
    }

    private mutating func noteFirst(_ id: String, _ word: Word) throws(ProfileFileError) {
        if let first = seen[id] { throw fail(word.column, "\(word.text) is said twice, first in line \(first)") }
        seen[id] = line
    }

    private mutating func open(_ word: Word) throws(ProfileFileError) {
        let known = Section.allCases.map { "[\($0.rawValue)]" }
        guard let found = Section.allCases.first(where: { "[\($0.rawValue)]" == word.text }) else {
            throw fail(word.column, "\(word.text) is not one of \(known.joined(separator: ", "))")
        }
        try noteFirst(word.text, word)
        section = found
    }

    private mutating func takeProfile(_ key: Word, _ value: Word) throws(ProfileFileError) {
        switch key.text {
        case "name": name = value.text
        case "bodies":
            let found = ProtocolVersion(name: value.text)
            guard found != nil || value.text == "none" else {
                throw fail(value.column, "bodies = \(value.text): not one of 4.0, 4.7, 6.5, 7.2, none")
            }
            version = .some(found)
        default: throw fail(key.column, "[profile] has no \(key.text), only name and bodies")
        }
    }

    private mutating func takeHeader(_ key: Word, _ value: Word) throws(ProfileFileError) {
        switch key.text {
        case "start-token":
            switch value.text.lowercased() {
            case "ff": startToken = .ff
            case "0f": startToken = .zeroF
            case "ffff": startToken = .ffff
            default: throw fail(value.column, "start-token = \(value.text): not one of ff, 0f, ffff")
            }
        case "id-slot":
            guard let slot = UInt8(value.text), slot >= 2 else {
                throw fail(value.column, "id-slot = \(value.text): not a number from 2 to 255")
            }
            idSlot = slot
        case "user-id-length":
            guard let length = Int(value.text), (1...251).contains(length) else {
                throw fail(value.column, "user-id-length = \(value.text): not a number from 1 to 251")
            }
            userIDLength = (length, line, key.column)
        default:
            throw fail(
                key.column,
                "[header] has no \(key.text), only start-token, id-slot and user-id-length: the order of the fields is the framework's"
            )
        }
        if let userIDLength, idSlot != nil {
            throw fail(
                key.column,
                "id-slot and user-id-length both say how long an id is (line \(seen["header/id-slot"] ?? userIDLength.line) and line \(userIDLength.line)): only one of them"
            )
        }
    }

    /// `1002 = Order like 201`
    private mutating func takeType(_ key: Word, _ value: Word) throws(ProfileFileError) {
        guard let number = UInt16(key.text) else {
            throw fail(key.column, "\(key.text) is not a type of message (a number up to 65535)")
        }
        let words = value.text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count == 1 || words.count == 3 && words[1] == "like" else {
            throw fail(value.column, "\(value.text): not a name without blanks, or NAME like TYPE")
        }
        var like: Word?
        if words.count == 3 {
            let before = value.text.unicodeScalars.distance(
                from: value.text.startIndex,
                to: words[2].startIndex
            )
            like = Word(text: String(words[2]), column: value.column + before)
        }
        types.append(TypeLine(number: number, name: String(words[0]), like: like, line: line))
    }

    // MARK: - The whole

    private func finished() throws(ProfileFileError) -> CustomProfile {
        guard let version else {
            throw fail(1, "[profile] does not say bodies = 4.0, 4.7, 6.5, 7.2 or none")
        }
        var slot = idSlot
        if let userIDLength {
            let rule = version ?? (startToken == .zeroF ? .v72 : startToken == .ffff ? .v40 : .v65)
            slot = rule.idSlot(maximumUserIDLength: userIDLength.value)
        }
        var found: [UInt16: CustomProfile.MessageType] = [:]
        for type in types {
            found[type.number] = CustomProfile.MessageType(name: type.name, bodyType: try bodyType(of: type, version))
        }
        return CustomProfile(
            name: name ?? version.map { "own, with the bodies of \($0.name)" } ?? "own",
            version: version,
            startToken: startToken,
            idSlot: slot,
            clientTypes: clientTypes,
            types: found
        )
    }

    private func bodyType(of type: TypeLine, _ version: ProtocolVersion?) throws(ProfileFileError) -> UInt16? {
        guard let version else {
            guard let like = type.like else { return nil }
            throw fail(like.column, "like \(like.text), but [profile] says bodies = none", line: type.line)
        }
        let known = MessageTypeDescription.all.filter { $0.versions.contains(ProtocolVersions(version)) }
        guard let like = type.like else { return known.first { $0.name == type.name }?.number }
        let match = known.first { $0.name == like.text || String($0.number) == like.text }
        guard let match else {
            throw fail(like.column, "like \(like.text): not a type of \(version.name)", line: type.line)
        }
        return match.number
    }
}
