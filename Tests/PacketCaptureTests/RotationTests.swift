import TestSupport
import Testing

@testable import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct RotationTests {
    /// A folder that is removed with its files.
    final class Folder {
        let path: String

        init() throws {
            path = try makeTemporaryFolder()
        }

        var names: [String] {
            (try? CaptureInputs([path]).list.map(\.baseName)) ?? []
        }

        /// The first byte of each packet in a file.
        func packets(_ name: String) throws -> [UInt8] {
            var file = try CaptureFile(path: path + "/" + name, stop: StopFlag())
            var recorder = Recorder()
            _ = try file.read(into: &recorder)
            return recorder.entries.map { $0.bytes[0] }
        }

        deinit {
            for name in names { unlink(path + "/" + name) }
            rmdir(path)
        }
    }

    private func write(
        _ name: String,
        in folder: Folder,
        _ rotation: Rotation,
        _ packets: [(seconds: Int64, mark: UInt8, length: Int)]
    ) throws -> RotatingWriter {
        let path = folder.path + "/" + name
        let writer = try RotatingWriter(path: path, folder: try OutputFolder(of: path), rotation: rotation)
        for (number, packet) in packets.enumerated() {
            let bytes = [packet.mark] + [UInt8](repeating: 0, count: packet.length - 1)
            try bytes.withUnsafeBytes {
                try writer.write(
                    Packet(
                        number: UInt64(number + 1),
                        time: packet.seconds * 1_000_000_000,
                        linkType: 1,
                        originalLength: packet.length
                    ),
                    bytes: $0.bytes,
                    details: nil
                )
            }
        }
        try writer.finish()
        return writer
    }

    private func bySize(_ size: UInt64, count: Int? = nil) -> Rotation {
        var rotation = Rotation()
        (rotation.size, rotation.count) = (size, count)
        return rotation
    }

    private func byTime(_ seconds: Int64, count: Int? = nil) -> Rotation {
        var rotation = Rotation()
        (rotation.seconds, rotation.count, rotation.isUTC) = (seconds, count, true)
        return rotation
    }

    private let five: [(seconds: Int64, mark: UInt8, length: Int)] = (0..<5).map { (Int64($0), UInt8($0), 100) }

    @Test(arguments: ["a", "a.pcapng"]) func aFileThatIsLongerThanTheSizeIsFollowedByAnother(name: String) throws {
        let folder = try Folder()
        // The header and two packets.
        _ = try write(name, in: folder, bySize(200), five)
        #expect(folder.names == [name, name + "1", name + "2"])
        #expect(try folder.packets(name) == [0, 1])
        #expect(try folder.packets(name + "1") == [2, 3])
        #expect(try folder.packets(name + "2") == [4])
    }

    @Test func soManyFilesAreWrittenAgainFromTheFirst() throws {
        let folder = try Folder()
        _ = try write("a", in: folder, bySize(1, count: 3), five)
        #expect(folder.names == ["a0", "a1", "a2"])
        #expect(try folder.packets("a0") == [3] && folder.packets("a1") == [4] && folder.packets("a2") == [2])
    }

    @Test func numbersHaveTheDigitsOfTheLargest() throws {
        #expect(try bySize(1, count: 11).path("a", number: 7, time: 0) == "a07")
        #expect(try bySize(1, count: 10).path("a", number: 7, time: 0) == "a7")
        #expect(try bySize(1, count: 1).path("a", number: 0, time: 0) == "a")
        #expect(try bySize(1).path("a", number: 12, time: 0) == "a12")
    }

    @Test func aFileIsNamedByTheTimeOfItsFirstPacket() throws {
        let folder = try Folder()
        let times: [Int64] = [1_700_000_000, 1_700_000_059, 1_700_000_060, 1_700_000_500]
        _ = try write(
            "a-%Y%m%d-%H%M%S.pcap",
            in: folder,
            byTime(60),
            times.enumerated().map { ($1, UInt8($0), 10) }
        )
        #expect(folder.names == ["a-20231114-221320.pcap", "a-20231114-221420.pcap", "a-20231114-222140.pcap"])
        #expect(try folder.packets("a-20231114-221320.pcap") == [0, 1])
    }

    @Test func afterSoManyFilesNothingMoreIsWritten() throws {
        let folder = try Folder()
        let writer = try write("a%S", in: folder, byTime(2, count: 2), five)
        #expect(writer.isOver)
        #expect(folder.names == ["a00", "a02"])
        #expect(try folder.packets("a02") == [2, 3])
    }

    @Test func sizeAndTimeTogetherNumberTheFilesOfEachPeriod() throws {
        let folder = try Folder()
        var rotation = byTime(3)
        rotation.size = 1
        _ = try write("a%S-", in: folder, rotation, five)
        #expect(folder.names == ["a00-", "a00-1", "a00-2", "a03-", "a03-1"])
    }

    @Test func anUnwritableFolderFailsAtTheStart() throws {
        #expect(throws: CaptureError.self) { _ = try OutputFolder(of: "/nonexistent/a") }
        let folder = try Folder()
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        guard geteuid() != 0 else { return }
        #expect(throws: CaptureError.self) { _ = try write("a%S", in: folder, byTime(1), []) }
    }

    @Test func aNameThatTheTimeMakesAPathOfIsRefused() throws {
        let folder = try Folder()
        #expect(throws: CaptureError.self) { _ = try write("a%D", in: folder, byTime(1), []) }
    }

    @Test func filesAreMadeInTheFolderThatWasOpened() throws {
        let folder = try Folder()
        let path = folder.path + "/x"
        mkdir(path, 0o700)
        let opened = try OutputFolder(of: path + "/a")
        rename(path, folder.path + "/y")
        let writer = try RotatingWriter(path: path + "/a", folder: opened)
        try writer.finish()
        #expect(access(folder.path + "/y/a", R_OK) == 0)
        unlink(folder.path + "/y/a")
        rmdir(folder.path + "/y")
    }

    @Test func aFileThatIsBeingReadIsNotWritten() throws {
        let folder = try Folder()
        _ = try write("a", in: folder, Rotation(), five)
        var options = CaptureWriter.Options()
        options.protected = try CaptureInputs([folder.path]).files
        let path = folder.path + "/a"
        #expect(throws: CaptureError.self) { _ = try CaptureWriter(path: path, options: options) }
        #expect(try folder.packets("a").count == 5)
    }
}
