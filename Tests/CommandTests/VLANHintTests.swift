import PacketCapture
import Testing

/// The same capture with a VLAN tag in each packet.
@Suite struct VLANHintTests {
    private struct Tagger: PacketSink {
        let writer: CaptureWriter

        mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
            var tagged = bytes.withUnsafeBytes { Array($0) }
            tagged.insert(contentsOf: [0x81, 0, 0, 5], at: 12)
            var packet = packet
            packet.originalLength += 4
            return (try? tagged.withUnsafeBytes { try writer.write(packet, bytes: $0.bytes) }) != nil
        }

        mutating func timePassed(_ time: Int64) -> Bool { true }
    }

    @Test func aFilterThatMissesTaggedPacketsNamesTheFix() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/tagged.pcap"
        let writer = try CaptureWriter(path: path)
        var tagger = Tagger(writer: writer)
        var capture = try CaptureFile(path: CommandRunner.root + "/Captures/login.pcap", stop: StopFlag())
        _ = try capture.read(into: &tagger)
        try writer.finish()
        let hint =
            "esdump: packets with VLAN tags were there, behind which the filter \"tcp port 4530\" does not look; "
            + "with the filter \"vlan and (tcp port 4530)\" they pass\n"
        for command in ["esdump -r \(path) --count", "esdump streams \(path)"] {
            let missed = try CommandRunner.run("\(command) tcp port 4530")
            #expect(missed.errors == hint && missed.status == 0)
            #expect(try CommandRunner.run("\(command) 'vlan and (tcp port 4530)'").errors == "")
            #expect(try CommandRunner.run("\(command) tcp port 80").errors == "")
        }
    }
}
