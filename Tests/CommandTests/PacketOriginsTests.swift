import PacketCapture
import Testing

@testable import esdump

@Suite struct PacketOriginsTests {
    @Test func eachPacketHasTheNameOfItsInput() throws {
        let origins = PacketOrigins(try CaptureInputs(["x/a.pcap", "b.pcap"]))
        #expect(origins.baseName(ofPacket: 1) == nil)
        for packet in 1...100 { origins.note(packet: UInt64(packet), input: packet % 7 == 0 ? 1 : 0) }
        for packet in 1...100 {
            #expect(origins.baseName(ofPacket: UInt64(packet)) == (packet % 7 == 0 ? "b.pcap" : "a.pcap"))
        }
    }

    @Test func whatIsTooOldHasNoNameRatherThanAWrongOne() throws {
        let origins = PacketOrigins(try CaptureInputs(["a", "b"]), limit: 8)
        for packet in 1...100 { origins.note(packet: UInt64(packet), input: packet % 2) }
        #expect(origins.baseName(ofPacket: 1) == nil)
        #expect(origins.baseName(ofPacket: 99) == "b" && origins.baseName(ofPacket: 100) == "a")
    }
}
