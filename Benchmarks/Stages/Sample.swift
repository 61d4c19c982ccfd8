/// Makes a capture of conversations that are under way at once: the same bytes for the same numbers, on every machine.
///
/// A message has a header of 36 bytes and a body of 0 to 1,000 bytes. Segments are full, as in a busy connection, so that most
/// messages begin in one and end in the next; each is acknowledged. One segment in a hundred comes after the next one.
struct Sample {
    var packetCount: Int
    var conversations = 200

    private static let segmentLength = 1448

    private struct Conversation {
        var position: UInt32 = 0
        var messages: UInt32 = 0
        /// Bytes of messages that are still to be sent.
        var waiting: [UInt8] = []
        /// A segment that comes late.
        var late: [UInt8]?
        var hasBegun = false
    }

    /// The bytes of a pcap file.
    func capture() -> [UInt8] {
        var file: [UInt8] = []
        append(&file, little: UInt32(0xA1B2_C3D4))
        append(&file, little: UInt16(2))
        append(&file, little: UInt16(4))
        append(&file, little: UInt64(0))
        append(&file, little: UInt32(262_144))
        append(&file, little: UInt32(1))
        var states = [Conversation](repeating: Conversation(), count: conversations)
        var random: UInt64 = 1
        var packets = 0
        while packets < packetCount {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let index = Int(random >> 33) % conversations
            for frame in frames(index, &states[index], random) {
                append(&file, little: UInt32(1_700_000_000 + packets / 10_000))
                append(&file, little: UInt32(packets % 10_000 * 100))
                append(&file, little: UInt32(frame.count))
                append(&file, little: UInt32(frame.count))
                file += frame
                packets += 1
            }
        }
        return file
    }

    private func frames(_ index: Int, _ state: inout Conversation, _ random: UInt64) -> [[UInt8]] {
        guard state.hasBegun else {
            state.hasBegun = true
            return [
                frame(index, fromClient: true, sequence: 999, acknowledgement: 0, flags: 2),
                frame(index, fromClient: false, sequence: 999, acknowledgement: 1000, flags: 0x12),
            ]
        }
        while state.waiting.count < Self.segmentLength { appendMessage(to: &state, index, random) }
        let payload = Array(state.waiting[..<Self.segmentLength])
        state.waiting.removeFirst(Self.segmentLength)
        let data = frame(
            index,
            fromClient: true,
            sequence: 1000 &+ state.position,
            acknowledgement: 1000,
            flags: 0x10,
            payload
        )
        state.position &+= UInt32(Self.segmentLength)
        if let late = state.late {
            state.late = nil
            return [data, late, acknowledgement(index, state)]
        }
        if random >> 20 % 100 == 0 {
            state.late = data
            return []
        }
        return [data, acknowledgement(index, state)]
    }

    private func acknowledgement(_ index: Int, _ state: Conversation) -> [UInt8] {
        frame(index, fromClient: false, sequence: 1000, acknowledgement: 1000 &+ state.position, flags: 0x10)
    }

    private func appendMessage(to state: inout Conversation, _ index: Int, _ random: UInt64) {
        let mixed = (random ^ UInt64(state.messages)) &* 0x9E37_79B9_7F4A_7C15
        let length = Int(mixed >> 40) % 1001
        let type = [UInt16(100), 116, 201, 305, 7001][Int(mixed >> 20) % 5]
        state.waiting += [0xFF, 0]
        append(&state.waiting, little: type)
        append(&state.waiting, little: state.messages)
        append(&state.waiting, little: UInt32(length))
        appendID("user\(index)", to: &state.waiting)
        appendID("_0", to: &state.waiting)
        for offset in 0..<length { state.waiting.append(UInt8(truncatingIfNeeded: mixed >> UInt64(offset % 57))) }
        state.messages += 1
    }

    private func appendID(_ id: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(id.utf8.count))
        bytes += id.utf8
        bytes += [UInt8](repeating: 0, count: 11 - id.utf8.count)
    }

    /// Ethernet, IPv4, TCP; checksums are left zero, as by a network card.
    private func frame(
        _ index: Int,
        fromClient: Bool,
        sequence: UInt32,
        acknowledgement: UInt32,
        flags: UInt8,
        _ payload: [UInt8] = []
    ) -> [UInt8] {
        let client: UInt32 = 0x0A00_0001 + UInt32(index >> 8)
        let clientPort = UInt16(40_000 + index)
        var bytes: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]
        append(&bytes, big: UInt32(0x4500_0000) | UInt32(40 + payload.count))
        append(&bytes, big: UInt32(0x0000_4000))
        append(&bytes, big: UInt32(0x4006_0000))
        append(&bytes, big: fromClient ? client : 0x0A01_0001)
        append(&bytes, big: fromClient ? 0x0A01_0001 : client)
        append(&bytes, big: fromClient ? clientPort : 4530)
        append(&bytes, big: fromClient ? 4530 : clientPort)
        append(&bytes, big: sequence)
        append(&bytes, big: acknowledgement)
        bytes += [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]
        return bytes + payload
    }

    private func append(_ bytes: inout [UInt8], little value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    private func append(_ bytes: inout [UInt8], big value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }
}
