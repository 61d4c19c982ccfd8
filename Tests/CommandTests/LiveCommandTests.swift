import PacketCapture
import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP connection with both of its ends in the test, on 127.0.0.1.
private final class LocalConnection {
    let port: UInt16
    private let listener: Int32
    private var ends: (client: Int32, server: Int32) = (-1, -1)

    init() throws {
        let listener = Self.makeSocket()
        var address = Self.loopback(port: 0)
        let isBound = Self.withAddress(&address) { bind(listener, $0, $1) } == 0
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = Self.withAddress(&address) { name, _ in getsockname(listener, name, &length) } == 0
        try #require(isBound && isNamed && listen(listener, 1) == 0)
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { for end in [listener, ends.client, ends.server] where end >= 0 { close(end) } }

    func connect() throws {
        let client = Self.makeSocket()
        var address = Self.loopback(port: port)
        let isConnected = Self.withAddress(&address) { self.connect(client, $0, $1) } == 0
        try #require(isConnected)
        let server = accept(listener, nil, nil)
        try #require(server >= 0)
        ends = (client, server)
    }

    /// Sends the bytes through one end and takes them out of the other.
    func send(_ bytes: [UInt8], toServer: Bool) throws {
        let (from, to) = toServer ? (ends.client, ends.server) : (ends.server, ends.client)
        try #require(bytes.withUnsafeBytes { writeAll(from, $0) } == 0)
        var taken = [UInt8](repeating: 0, count: bytes.count)
        try #require(recv(to, &taken, taken.count, Int32(MSG_WAITALL)) == bytes.count)
    }

    private func connect(_ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        #if canImport(Darwin)
            Darwin.connect(socket, address, length)
        #else
            Glibc.connect(socket, address, length)
        #endif
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Darwin)
            let made = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        return made
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}

/// The command on the loopback interface of this machine.
@Suite(.serialized) struct LiveCommandTests {
    /// The name of the loopback interface, as `-D` tells it.
    static let loopback: String? = {
        guard let list = try? CommandRunner.run("esdump -D").output else { return nil }
        return list.split(separator: "\n").first { $0.contains("loopback") }
            .map { String($0.drop { $0 != "." }.dropFirst().prefix { $0 != " " }) }
    }()

    static let canCapture: Bool = {
        guard let loopback, let line = try? RunningCommand("esdump", ["-i", loopback, "-c", "1", "port", "1"]) else {
            return false
        }
        return line.wait(seconds: 10) { $0.errors.contains("\n") } && line.errors.contains("listening on")
    }()

    /// The messages of a real login: direction and bytes.
    private func login() throws -> [(toServer: Bool, bytes: [UInt8])] {
        let lines = try CommandRunner.run("esdump -r Captures/login.pcap --format json").output.split(separator: "\n")
        return lines.filter { $0.contains("\"n\":") }
            .map { line in
                let hex = value("header_hex", String(line)) + value("body_hex", String(line))
                let digits = Array(hex.utf8)
                let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
                }
                return (line.contains("\"c2s\""), bytes)
            }
    }

    private func value(_ key: String, _ json: String) -> Substring {
        guard let start = json.firstRange(of: "\"\(key)\":\"") else { return "" }
        return json[start.upperBound...].prefix { $0 != "\"" }
    }

    private func count(_ text: String, _ part: String) -> Int { text.ranges(of: part).count }

