import PacketCapture
import Testing

@testable import esdump

@Suite struct PacketOriginsTests {
    @Test func eachPacketHasItsInput() throws {
        let origins = PacketOrigins(try CaptureInputs(["x/a.pcap", "b.pcap"]))
        #expect(origins.names == ["a.pcap", "b.pcap"])
        #expect(origins.input(ofPacket: 1) == nil)
        for packet in 1...100 { origins.note(packet: UInt64(packet), input: packet % 7 == 0 ? 1 : 0) }
        for packet in 1...100 {
            #expect(origins.input(ofPacket: UInt64(packet)) == (packet % 7 == 0 ? 1 : 0))
        }
    }

    @Test func whatIsTooOldHasNoInputRatherThanAWrongOne() throws {
        let origins = PacketOrigins(try CaptureInputs(["a", "b"]), limit: 8)
        for packet in 1...100 { origins.note(packet: UInt64(packet), input: packet % 2) }
        #expect(origins.input(ofPacket: 1) == nil)
        #expect(origins.input(ofPacket: 99) == 1 && origins.input(ofPacket: 100) == 0)
    }
}
