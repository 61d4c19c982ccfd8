import ESProtocol
import MessageFormat

/// What the alignment of messages asks of them.
struct AlignmentContext {
    let a: CapturedMessages
    let b: CapturedMessages
    let signatures: MessageSignatures
    let map: IdentityMap
    /// Whether names count when messages are compared, or only what else is in them.
    let withNames: Bool

    var messagesA: [CapturedMessage] { a.messages }
    var messagesB: [CapturedMessage] { b.messages }

    func tokenA(_ index: Int) -> UInt64 { token(signatures.a[index]) { map.mapped($0) } }
    func tokenB(_ index: Int) -> UInt64 { token(signatures.b[index]) { $0 } }

    private func token(_ signature: MessageSignature, _ mapped: (Int32) -> Int32) -> UInt64 {
        guard withNames else { return signature.content }
        var hasher = Hasher()
        hasher.combine(signature.content)
        for name in signatures.names(of: signature) { hasher.combine(mapped(name)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Whether two messages that are the same can be told from others: an acknowledgement has nothing but its id.
    func tellsApart(_ i: Int, _ j: Int) -> Bool {
        let (first, second) = (a.messages[i].header, b.messages[j].header)
        return first.bodyLength > 0 || first.messageID == 0 || first.messageID == second.messageID
    }

    /// How alike two messages are that are not the same; 0 if one is not a changed version of the other.
    func likeness(_ i: Int, _ j: Int) -> Int {
        let (first, second) = (signatures.a[i], signatures.b[j])
        let (headerA, headerB) = (a.messages[i].header, b.messages[j].header)
        let hasSameNames = signatures.names(of: first).elementsEqual(signatures.names(of: second), by: map.matches)
        let hasSameID = headerA.messageID == headerB.messageID
        let body = bodyLikeness(i, j)
        if first.kind == second.kind { return 100 + (hasSameNames ? 50 : 0) + (hasSameID ? 30 : 0) + body }
        // Another type is a change if nothing else is.
        guard body == 100, hasSameNames, headerA.bodyLength > 0 || hasSameID else { return 0 }
        return 60
    }

    /// Of how many of the bytes compared the bodies have in common, in percent.
    private func bodyLikeness(_ i: Int, _ j: Int) -> Int {
        a.withBytes(of: i) { first in
            b.withBytes(of: j) { second in
                let bodyA = first.extracting(min(a.messages[i].header.layout.headerLength, first.byteCount)...)
                let bodyB = second.extracting(min(b.messages[j].header.layout.headerLength, second.byteCount)...)
                let longer = max(bodyA.byteCount, bodyB.byteCount)
                guard longer > 0 else { return 100 }
                let common = commonEnds(bodyA, bodyB, limit: 1024)
                return 100 * (common.prefix + common.suffix) / min(longer, 2048)
            }
        }
    }
}

/// How many bytes two runs of bytes have in common at their beginnings, and behind that at their ends.
func commonEnds(_ a: RawSpan, _ b: RawSpan, limit: Int = .max) -> (prefix: Int, suffix: Int) {
    a.withUnsafeBytes { a in
        b.withUnsafeBytes { b in
            let shorter = min(a.count, b.count)
            var prefix = 0
            while prefix < min(shorter, limit), a[prefix] == b[prefix] { prefix += 1 }
            var suffix = 0
            while suffix < min(shorter - prefix, limit), a[a.count - 1 - suffix] == b[b.count - 1 - suffix] {
                suffix += 1
            }
            return (prefix, suffix)
        }
    }
}
