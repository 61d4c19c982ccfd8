/// What the framework's peer-to-peer channel puts into a UDP datagram (PROTOCOL.md section 6).
///
/// 4.7.3 marks its datagrams with `FF FF` behind kind and identity; 6.5 and 7.2 have the length of the rest there.
public struct PeerDatagram: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        /// A message, or a part of one, behind the datagram's own header.
        case data(id: UInt64, part: Part)
        /// Asks the other side for a channel: it names the address and the user.
        case syn
        case synAck
        case feedback
        case close
        case ping
        case pingAnswer
        /// Finds out how long a datagram may be.
        case lengthProbe
    }

    /// Which part of a message a data datagram holds.
    public enum Part: Int32, Sendable { case whole, first, middle, last }

    public var content: Content
    /// The versions that make such datagrams.
    public var versions: ProtocolVersions

    /// Bytes before the message of a data datagram: kind, identity, length or mark, number, part.
    public static let dataHeaderLength = 16

    /// What it is, in words.
    public var name: String {
        switch content {
        case .data(let id, let part):
            switch part {
            case .whole: "data, datagram \(id)"
            case .first: "data, datagram \(id), first part of a message"
            case .middle: "data, datagram \(id), middle part of a message"
            case .last: "data, datagram \(id), last part of a message"
            }
        case .syn: "SYN"
        case .synAck: "SYN-ACK"
        case .feedback: "feedback"
        case .close: "close"
        case .ping: "ping"
        case .pingAnswer: "ping answer"
        case .lengthProbe: "PMTU probe"
        }
    }

    /// Reads a datagram whose bytes say for themselves that it is one of these, or that can be one.
    /// - Parameters:
    ///   - bytes: what was captured of it.
    ///   - length: how many bytes it had.
    public init?(reading bytes: RawSpan, length: Int) {
        guard bytes.byteCount >= 4, length >= bytes.byteCount else { return nil }
        let kind = bytes.byte(at: 0)
        let word = Int(bytes.unsigned(at: 2, 2))
        let found: Content?
        if word == 0xFFFF {
            found = Self.before65(kind, bytes, length: length)
        } else if word == length - 4 {
            found = Self.since65(kind, bytes, length: length)
        } else {
            found = nil
        }
        guard let found else { return nil }
        content = found
        versions = word == 0xFFFF ? .v47 : .since65
    }

    private static func data(_ bytes: RawSpan) -> Content? {
        guard bytes.byteCount > dataHeaderLength else { return nil }
        let part = Int32(truncatingIfNeeded: bytes.unsigned(at: 12, 4))
        return Part(rawValue: part).map { .data(id: bytes.unsigned(at: 4, 8), part: $0) }
    }

    private static func before65(_ kind: UInt8, _ bytes: RawSpan, length: Int) -> Content? {
        switch kind {
        case 0: data(bytes)
        case 2: .feedback
        case 3 where length == 12: .ping
        case 4: .pingAnswer
        case 8: .close
        default: nil
        }
    }

    private static func since65(_ kind: UInt8, _ bytes: RawSpan, length: Int) -> Content? {
        switch kind {
        case 0: isSYN(bytes, length: length) ? .syn : nil
        case 1 where length > 4 && length <= 4 + 255:
            HeaderCheck.isText(bytes, 4..<bytes.byteCount) ? .synAck : nil
        case 2: data(bytes)
        case 4 where length == 36: .feedback
        case 5 where length == 4: .close
        case 6 where length == 12: .ping
        case 7 where length > 4: isZero(bytes, from: 4) ? .lengthProbe : nil
        default: nil
        }
    }

    /// Port, address and user fill it exactly.
    private static func isSYN(_ bytes: RawSpan, length: Int) -> Bool {
        guard bytes.byteCount == length, length >= 4 + 4 + 4 + 2 + 4 + 1 else { return false }
        let port = bytes.unsigned(at: 4, 4)
        let addressLength = bytes.unsigned(at: 8, 4)
        guard port >= 1, port <= 65535, addressLength >= 2, addressLength <= 64,
            16 + Int(addressLength) < length
        else { return false }
        let behindAddress = 12 + Int(addressLength)
        let userLength = bytes.unsigned(at: behindAddress, 4)
        guard userLength >= 1, userLength <= 255, behindAddress + 4 + Int(userLength) == length else { return false }
        for index in 12..<behindAddress {
            switch bytes.byte(at: index) {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "."),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "%"):
                break
            default: return false
            }
        }
        return HeaderCheck.isText(bytes, behindAddress + 4..<length)
    }

    private static func isZero(_ bytes: RawSpan, from start: Int) -> Bool {
        for index in start..<bytes.byteCount where bytes.byte(at: index) != 0 { return false }
        return true
    }
}
