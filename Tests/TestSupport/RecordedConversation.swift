#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What one packet brought to a TCP connection of a recording.
package struct RecordedPiece: Sendable {
    package enum Kind: Sendable {
        case bytes([UInt8])
        /// The sender finished or broke off.
        case end
    }

    /// The port of the client's end: which connection it is.
    package var client: UInt16
    package var isFromClient: Bool
    package var kind: Kind
}

/// Reads the recordings of the loopback interface that the tests play: classic pcap with Ethernet and IPv4, without losses.
/// Deliberately another reader than the one that is tested elsewhere.
package func recordedPieces(_ path: String, serverPort: UInt16 = 4530) throws -> [RecordedPiece] {
    guard let file = fopen(path, "r") else { throw TestSupportError(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&part, 1, part.count, file)
        if count == 0 { break }
        bytes += part[..<count]
    }
    func little32(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    func big(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 << 8 | Int(bytes[at + $1]) } }

    /// By client port and direction, the sequence number that comes next.
    var next: [UInt32: UInt32] = [:]
    var ended: Set<UInt32> = []
    var pieces: [RecordedPiece] = []
    var at = 24
    while at + 16 <= bytes.count {
        let length = little32(at + 8)
        let ip = at + 16 + 14
        let end = at + 16 + length
        defer { at = end }
        guard big(ip - 2, 2) == 0x0800, bytes[ip + 9] == 6 else { continue }
        let tcp = ip + Int(bytes[ip] & 15) * 4
        let (source, destination) = (UInt16(big(tcp, 2)), UInt16(big(tcp + 2, 2)))
        guard source == serverPort || destination == serverPort else { continue }
        let isFromClient = destination == serverPort
        let client = isFromClient ? source : destination
        let direction = UInt32(client) << 1 | (isFromClient ? 1 : 0)
        let flags = bytes[tcp + 13]
        var sequence = UInt32(big(tcp + 4, 4))
        let start = tcp + Int(bytes[tcp + 12] >> 4) * 4
        if flags & 2 != 0 {
            next[direction] = sequence &+ 1
            sequence &+= 1
        }
        var payload = Array(bytes[start..<min(ip + big(ip + 2, 2), end)])
        // What was sent twice is there once.
        let known = Int(Int32(bitPattern: (next[direction] ?? sequence) &- sequence))
        if known > 0 { payload.removeFirst(min(known, payload.count)) }
        if !payload.isEmpty {
            next[direction] = sequence &+ UInt32(max(known, 0)) &+ UInt32(payload.count)
            pieces.append(RecordedPiece(client: client, isFromClient: isFromClient, kind: .bytes(payload)))
        }
        if flags & 5 != 0, ended.insert(direction).inserted {
            pieces.append(RecordedPiece(client: client, isFromClient: isFromClient, kind: .end))
        }
    }
    return pieces
}

/// The recording of a version and a name: beside the project, or one that it has itself; `nil` if there is none.
package func recording(_ version: String, _ name: String) -> String? {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    var places = [
        "\(root)/../shared/captures/\(version)/\(name).pcap", "\(root)/Captures/sessions/\(version)-\(name).pcap",
        "\(root)/Captures/\(name)-\(version).pcap",
    ]
    if version == "6.5" { places.append("\(root)/Captures/\(name).pcap") }
    return places.first { access($0, R_OK) == 0 }
}
