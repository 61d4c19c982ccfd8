import ESProtocol
import MessageFormat

/// Replaces user ids, passwords and addresses by others of the same length, each always by the same.
///
/// The replacements follow from the order in which the values first appear and from nothing else, so that one capture is
/// redacted in the same way each time. Lengths stay, so every offset and every length field does too.
package struct Redactor {
    /// What is replaced.
    package enum Kind: String, CaseIterable, Sendable {
        /// Of users and of groups: in a header nothing tells them apart.
        case userID = "user id"
        /// Passwords and the tokens of a log-on.
        case password = "password"
        case address = "address"
    }

    /// What was replaced, for the report: never the values.
    package struct Count: Equatable, Sendable {
        package var values = 0
        package var places = 0
    }

    private var replacements: [Kind: [[UInt8]: [UInt8]]] = [:]
    private var used: [Kind: Set<[UInt8]>] = [:]
    private var numbers: [String: Int] = [:]
    private var places: [Kind: Int] = [:]
    /// Bytes that could not be followed, and were overwritten.
    package private(set) var blankedBytes = 0
    /// Values that got a replacement which another one has too, as there are no more of that length.
    package private(set) var ambiguousValues = 0
    private let describer: BodyDescriber

    /// - Parameter application: A user's description of bodies, whose secrets are replaced like passwords.
    package init(application: (any ApplicationBodies)? = nil) {
        describer = BodyDescriber(application: application)
    }

    /// What stands in place of bytes that may hold anything: `*`.
    package static let blank: UInt8 = 0x2A

    package func count(_ kind: Kind) -> Count {
        Count(values: replacements[kind]?.count ?? 0, places: places[kind] ?? 0)
    }

    /// `3 user ids in 41 places, 1 password in 1 place`
    package var summary: String {
        func counted(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
        let kinds = Kind.allCases.compactMap { kind -> String? in
            let count = count(kind)
            guard count.values > 0 else { return nil }
            let many = kind == .address ? "addresses" : kind.rawValue + "s"
            return "\(counted(count.values, kind.rawValue, many)) in \(counted(count.places, "place", "places"))"
        }
        var text = kinds.isEmpty ? "nothing" : kinds.joined(separator: ", ")
        if blankedBytes > 0 { text += "; \(counted(blankedBytes, "byte", "bytes")) that could not be followed blanked" }
        if ambiguousValues > 0 { text += "; \(counted(ambiguousValues, "value shares", "values share")) a replacement" }
        return text
    }

    // MARK: - Messages

    /// Redacts a message: its bytes that are there (header first), and the addresses of its report.
    ///
    /// What follows a hole, and what does not fit the form that its type has, cannot be followed and is blanked.
    package mutating func redact(_ report: MessageReport, _ bytes: [UInt8]) -> (report: MessageReport, bytes: [UInt8]) {
        var result = bytes
        let header = report.header
        let contiguous = report.gaps.first.map { min($0.offset, bytes.count) } ?? bytes.count
        guard contiguous >= header.layout.headerLength else {
            blank(&result, 0..<bytes.count)
            return (redacted(report), result)
        }
        redactID(&result, header.userIDRange, slotEnd: header.layout.destUserIDOffset)
        redactID(&result, header.destUserIDRange, slotEnd: header.layout.headerLength)
        redactBody(&result, report, bytes, contiguous)
        blank(&result, contiguous..<bytes.count)
        return (redacted(report), result)
    }

    private mutating func redacted(_ report: MessageReport) -> MessageReport {
        var report = report
        report.source = endpoint(report.source)
        report.destination = endpoint(report.destination)
        return report
    }

    /// An event without its bytes, which belong to no message that could be followed.
    package mutating func redact(_ event: EventReport) -> EventReport {
        var event = event
        event.source = endpoint(event.source)
        event.destination = endpoint(event.destination)
        event.bytes = []
        event.firstBytes = []
        return event
    }

    private mutating func redactID(_ bytes: inout [UInt8], _ range: Range<Int>, slotEnd: Int) {
        let id = Array(bytes[range])
        bytes.replaceSubrange(range, with: replacement(ofID: id))
        for index in range.upperBound..<max(slotEnd, range.upperBound) where bytes[index] != 0 {
            bytes[index] = 0
            blankedBytes += 1
        }
    }

    private mutating func redactBody(
        _ result: inout [UInt8],
        _ report: MessageReport,
        _ bytes: [UInt8],
        _ contiguous: Int
    ) {
        let start = report.header.layout.headerLength
        guard contiguous > start else { return }
        let isRequest = report.isRequest(bytes.span.bytes)
        func describe(_ describer: BodyDescriber) -> BodyDescription? {
            describer.describe(
                body: bytes.span.bytes.extracting(start..<contiguous),
                bodyOffset: start,
                header: report.header,
                isRequest: isRequest
            )
        }
        // A user's description may say less of a body of the framework than is known of it.
        var done: [Range<Int>] = []
        if describer.application != nil, let own = describe(BodyDescriber()), own.isExact, !own.isGuess {
            for field in own.fields where field.length > 0 && !Self.isCount(field) {
                let range = (field.offset..<field.offset + field.length).clamped(to: start..<contiguous)
                if replace(field, range, &result, isExact: true) { done.append(range) }
            }
        }
        let description = describe(describer)
        let mayHoldSecret = !report.secrets(in: bytes.span.bytes, application: describer.application).isEmpty
        guard let description else {
            // An application's own: what is known is replaced, all else stays.
            if mayHoldSecret { return blank(&result, start..<contiguous) }
            return replaceKnown(&result, start..<contiguous)
        }
        for field in description.fields where field.length > 0 {
            let range = (field.offset..<field.offset + field.length).clamped(to: start..<contiguous)
            if range.isEmpty || Self.isCount(field) || done.contains(where: { $0.overlaps(range) }) { continue }
            redact(field, range, &result, isExact: description.isExact || description.isGuess)
        }
    }

    private static func isCount(_ field: Field) -> Bool {
        field.name.hasSuffix(".length") || field.name.hasSuffix(".count")
    }

    private mutating func redact(_ field: Field, _ range: Range<Int>, _ bytes: inout [UInt8], isExact: Bool) {
        if replace(field, range, &bytes, isExact: isExact) { return }
        switch field.value {
        case .text: replaceKnown(&bytes, range)
        case .bytes:
            let name = field.name.split(separator: ".").last.map(String.init) ?? ""
            // Behind an error in the form, nothing is known.
            if !isExact, name == "rest" || Self.idNames.contains(name) || Self.addressNames.contains(name) {
                blank(&bytes, range)
            } else {
                replaceKnown(&bytes, range)
            }
        default: break
        }
    }

    /// Replaces a secret, an id or an address.
    /// - Returns: false if it is none.
    private mutating func replace(_ field: Field, _ range: Range<Int>, _ bytes: inout [UInt8], isExact: Bool) -> Bool {
        let name = field.name.split(separator: ".").last.map(String.init) ?? ""
        let old = Array(bytes[range])
        if field.isSecret || Self.secretNames.contains(name) {
            // What is not bytes or text, or is packed, has no replacement of the same kind.
            let isWhole = isExact && field.name != "es.body.rest" && !(field.value == .bytes && !field.meaning.isEmpty)
            if isWhole {
                bytes.replaceSubrange(range, with: replacement(ofSecret: old))
            } else {
                blank(&bytes, range)
            }
            return true
        }
        guard case .text = field.value else { return false }
        if Self.addressNames.contains(name) {
            bytes.replaceSubrange(range, with: replacement(ofAddress: old))
        } else if Self.idNames.contains(name) || field.name == "es.body" {
            bytes.replaceSubrange(range, with: replacement(ofID: old))
        } else if name == "project_id", let end = old.lastIndex(of: 0x5F), end > 0 {
            // The user's id and a number.
            bytes.replaceSubrange(range, with: replacement(ofID: Array(old[..<end])) + old[end...])
        } else {
            return false
        }
        return true
    }

    private static let secretNames: Set<String> = ["password", "system_token"]
    private static let addressNames: Set<String> = ["ip", "private_ip", "public_ip", "ip_address"]
    private static let idNames: Set<String> = [
        "user_id", "user_be_kicked_out", "friend_id", "friend_user_id", "operator_id", "user_list", "members",
        "online_groupmates", "offline_groupmates", "group_id", "id", "key", "authorized_user", "user",
    ]

    private mutating func blank(_ bytes: inout [UInt8], _ range: Range<Int>) {
        for index in range { bytes[index] = Self.blank }
        blankedBytes += range.count
    }

    /// Replaces what is known already where it stands as a word of its own in text that somebody wrote.
    private mutating func replaceKnown(_ bytes: inout [UInt8], _ range: Range<Int>) {
        // The widest notion of a word first: what was replaced is not looked at again.
        replaceWords(&bytes, range) { Self.isWord($0) || [0x2D, 0x2E, 0x40, 0x5F].contains($0) }
        replaceWords(&bytes, range) { (0x30...0x39).contains($0) || $0 == 0x2E }
        replaceWords(&bytes, range) { Self.isWord($0) }
    }

    private mutating func replaceWords(_ bytes: inout [UInt8], _ range: Range<Int>, _ isPart: (UInt8) -> Bool) {
        var start = range.lowerBound
        while start < range.upperBound {
            guard isPart(bytes[start]) else {
                start += 1
                continue
            }
            var end = start
            while end < range.upperBound, isPart(bytes[end]) { end += 1 }
            // Shorter ones are too likely to be something else.
            if (3...Self.longestWord).contains(end - start) {
                let word = Array(bytes[start..<end])
                for kind in Kind.allCases {
                    guard let new = replacements[kind]?[word], used[kind]?.contains(word) != true else { continue }
                    bytes.replaceSubrange(start..<end, with: new)
                    places[kind, default: 0] += 1
                    break
                }
            }
            start = end
        }
    }

    private static let longestWord = 255

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
    }

    // MARK: - Values

    /// An id: what stands before the user's own (`9#`, the `_` of a group) and the ids of the server and of all stay.
    mutating func replacement(ofID id: [UInt8]) -> [UInt8] {
        var start = 0
        while let end = id[start...].firstIndex(of: 0x23), end > start, end + 1 < id.count,
            id[start..<end].allSatisfy({ (0x30...0x39).contains($0) })
        {
            start = end + 1
        }
        let core = Array(id[start...])
        if core.isEmpty || core == [0x5F, 0x30] || core == [0x2A] { return id }
        if core.count > 1, core[0] == 0x5F { return id[..<start] + [0x5F] + replaced(Array(core[1...]), .userID) }
        return id[..<start] + replaced(core, .userID)
    }

    /// A password or a token. Version 7.2 writes the date in front of a token.
    mutating func replacement(ofSecret secret: [UInt8]) -> [UInt8] {
        if secret.count >= 8, secret[..<8].allSatisfy({ (0x30...0x39).contains($0) }),
            secret.starts(with: [0x32, 0x30])
        {
            return secret[..<8] + (secret.count > 8 ? replaced(Array(secret[8...]), .password) : [])
        }
        return secret.isEmpty ? secret : replaced(secret, .password)
    }

    mutating func replacement(ofAddress address: [UInt8]) -> [UInt8] {
        guard let octets = Self.octets(address) else {
            return address.isEmpty ? address : replaced(address, .address)
        }
        return Array(replacement(ofIPv4: octets).map { String($0) }.joined(separator: ".").utf8)
    }

    /// The four bytes of an IPv4 address; each keeps its number of digits, so that the text keeps its length.
    package mutating func replacement(ofIPv4 octets: [UInt8]) -> [UInt8] {
        guard octets.count == 4, !octets.allSatisfy({ $0 == 0 }), octets[0] < 224 else { return octets }
        let text = Array(octets.map { String($0) }.joined(separator: ".").utf8)
        return Self.octets(replaced(text, .address)) ?? octets
    }

    /// The sixteen bytes of an IPv6 address: one of those that are kept for documentation (2001:db8::).
    package mutating func replacement(ofIPv6 bytes: [UInt8]) -> [UInt8] {
        guard bytes.count == 16, bytes[0] != 0xFF, bytes.contains(where: { $0 != 0 }) else { return bytes }
        return replaced(bytes, .address)
    }

    /// `a.b.c.d:port` or `[v6]:port`
    package mutating func endpoint(_ text: String) -> String {
        guard let colon = text.lastIndex(of: ":") else { return text }
        let host = Array(text[..<colon].utf8)
        let port = text[colon...]
        if Self.octets(host) != nil { return String(decoding: replacement(ofAddress: host), as: UTF8.self) + port }
        guard host.first == 0x5B, host.last == 0x5D, let address = IPv6Text.bytes(host[1..<host.count - 1]) else {
            return text
        }
        return "[" + IPv6Text.text(replacement(ofIPv6: address)) + "]" + port
    }

    private static func octets(_ text: [UInt8]) -> [UInt8]? {
        let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != 0x30,
                let value = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            octets.append(value)
        }
        return octets
    }

    private mutating func replaced(_ old: [UInt8], _ kind: Kind) -> [UInt8] {
        places[kind, default: 0] += 1
        if let known = replacements[kind]?[old] { return known }
        var new = old
        // A few may be taken, or be the value itself.
        for attempt in 0..<1000 {
            new = candidate(old, kind)
            if new != old, used[kind]?.contains(new) != true, replacements[kind]?[new] == nil { break }
            if attempt == 999 { ambiguousValues += 1 }
        }
        used[kind, default: []].insert(new)
        replacements[kind, default: [:]][old] = new
        return new
    }

    /// The next value of the same form and length.
    private mutating func candidate(_ old: [UInt8], _ kind: Kind) -> [UInt8] {
        let octets = kind == .address ? Self.octets(old) : nil
        let isNumber = old.allSatisfy { (0x30...0x39).contains($0) }
        let form: String
        if let octets {
            form = "4 " + octets.map { String(String($0).count) }.joined()
        } else {
            form = "\(kind.rawValue) \(old.count) \(isNumber)"
        }
        numbers[form, default: 0] += 1
        let number = numbers[form] ?? 1
        if let octets { return Array(Self.address(octets, number).map { String($0) }.joined(separator: ".").utf8) }
        if kind == .address { return Self.otherAddress(old, number) }
        var rest = number
        var new = [UInt8](repeating: 0, count: old.count)
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        for index in new.indices.reversed() {
            let isFirst = index == 0
            if isNumber {
                new[index] = digits[rest % 10]
                rest /= 10
            } else if isFirst {
                // Begins with a letter: u for users, p for passwords, then on through the alphabet.
                let first = kind == .password ? 15 : 20
                new[index] = digits[10 + (first + (old.count == 1 ? rest - 1 : rest)) % 26]
            } else {
                new[index] = digits[rest % 36]
                rest /= 36
            }
        }
        return new
    }

    /// The nth address with these numbers of digits.
    private static func address(_ octets: [UInt8], _ number: Int) -> [UInt8] {
        var rest = number
        var new = octets
        for index in [3, 2, 1] {
            let (first, count) = octets[index] < 10 ? (0, 10) : octets[index] < 100 ? (10, 90) : (100, 156)
            new[index] = UInt8(first + rest % count)
            rest /= count
        }
        let (first, count) = octets[0] < 10 ? (8, 2) : octets[0] < 100 ? (10, 90) : (198, 26)
        new[0] = UInt8(first + rest % count)
        return new
    }

    /// Of an address of another kind the signs between its digits stay.
    private static func otherAddress(_ old: [UInt8], _ number: Int) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        if old.count == 16, old.contains(where: { $0 < 0x20 || $0 > 0x7E }) {
            // Bytes of IPv6.
            let prefix: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0]
            return prefix + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
        }
        var rest = number
        var new = old
        for index in new.indices.reversed() {
            let byte = old[index]
            guard isWord(byte) else { continue }
            new[index] = digits[rest % 16]
            rest /= 16
        }
        return new
    }
}

