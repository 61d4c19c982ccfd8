import ESProtocol
import Foundation
import Testing

/// What it costs to describe a body. Only with optimisation a measure of anything:
/// `ESDUMP_SPEED=1 swift test -c release -Xswiftc -enable-testing --disable-xctest --filter BodySpeedTests`
@Suite(.enabled(if: ProcessInfo.processInfo.environment["ESDUMP_SPEED"] != nil))
struct BodySpeedTests {
    /// Nanoseconds of this thread's own time.
    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Nanoseconds a body: the fastest of many rounds, as others use the machine too.
    private func cost(_ type: UInt16, _ hex: String, isRequest: Bool) -> (fields: Int, nanoseconds: Double) {
        let body = bytes(hex)
        let header = header(type, .v65, bodyLength: body.count)
        let describer = BodyDescriber(version: .v65)
        var best = Double.infinity
        var fields = 0
        for _ in 0..<500 {
            let start = threadTime()
            for _ in 0..<200 {
                fields =
                    describer.describe(body: body.span.bytes, bodyOffset: 36, header: header, isRequest: isRequest)?
                    .fields.count ?? 0
            }
            best = min(best, (threadTime() - start) / 200)
        }
        return (fields, best)
    }

    @Test(
        arguments: [
            // BeginSendFile with comment, date, path and project.
            (
                301,
                "40000000 09000000 6120636f6d6d656e74 00 ac3c922aa2010000 12000000 433a2f66696c65732f7265706f72742e706466"
                    + " 07000000 616130315f3132 40e2010000000000"
            ),
            // RejectOrAcceptFile
            (
                302,
                "2c000000 01 0000000000000000 ffffffff 0000000000000000 07000000 616130315f3132 8813000000000000 ffffffff"
            ),
            // GetAllOnlineUsers: a list of four.
            (110, "24000000 04000000 04000000 61613031 04000000 62623032 04000000 63633033 04000000 64643034"),
        ] as [(UInt16, String)]
    ) func tenFieldsInAMicrosecond(type: UInt16, hex: String) {
        let (fields, nanoseconds) = cost(type, hex, isRequest: type != 110)
        print("type \(type): \(fields) fields in \(Int(nanoseconds)) ns")
        #expect(fields >= 10)
        #expect(nanoseconds < 1000)
    }
}
