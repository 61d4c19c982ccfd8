import ESProtocol
import MessageFormat

/// A name that stands in messages: a user, an address …
struct Identity: Hashable {
    var kind: IdentityKind
    /// `nil` for a null string.
    var text: String?
}

/// What is compared of a message, in a few words of memory.
struct MessageSignature {
    /// Everything but the message id, the names, and what may differ.
    var content: UInt64
    var kind: UInt64
    /// Its names are those of ``MessageSignatures/names`` from here on.
    var firstName: Int
    var nameCount: Int32
}

/// The signatures of two captures. Names are numbered in both alike.
struct MessageSignatures {
    private(set) var a: [MessageSignature] = []
    private(set) var b: [MessageSignature] = []
    /// The names of all messages, one behind the other.
    private(set) var names: [Int32] = []
    private(set) var identities: [Identity] = []
    private var numbers: [Identity: Int32] = [:]
    private let describer: BodyDescriber
    private var roles: FieldRoles
    /// The captures have different layouts: groups are compared without the mark of 7.2.
    private let dropsGroupMarks: Bool

    /// The names to be ignored that no message has.
    private(set) var unmetIgnored: [String] = []

    init(
        _ a: CapturedMessages,
        _ b: CapturedMessages,
        options: ComparisonOptions,
        describer: BodyDescriber,
        layoutsDiffer: Bool
    ) {
        self.describer = describer
        roles = FieldRoles(options)
        // Every header has these.
        for field in HeaderField.allCases { _ = roles.role(ofName: field.name) }
        dropsGroupMarks = layoutsDiffer
        self.a = signatures(of: a)
        self.b = signatures(of: b)
        unmetIgnored = options.ignoredFields.filter { !roles.metIgnored.contains($0) }
    }

    private mutating func signatures(of messages: CapturedMessages) -> [MessageSignature] {
        var result: [MessageSignature] = []
        result.reserveCapacity(messages.messages.count)
        for index in messages.messages.indices {
            let report = messages.report(of: index)
            result.append(messages.withBytes(of: index) { self.signature(of: report, $0) })
        }
        return result
    }

    private mutating func signature(of report: MessageReport, _ bytes: RawSpan) -> MessageSignature {
        var hasher = Hasher()
        let first = names.count
        hasher.combine(report.header.messageType)
        hasher.combine(report.status == .complete)
        if bytes.byteCount >= report.header.layout.headerLength { noteHeader(report.header, bytes, &hasher) }
        for field in report.bodyFields(in: bytes, describer: describer) {
            let role = roles.role(of: field)
            switch role {
            case .ignored, .derived, .messageID, .layout: continue
            case .date: hasher.combine(0 as UInt8)
            case .identity(let kind):
                note(identity(of: field, kind, report.header.layout))
                hasher.combine(1 as UInt8)
            case .value, .datedText:
                var range = bytesThere(of: field, report, bytes)
                if role == .datedText, report.header.layout.startToken == .zeroF,
                    hasDateInFront(bytes.extracting(range))
                {
                    range = range.lowerBound + 8..<range.upperBound
                }
                hasher.combine(field.value == .none)
                hasher.combine(range.count)
                bytes.extracting(range).withUnsafeBytes { hasher.combine(bytes: $0) }
            }
        }
        return MessageSignature(
            content: UInt64(bitPattern: Int64(hasher.finalize())),
            kind: UInt64(report.header.messageType),
            firstName: first,
            nameCount: Int32(truncatingIfNeeded: names.count - first)
        )
    }

    /// What is asked of the header: who sends to whom, and on what.
    private mutating func noteHeader(_ header: MessageHeader, _ bytes: RawSpan, _ hasher: inout Hasher) {
        if let type = header.clientType, !Self.isServer(bytes, header.userIDRange) {
            switch roles.role(ofName: HeaderField.clientType.name) {
            case .identity: note(Identity(kind: .clientType, text: String(type)))
            case .value: hasher.combine(type)
            default: break
            }
        }
        for (field, range) in [(HeaderField.userID, header.userIDRange), (.destUserID, header.destUserIDRange)]
        where roles.role(ofName: field.name) != .ignored {
            let id = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            note(Identity(kind: .user, text: user(id, header.layout)))
        }
    }

    private static func isServer(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        range.count == 2 && range.upperBound <= bytes.byteCount
            && bytes.unsafeLoad(fromByteOffset: range.lowerBound, as: UInt8.self) == UInt8(ascii: "_")
            && bytes.unsafeLoad(fromByteOffset: range.lowerBound + 1, as: UInt8.self) == UInt8(ascii: "0")
    }

    private mutating func note(_ identity: Identity) { names.append(number(of: identity)) }

    /// The name that a field holds, without what may stand in front of it.
    func identity(of field: Field, _ kind: IdentityKind, _ layout: HeaderLayout) -> Identity {
        let text: String?
        switch field.value {
        case .text(let value): text = kind == .user ? user(value, layout) : value
        case .integer(let value): text = String(value)
        case .unsigned(let value): text = String(value)
        case .none: text = nil
        default: text = field.meaning
        }
        return Identity(kind: kind, text: text)
    }

    private func user(_ id: String, _ layout: HeaderLayout) -> String {
        // Most ids have neither.
        guard layout.startToken == .zeroF || id.utf8.contains(UInt8(ascii: "#")) else { return id }
        var login = LoginID(id)
        if dropsGroupMarks, layout.startToken == .zeroF { login.dropGroupMark() }
        return String(login.user)
    }

    mutating func number(of identity: Identity) -> Int32 {
        if let number = numbers[identity] { return number }
        let number = Int32(truncatingIfNeeded: identities.count)
        identities.append(identity)
        numbers[identity] = number
        return number
    }

    /// The number of a name that was met; `nil` if it never was.
    func knownNumber(of identity: Identity) -> Int32? { numbers[identity] }

    func names(of signature: MessageSignature) -> ArraySlice<Int32> {
        names[signature.firstName..<signature.firstName + Int(signature.nameCount)]
    }
}

/// Where the bytes of a field stand among those that were there.
package func bytesThere(of field: Field, _ report: MessageReport, _ bytes: RawSpan) -> Range<Int> {
    var start = field.offset
    for gap in report.gaps where gap.offset < field.offset { start -= min(gap.length, field.offset - gap.offset) }
    guard start >= 0, start <= bytes.byteCount, field.length >= 0 else { return 0..<0 }
    return start..<min(start + field.length, bytes.byteCount)
}
