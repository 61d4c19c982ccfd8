import ESProtocol

@testable import MessageFormat

/// A message for tests: real bytes from the recordings, or made up.
struct Sample {
    var bytes: [UInt8]
    var layout: HeaderLayout
    var direction: Direction
    var gaps: [MessageGap] = []
    var status = MessageStatus.complete

    /// From all its bytes in hex; blanks do not count.
    init(hex: String, token: HeaderLayout.StartToken, slot: UInt8, direction: Direction = .clientToServer) {
        bytes = Self.bytes(hex)
        layout = HeaderLayout(startToken: token, idSlot: slot)
        self.direction = direction
    }

    /// From its parts.
    init(
        token: HeaderLayout.StartToken = .ff,
        slot: UInt8 = 12,
        clientType: UInt8 = 0,
        type: UInt16,
        id: Int32 = 1,
        user: [UInt8],
        dest: [UInt8],
        body: [UInt8],
        direction: Direction = .clientToServer
    ) {
        layout = HeaderLayout(startToken: token, idSlot: slot)
        self.direction = direction
        bytes = [token.firstByte, token == .ffff ? 0xFF : clientType]
        bytes += [UInt8(truncatingIfNeeded: type), UInt8(type >> 8)]
        for value in [UInt32(bitPattern: id), UInt32(body.count)] {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
        }
        for name in [user, dest] {
            bytes.append(UInt8(name.count))
            bytes += name + [UInt8](repeating: 0, count: Int(slot) - 1 - name.count)
        }
        bytes += body
    }

    init(
        token: HeaderLayout.StartToken = .ff,
        slot: UInt8 = 12,
        clientType: UInt8 = 0,
        type: UInt16,
        id: Int32 = 1,
        user: String,
        dest: String,
        body: [UInt8],
        direction: Direction = .clientToServer
    ) {
        self.init(
            token: token,
            slot: slot,
            clientType: clientType,
            type: type,
            id: id,
            user: Array(user.utf8),
            dest: Array(dest.utf8),
            body: body,
            direction: direction
        )
    }

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8.filter { $0 > 0x20 })
        return stride(from: 0, to: digits.count, by: 2).map { at in
            UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// The same with bytes missing in the middle.
    func withGap(_ offset: Int, _ length: Int) -> Sample {
        var result = self
        result.gaps.append(MessageGap(offset: offset, length: length))
        result.status = .gap
        return result
    }

    /// The same with the end missing.
    func cut(at offset: Int) -> Sample {
        var result = withGap(offset, bytes.count - offset)
        result.status = .truncated
        return result
    }

    /// The bytes that are there.
    var present: [UInt8] {
        bytes.indices.filter { at in !gaps.contains { at >= $0.offset && at < $0.offset + $0.length } }.map {
            bytes[$0]
        }
    }

    var report: MessageReport {
        let toServer = direction == .clientToServer
        let (client, server) = ("127.0.0.1:44482", "127.0.0.1:4530")
        return MessageReport(
            time: 1_796_036_645_250_317_000,
            packet: 4,
            conversation: 1,
            direction: direction,
            source: toServer ? client : server,
            destination: toServer ? server : client,
            streamOffset: 0,
            status: status,
            header: MessageHeader(reading: bytes.span.bytes, layout: layout),
            gaps: gaps
        )
    }

    /// What a formatter writes for it.
    func text<F: ReportFormatter>(_ formatter: F, number: Int = 1) -> String {
        var formatter = formatter
        var out = OutputBuffer(capacity: 64)
        let report = report
        formatter.appendLead(number: number, time: report.time, to: &out)
        formatter.appendMessage(report, bytes: present.span.bytes, to: &out)
        formatter.appendEnd(to: &out)
        return out.string()
    }
}

extension Sample {
    // From PROTOCOL.md section 1 and the recordings login, login-password, login-refused.
    static let logon40 = Sample(
        hex: """
            ffff7400010000000c000000 046161303100000000000000 025f30000000000000000000
            080000000000000000000000
            """,
        token: .ffff,
        slot: 12
    )
    static let logon65 = Sample(
        type: 112,
        user: "aa01",
        dest: "_0",
        body: bytes("140000000800000046726565557365720000000000000000")
    )
    static let password65 = Sample(
        type: 112,
        user: "aa01",
        dest: "_0",
        body: bytes("220000000800000046726565557365720a00000070407373e5af86e7a0810400000053595331")
    )
    static let refusal65 = Sample(
        type: 112,
        user: "_0",
        dest: "aa01",
        body: bytes("24000000190000006261642070617373776f726420e5af86e7a081e99499e8afaf00010000000000"),
        direction: .serverToClient
    )
    static let password72 = Sample(
        token: .zeroF,
        slot: 14,
        clientType: 9,
        type: 112,
        user: "9#aa01",
        dest: "_0",
        body: bytes("2a0000000800000046726565557365720a00000070407373e5af86e7a0810c000000323032363131333053595331")
    )
    static let reply72 = Sample(
        token: .zeroF,
        slot: 14,
        type: 112,
        user: "_0",
        dest: "9#aa01",
        body: bytes("0b0000000000000000000000000000"),
        direction: .serverToClient
    )
    static let chinese = Sample(
        type: 202,
        id: 3,
        user: "张三",
        dest: "bb02",
        body: bytes("170000000f000000e4bda0e5a5bdefbc8ce4b896e7958c02000000")
    )
}

func options(_ change: (inout FormatOptions) -> Void = { _ in }) -> FormatOptions {
    var options = FormatOptions()
    options.isUTC = true
    change(&options)
    return options
}

func eventText<F: ReportFormatter>(_ formatter: F, _ event: EventReport) -> String {
    var formatter = formatter
    var out = OutputBuffer()
    formatter.appendLead(number: nil, time: event.time, to: &out)
    formatter.appendEvent(event, to: &out)
    return out.string()
}

func event(
    _ kind: EventReport.Kind,
    offset: Int64? = 0,
    length: Int64? = 20,
    reason: String = "",
    bytes: [UInt8] = [],
    direction: Direction? = nil
) -> EventReport {
    EventReport(
        kind: kind,
        time: 1_796_036_647_002_210_000,
        packet: 9,
        conversation: 1,
        source: "127.0.0.1:44482",
        destination: "127.0.0.1:4530",
        streamOffset: offset,
        length: length,
        reason: reason,
        bytes: bytes,
        direction: direction
    )
}
