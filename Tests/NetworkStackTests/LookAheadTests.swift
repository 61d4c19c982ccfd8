import NetworkStack
import PacketCapture
import Testing

/// What is announced beforehand changes nothing, be it right, wrong or old.
@Suite struct LookAheadTests {
    /// Segments of some conversations in turn, announced by a rule.
    private func findings(announcing: (inout Wire, _ packet: Int, _ ports: [UInt16]) -> Void) -> [StreamFinding] {
        var wire = Wire()
        let ports = (0..<200).map { UInt16(1 + ($0 * 7) % 13) }
        var offsets: [UInt16: Int64] = [:]
        for (index, port) in ports.enumerated() {
            announcing(&wire, index, ports)
            wire.client.port = port
            if let offset = offsets[port] {
                wire.send(0, at: offset, pattern(Int(offset)..<Int(offset) + 5), ack: 0)
                offsets[port] = offset + 5
                // Some end and begin anew meanwhile.
                if offset > 50 {
                    wire.send(0, at: offset + 5, flags: TCPFlags.rst)
                    wire.base[0] &+= 100_000
                    offsets[port] = nil
                }
            } else {
                wire.syn()
                offsets[port] = 0
            }
        }
        wire.finish()
        return wire.sink.findings
    }

    @Test func theFindingsAreTheSame() {
        let expected = findings { _, _, _ in }
        #expect(expected.count > 200)
        let right = findings { wire, index, ports in
            guard index + 5 < ports.count else { return }
            wire.reassembler.approach(
                wire.packet + 6,
                source: Endpoint(v4: 0x0A00_0001, port: ports[index + 5]),
                destination: wire.server
            )
        }
        #expect(right == expected)
        let wrong = findings { wire, index, _ in
            for packet in 0..<16 as Range<UInt64> {
                wire.reassembler.approach(
                    packet,
                    source: wire.server,
                    destination: Endpoint(v4: 0x0A00_0001, port: UInt16(1 + index % 13))
                )
            }
        }
        #expect(wrong == expected)
    }
}
