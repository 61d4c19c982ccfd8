import PacketCapture
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct LiveTests {
    /// Sends a datagram to a port of this machine each time it waits, until one is captured.
    struct Sender: PacketSink {
        var port: UInt16
        var sent = 0
        var captured: [UInt8] = []

        mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
            captured = bytes.withUnsafeBytes { Array($0) }
            return false
        }

        mutating func timePassed(_ time: Int64) -> Bool {
            #if canImport(Darwin)
                let sender = socket(AF_INET, SOCK_DGRAM, 0)
            #else
                let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            #endif
            defer { close(sender) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let text = Array("esdump".utf8)
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(sender, text, text.count, 0, $0, length) }
            }
            sent += 1
            return sent < 20
        }
    }

    static var loopback: String? { (try? CaptureDevice.list())?.first { $0.isLoopback }?.name }

    static var canCapture: Bool {
        var options = LiveOptions()
        options.device = loopback
        return loopback != nil && (try? LiveCapture(options)) != nil
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func aDatagramOnLoopbackIsCaptured() throws {
        var options = LiveOptions()
        options.device = Self.loopback
        options.filter = "udp port 45317"
        let capture = try LiveCapture(options, stop: StopFlag())
        var sender = Sender(port: 45_317)
        let end = try capture.read(into: &sender)
        #expect(end == .sinkEnough)
        #expect(sender.captured.suffix(6) == Array("esdump".utf8)[...])
        #expect(capture.statistics().captured == 1)
    }

    @Test func anUnknownDeviceIsNamedTogetherWithThoseThatExist() {
        var options = LiveOptions()
        options.device = "nosuchdevice0"
        do throws(CaptureError) {
            _ = try LiveCapture(options)
            Issue.record("it was opened")
        } catch {
            #expect(error.kind == .noSuchDevice && error.exitStatus == 2)
            #expect(error.message.contains("nosuchdevice0"))
            if let loopback = Self.loopback { #expect(error.message.contains(loopback)) }
        }
    }
}
