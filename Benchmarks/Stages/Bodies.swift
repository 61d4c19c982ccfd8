import BodyDescription
import ESProtocol

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What it costs to describe a body: those of the framework, and those that a user's file describes.
struct BodyBenchmark {
    private struct Case {
        var name: String
        var type: UInt16
        var isRequest: Bool
        var body: [UInt8]
        var describer: BodyDescriber
    }

    /// Ten fields, as an application may have them.
    private static let description = """
        meta: {id: bench, endian: le, encoding: UTF-8}
        enums: {kind: {1: walk, 2: run}}
        types:
          numbers:
            -esdump-message-type: 1000
            seq:
              - {id: room, type: u4}
              - {id: kind, type: u1, enum: kind}
              - {id: flags, type: u1}
              - {id: x, type: s4}
              - {id: y, type: s4}
              - {id: z, type: s4}
              - {id: speed, type: f4}
              - {id: sequence, type: u8}
              - {id: left, type: u2}
              - {id: right, type: u2}
          texts:
            -esdump-message-type: 1001
            seq:
              - {id: room, type: string}
              - {id: user, type: string}
              - {id: text, type: string}
              - {id: when, type: s8, -esdump-date: milliseconds}
              - {id: sequence, type: u4}
              - {id: signature, size: 8}
              - {id: mark, type: u1}
          string:
            seq:
              - {id: len, type: s4, -esdump-name: length}
              - {id: contents, type: str, size: len, -esdump-name: ''}
          list:
            -esdump-message-type: 1002
            seq:
              - {id: count, type: u2}
              - {id: players, type: player, repeat: expr, repeat-expr: count}
            instances: {is_full: {value: count >= 3}}
          player: {seq: [{id: id, type: u4}, {id: team, type: b4}, {id: rank, type: b4}, {id: name, type: strz}]}
        """

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8) }

    private static func cases() throws -> [Case] {
        let own = BodyDescriber(version: .v65)
        let described = BodyDescriber(
            profile: Profile(.v65),
            application: try DescribedBodies(DescriptionFile(description, name: "bench.ksy"))
        )
        let file: [UInt8] =
            text("a comment") + [0, 0xAC, 0x3C, 0x92, 0x2A, 0xA2, 1, 0, 0] + text("C:/files/report.pdf")
            + text("aa01_12") + [0x40, 0xE2, 1, 0, 0, 0, 0, 0]
        let users = ["aa01", "bb02", "cc03", "dd04"].reduce([4, 0, 0, 0]) { $0 + text($1) }
        func sized(_ body: [UInt8]) -> [UInt8] { [UInt8(body.count), 0, 0, 0] + body }
        return [
            Case(name: "framework, 301", type: 301, isRequest: true, body: sized(file), describer: own),
            Case(name: "framework, 110", type: 110, isRequest: false, body: sized(users), describer: own),
            Case(
                name: "described, numbers",
                type: 1000,
                isRequest: true,
                body: [1, 0, 0, 0, 2, 3] + (0..<28).map { UInt8($0) },
                describer: described
            ),
            Case(
                name: "described, texts",
                type: 1001,
                isRequest: true,
                body: text("lobby") + text("aa01") + text("good morning") + (0..<21).map { UInt8($0) },
                describer: described
            ),
            Case(
                name: "described, list",
                type: 1002,
                isRequest: true,
                body: [2, 0] + [1, 0, 0, 0, 0x21, 0x61, 0x61, 0] + [2, 0, 0, 0, 0x12, 0x62, 0x62, 0],
                describer: described
            ),
        ]
    }

    /// Nanoseconds of this thread's own time.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Prints nanoseconds a body: the least and the median of many rounds, as others use the machine too.
    static func run(only: String? = nil, rounds: Int = 500) throws {
        for item in try cases() where only == nil || item.name == only {
            let header = MessageHeader(
                layout: HeaderLayout(startToken: .ff, idSlot: 12),
                type: item.type,
                bodyLength: item.body.count
            )
            var times: [Double] = []
            var fields = 0
            for _ in 0..<rounds {
                let start = threadTime()
                for _ in 0..<200 {
                    let found = item.describer.describe(
                        body: item.body.span.bytes,
                        bodyOffset: 36,
                        header: header,
                        isRequest: item.isRequest
                    )
                    fields = found?.fields.count ?? 0
                }
                times.append((threadTime() - start) / 200)
            }
            times.sort()
            print("\(item.name): \(fields) fields in \(Int(times[0])) ns, median \(Int(times[times.count / 2])) ns")
        }
    }
}

extension MessageHeader {
    /// A header without ids.
    fileprivate init(layout: HeaderLayout, type: UInt16, bodyLength: Int) {
        var bytes = [UInt8](repeating: 0, count: layout.headerLength)
        bytes[0] = 0xFF
        bytes[2] = UInt8(truncatingIfNeeded: type)
        bytes[3] = UInt8(truncatingIfNeeded: type >> 8)
        bytes[8] = UInt8(truncatingIfNeeded: bodyLength)
        self.init(reading: bytes.span.bytes, layout: layout)
    }
}
