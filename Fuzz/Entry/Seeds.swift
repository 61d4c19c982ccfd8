// Makes the inputs that the fuzzers begin with: FOLDER CAPTURE...
import FuzzChecks
import NetworkStack
import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@main enum Seeds {
    static func main() {
        let arguments = CommandLine.arguments
        for path in arguments.dropFirst(2) {
            let name = path.split(separator: "/").suffix(2).joined(separator: "-")
            var count = 0
            func write(_ target: String, _ bytes: [UInt8]) {
                count += 1
                guard let file = fopen("\(arguments[1])/\(target)/\(name)-\(count)", "w") else { return }
                fwrite(bytes, 1, bytes.count, file)
                fclose(file)
            }
            var room = [UInt8](repeating: 0, count: 16_384)
            if let file = fopen(path, "r") {
                write("reader", Array(room.prefix(fread(&room, 1, room.count, file))))
                fclose(file)
            }
            var maker = SeedMaker(take: write)
            do throws(CaptureError) {
                var capture = try CaptureFile(path: path)
                _ = try capture.read(into: &maker)
            } catch {}
            maker.finish()
        }
    }
}
