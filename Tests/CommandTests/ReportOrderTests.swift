import ESProtocol
import MessageFormat
import TestSupport
import Testing

@testable import esdump

/// Writes only which packet a line is of, and the number that it gets.
private struct PacketFormatter: ReportFormatter {
    mutating func appendLead(number: Int?, time: Int64, to out: inout OutputBuffer) {
        out.append(number.map { "#\($0) " } ?? "- ")
    }
    mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {}
    mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) {
        out.append("\(event.packet) \(event.reason)\n")
    }
}

@Suite struct ReportOrderTests {
    private let pool = ReportChunkPool()

    private func chunk(_ packets: [(packet: UInt64, reason: String)]) -> ReportChunk {
        var contents = ReportContents()
        for (packet, reason) in packets {
            let report = EventReport(
                kind: .notice,
                time: 0,
                packet: packet,
                conversation: 1,
                source: "",
                destination: "",
                reason: reason
            )
            _ = contents.append(report, input: nil)
        }
        let chunk = pool.take()
        chunk.exchange(&contents)
        return chunk
    }

    private func text(_ batches: [ReportBatch]) -> [String] {
        var formatter = PacketFormatter()
        var out = OutputBuffer()
        for batch in batches { batch.format(&formatter, to: &out, prepare: nil, pool: pool) { _ in } }
        return out.string().split(separator: "\n").map { String($0.dropFirst(2)) }
    }

    @Test func linesComeInTheOrderOfTheirPacketsAndThenAsTheyCame() {
        var order = ReportOrder()
        order.add(chunk([(1, "a"), (4, "b"), (4, "c"), (2, "d"), (4, "e"), (2, "f")]))
        order.add(chunk([(3, "g"), (9, "h"), (1, "i")]))
        order.settle(before: nil)
        let lines = text(order.takeSettled(all: true) { ReportBatch() })
        #expect(lines == ["1 a", "1 i", "2 d", "2 f", "3 g", "4 b", "4 c", "4 e", "9 h"])
    }

    @Test func whatMayStillBePrecededIsKept() {
        var order = ReportOrder()
        order.add(chunk([(1, "a"), (5, "b"), (3, "c")]))
        order.settle(before: 4)
        #expect(text(order.takeSettled(all: true) { ReportBatch() }) == ["1 a", "3 c"])
        order.add(chunk([(4, "d"), (6, "e")]))
        order.settle(before: nil)
        #expect(text(order.takeSettled(all: true) { ReportBatch() }) == ["4 d", "5 b", "6 e"])
    }

    /// Whatever the chunks and the moments at which something is settled.
    @Test func nothingIsLostOrTwice() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var order = ReportOrder()
            var open: [UInt64] = []
            var lines: [String] = []
            var next: UInt64 = 1
            for _ in 0..<20 {
                var packets: [(UInt64, String)] = []
                for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        open.append(next)
                    } else if Int.random(in: 0..<3, using: &generator) == 0, !open.isEmpty {
                        let index = Int.random(in: open.indices, using: &generator)
                        packets.append((open.remove(at: index), "late"))
                        continue
                    } else {
                        packets.append((next, "in order"))
                    }
                    next += 1
                }
                order.add(chunk(packets))
                order.settle(before: open.min() ?? next)
                lines += text(order.takeSettled(all: true) { ReportBatch() })
            }
            order.add(chunk(open.map { ($0, "at the end") }))
            order.settle(before: nil)
            lines += text(order.takeSettled(all: true) { ReportBatch() })
            let packets = lines.compactMap { line in UInt64(line.split(separator: " ")[0]) }
            #expect(packets == (1..<next).map { $0 })
        }
    }
}