/// Addresses of IPv6 as text, in both directions.
enum IPv6Text {
    /// - Returns: `nil` if it is none.
    static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let text = String(decoding: text, as: UTF8.self)
        guard let zone = text.split(separator: "%", omittingEmptySubsequences: false).first else { return nil }
        let parts = zone.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        var before: [UInt16] = []
        var after: [UInt16] = []
        var isShortened = false
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                if index > 0, index < parts.count - 1 {
                    if isShortened { return nil }
                    isShortened = true
                }
                continue
            }
            guard part.count <= 4, let group = UInt16(part, radix: 16) else { return nil }
            if isShortened { after.append(group) } else { before.append(group) }
        }
        if zone.hasPrefix("::"), !isShortened { isShortened = true }
        let missing = 8 - before.count - after.count
        guard isShortened ? missing > 0 : missing == 0 else { return nil }
        return (before + [UInt16](repeating: 0, count: missing) + after).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Of an address that begins with 2001:db8: and four zero groups.
    static func text(_ bytes: [UInt8]) -> String {
        let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        guard groups[2..<7].allSatisfy({ $0 == 0 }) else {
            return groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        return "\(String(groups[0], radix: 16)):\(String(groups[1], radix: 16))::\(String(groups[7], radix: 16))"
    }
}
