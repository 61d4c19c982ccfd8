import NetworkStack
import PacketCapture
import TestSupport
import Testing

@testable import CaptureAnalysis
@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct StreamFilesTests {
    private func stream(_ number: Int, side: Int = 0, port: UInt16 = 50000) -> ListedStream {
        let client = Endpoint(v4: 0xC0A8_0164, port: port)
        let server = Endpoint(v4: 0x0A00_0002, port: 4530)
        return ListedStream(
            conversation: number,
            side: side,
            source: side == 0 ? client : server,
            destination: side == 0 ? server : client,
            start: 1_700_000_000_000_000_000
        )
    }

    @Test func thousandsOfStreamsLoseNothingWithThreeFilesOpen() throws {
        let path = try makeTemporaryFolder()
        var options = StreamFiles.Options()
        options.openFiles = 3
        let files = try StreamFiles(folder: path, options: options)
        var random = SystemRandomNumberGenerator()
        var expected = [[UInt8]](repeating: [], count: 2000)
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<2000, using: &random)
            let size = Int.random(in: 0..<100, using: &random) == 0 ? 20_000 : 9
            let bytes = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
            expected[number] += bytes
            bytes.withUnsafeBytes { files.append(stream(number, port: UInt16(number)), $0) }
        }
        #expect(files.error == nil)
        for number in expected.indices {
            let name = files.finish(number)[0]
            if expected[number].isEmpty {
                #expect(name == nil)
            } else {
                #expect(try fileContents("\(path)/\(#require(name))") == expected[number])
            }
        }
        #expect(files.error == nil && files.byteCount == expected.reduce(0) { $0 + Int64($1.count) })
    }

    @Test func filesArePrivateAndNothingIsReplacedUnlessForced() throws {
        let path = try makeTemporaryFolder()
        let name = "192.168.001.100.50000-010.000.000.002.04530"
        func write(_ text: String, replaces: Bool) throws -> CaptureError? {
            var options = StreamFiles.Options()
            options.replaces = replaces
            let files = try StreamFiles(folder: path, options: options)
            Array(text.utf8).withUnsafeBytes { files.append(stream(1), $0) }
            _ = files.finish(1)
            return files.error
        }
        #expect(try write("one", replaces: false) == nil)
        var status = stat()
        #expect(stat("\(path)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try write("two", replaces: false)?.message.contains("--force") == true)
        #expect(try fileContents("\(path)/\(name)") == Array("one".utf8))
        // A link in its place is replaced; what it points to stays.
        #expect(rename("\(path)/\(name)", "\(path)/kept") == 0 && symlink("kept", "\(path)/\(name)") == 0)
        #expect(try write("three", replaces: false) != nil)
        #expect(try write("three", replaces: true) == nil)
        #expect(try fileContents("\(path)/kept") == Array("one".utf8))
        #expect(try fileContents("\(path)/\(name)") == Array("three".utf8))
    }

    @Test func laterConversationsOfTheSamePortsHaveACount() throws {
        let files = try StreamFiles(folder: try makeTemporaryFolder())
        var names: [String] = []
        for number in 1...2 {
            for side in 0...1 {
                [UInt8](repeating: 1, count: 3).withUnsafeBytes { files.append(stream(number, side: side), $0) }
            }
            names += files.finish(number).compactMap { $0 }
        }
        let there = "192.168.001.100.50000-010.000.000.002.04530"
        let back = "010.000.000.002.04530-192.168.001.100.50000"
        #expect(names == [there, back, there + "c1", back + "c1"])
    }

    @Test func aTemplateThatDoesNotTellStreamsApartGivesNoFileTwice() throws {
        var options = StreamFiles.Options()
        options.template = try #require(NameTemplate("all"))
        let files = try StreamFiles(folder: try makeTemporaryFolder(), options: options)
        for number in 1...3 { [UInt8(number)].withUnsafeBytes { files.append(stream(number), $0) } }
        #expect((1...3).map { files.finish($0)[0] } == ["all", "all.2", "all.3"])
    }

    @Test func namesAreSafe() throws {
        let six = ListedStream(
            conversation: 12,
            side: 0,
            source: Endpoint(high: 0x2001_0DB8_0000_0000, low: 1, port: 5),
            destination: Endpoint(v4: 1, port: 6),
            start: 0
        )
        func name(_ template: String) throws -> String { try #require(NameTemplate(template)).name(six, count: 2) }
        #expect(try name("%A.%a") == "2001_db8__1.00005")
        #expect(try name("../%#/x y\u{1B}[2J") == "_.._12_x_y__2J")
        #expect(try name("%%%b%C%c") == "%00006c2")
        #expect(try name("%T-%t") == "1970-01-01T00_00_00Z-0")
        #expect(try name("-rf") == "_-rf")
        #expect(try name(String(repeating: "long", count: 100)).utf8.count < 200)
        #expect(NameTemplate("%z") == nil && NameTemplate("50%") == nil)
        #expect(NameTemplate(NameTemplate.standardText) == NameTemplate.standard)
    }
}