    /// Starts esdump, waits until it captures, and sends the login.
    private func capture(_ arguments: [String], expecting: Int = 3, mark: String = "\"n\":") throws -> RunningCommand {
        let connection = try LocalConnection()
        let command = try RunningCommand("esdump", arguments + ["tcp", "port", "\(connection.port)"])
        try #require(command.wait { $0.errors.contains("listening on") }, "\(command.errors)")
        // What -w cannot do is said behind it.
        try #require(!command.wait(seconds: 0.3) { $0.errors.contains("cannot") }, "\(command.errors)")
        try connection.connect()
        for (toServer, bytes) in try login() { try connection.send(bytes, toServer: toServer) }
        #expect(command.wait { self.count($0.output, mark) >= expecting }, "\(command.output) \(command.errors)")
        return command
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func theMessagesOfALoginShow() throws {
        let loopback = try #require(Self.loopback)
        let command = try capture(["-i", loopback, "--format", "json", "-l"])
        command.signal(SIGINT)
        let outcome = try command.finish()
        let names = outcome.output.split(separator: "\n").map { value("message_type_name", String($0)) }
        #expect(names.filter { !$0.isEmpty } == ["Logon", "Logon", "HeartBeat"])
        #expect(count(outcome.output, "\"status\":\"complete\"") == 3)
        #expect(outcome.errors.contains(" packets captured\n"))
        #expect(outcome.errors.contains(" packets received by filter\n"))
        #expect(outcome.errors.contains("0 packets dropped by kernel\n"))
        #expect(outcome.status == 0)
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func theStatisticsSignalTellsAndTheCaptureGoesOn() throws {
        let loopback = try #require(Self.loopback)
        let command = try capture(["-i", loopback, "-q"], mark: " bytes\n")
        command.signal(SIGUSR1)
        #expect(command.wait { $0.errors.contains("dropped by kernel") })
        command.signal(SIGTERM)
        let outcome = try command.finish()
        #expect(count(outcome.errors, "packets captured") == 2 && outcome.status == 0)
    }

    #if os(Linux)
        @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
        func anyDeviceShowsEachMessageToo() throws {
            let command = try capture(["-i", "any", "-q"], mark: " bytes\n")
            command.signal(SIGINT)
            let outcome = try command.finish()
            #expect(outcome.errors.hasPrefix("esdump: listening on any, ") && outcome.status == 0)
        }
    #endif

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func theNumberOfTheListNamesTheInterface() throws {
        let loopback = try #require(Self.loopback)
        let line = try #require(
            CommandRunner.run("esdump -D").output.split(separator: "\n").first { $0.contains(".\(loopback) ") }
        )
        let number = String(line.prefix { $0 != "." })
        let command = try capture(["-i", number, "-q", "-c", "8"], mark: " bytes\n")
        let outcome = try command.finish()
        #expect(outcome.errors.hasPrefix("esdump: listening on \(loopback), "))
        #expect(outcome.errors.contains("\n8 packets captured\n") && outcome.status == 0)
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func theWrittenFileSaysWhatWasShown() throws {
        let loopback = try #require(Self.loopback)
        let folder = try TemporaryFolder()
        // As root, privileges are dropped before the file is made.
        try #require(chmod(folder.path, 0o1777) == 0)
        let file = "\(folder.path)/live.pcap"
        let command = try capture(["-i", loopback, "-w", file, "-U", "-t", "-q"], mark: " bytes\n")
        // Written at once, since -U asks for it.
        let during = try CommandRunner.run("esdump -r \(file) -t -q")
        #expect(during.output == command.output)
        command.signal(SIGINT)
        #expect(try command.finish().status == 0)
        var status = stat()
        try #require(stat(file, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        if geteuid() == 0 { #expect(status.st_uid != 0) }
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func pcapngSaysTheInterfaceAndWhatItDropped() throws {
        let loopback = try #require(Self.loopback)
        let folder = try TemporaryFolder()
        try #require(chmod(folder.path, 0o1777) == 0)
        let path = "\(folder.path)/live.pcapng"
        let command = try capture(["-i", loopback, "-w", path, "-q"], mark: " bytes\n")
        command.signal(SIGINT)
        #expect(try command.finish().status == 0)
        var file = try CaptureFile(path: path, stop: StopFlag())
        var counter = PacketCounter()
        _ = try file.read(into: &counter)
        #expect(file.notes.interfaces.count == 1)
        let interface = try #require(file.notes.interfaces.first)
        #expect(interface.name == loopback && interface.dropped == 0)
        #expect(try #require(interface.received) >= counter.count && counter.count > 0)
    }

    private struct PacketCounter: PacketSink {
        var count: UInt64 = 0
        mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
            count += 1
            return true
        }
        mutating func timePassed(_ time: Int64) -> Bool { true }
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func afterTheLastFileOfATimeTheCaptureEndsByItself() throws {
        let loopback = try #require(Self.loopback)
        let folder = try TemporaryFolder()
        try #require(chmod(folder.path, 0o1777) == 0)
        // Nothing comes: it ends all the same.
        let outcome = try CommandRunner.run(
            "esdump -i \(loopback) -w \(folder.path)/a%Y.pcap -G 1 -W 1 port 1; ls \(folder.path) | wc -l"
        )
        #expect(outcome.status == 0 && outcome.output.hasSuffix("1\n"), "\(outcome)")
    }

    @Test(.enabled(if: canCapture && geteuid() == 0, "only root has privileges to drop"))
    func filesAreMadeInAFolderThatOnlyRootCanReach() throws {
        let loopback = try #require(Self.loopback)
        let folder = try TemporaryFolder()
        let inner = folder.path + "/inner"
        try #require(mkdir(inner, 0o700) == 0 && chmod(inner, 0o777) == 0)
        let command = try capture(
            ["-i", loopback, "-w", inner + "/a.pcap", "-C", "1k", "-W", "2", "-U", "-q"],
            mark: " bytes\n"
        )
        command.signal(SIGINT)
        #expect(try command.finish().status == 0)
        #expect(access(inner + "/a.pcap0", R_OK) == 0)
        try #require(chmod(inner, 0o755) == 0)
        let refused = try CommandRunner.run("esdump -i \(loopback) -w '\(inner)/b%S' -G 1 port 1")
        #expect(refused.status == 2 && refused.errors.contains("no file can be made in it"), "\(refused.errors)")
    }

    @Test(.enabled(if: canCapture && geteuid() == 0, "only root has privileges to drop"))
    func privilegesStayIfRootIsNamed() throws {
        let loopback = try #require(Self.loopback)
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/live.pcap"
        let command = try capture(["-i", loopback, "-w", file, "-Z", "root", "-q"], mark: " bytes\n")
        command.signal(SIGINT)
        #expect(try command.finish().status == 0)
        let refused = try CommandRunner.run("esdump -i \(loopback) -w \(folder.path)/no.pcap port 1")
        #expect(refused.status == 2 && refused.errors.contains("privileges were dropped to nobody"))
    }

    @Test(.enabled(if: canCapture && geteuid() == 0, "only root can become somebody else"))
    func withoutPermissionItSaysWhatToRun() throws {
        let loopback = try #require(Self.loopback)
        // The folder that the program was built into may be closed to others.
        let folder = try TemporaryFolder()
        try #require(chmod(folder.path, 0o755) == 0)
        let outcome = try CommandRunner.run(
            "cp \"$(command -v esdump)\" \(folder.path)/esdump && chmod 755 \(folder.path)/esdump && "
                + "su nobody -s /bin/sh -c '\(folder.path)/esdump -i \(loopback)'"
        )
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.hasPrefix("esdump: no permission to capture on \(loopback): "))
        #expect(outcome.errors.contains("sudo") && lineCount(outcome.errors) == 1)
        #if os(Linux)
            #expect(outcome.errors.contains("setcap cap_net_raw,cap_net_admin+eip"))
        #endif
    }

    private func lineCount(_ text: String) -> Int { text.split(separator: "\n").count }

    @Test func anUnknownInterfaceIsNamedWithThoseThatExist() throws {
        let outcome = try CommandRunner.run("esdump -i nosuchdevice")
        #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains("nosuchdevice"))
        if let loopback = Self.loopback { #expect(outcome.errors.contains(loopback)) }
    }

    @Test(.enabled(if: canCapture, "raw capture is not permitted here"))
    func aWrongFilterEndsItBeforeItListens() throws {
        let loopback = try #require(Self.loopback)
        let outcome = try CommandRunner.run("esdump -i \(loopback) portt 4530")
        #expect(outcome.status == 2 && outcome.errors.contains("\"portt 4530\""))
        #expect(!outcome.errors.contains("listening"))
    }
}
