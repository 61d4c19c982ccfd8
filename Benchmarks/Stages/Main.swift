import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

private let help = """
    StageBenchmarks [FILE]            nanoseconds a packet and a message of each stage, over FILE or a sample
    StageBenchmarks run STAGE FILE    one stage and those before it, once, without a measurement
                                      (read, decode, reassemble, count, summary, json, hex, breakdown)
    StageBenchmarks bodies            nanoseconds a body: those of the framework, and described ones
    StageBenchmarks sample N FILE     writes a sample of N packets: the same bytes for the same number

    """

@main enum Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.count == 3, arguments[0] == "run", let stage = Stage(rawValue: arguments[1]) {
                let (packets, messages) = try stage.run(arguments[2])
                print("\(packets) packets, \(messages) messages")
            } else if arguments.count == 3, arguments[0] == "sample", let count = Int(arguments[1]), count > 0 {
                try save(Sample(packetCount: count).capture(), to: arguments[2])
            } else if arguments == ["bodies"] {
                try BodyBenchmark.run()
            } else if arguments.isEmpty {
                let path = "/tmp/esdump-stages-\(getpid()).pcap"
                defer { unlink(path) }
                try save(Sample(packetCount: 200_000).capture(), to: path)
                try measure(path)
            } else if arguments.count == 1, !arguments[0].hasPrefix("-") {
                try measure(arguments[0])
            } else {
                print(help, terminator: "")
                exit(arguments == ["--help"] ? 0 : 2)
            }
        } catch let error as CaptureError {
            fail(error.message)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        let line = Array("StageBenchmarks: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }

    private struct WriteError: Error, CustomStringConvertible {
        var description: String
    }

    private static func save(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw WriteError(description: "\(path) cannot be written") }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else {
            throw WriteError(description: "\(path) cannot be written")
        }
    }

    /// Each stage with those before it, seven times in turn; the medians, and what each adds.
    private static func measure(_ path: String) throws {
        var times: [Stage: [Double]] = [:]
        var counts = (packets: 0, messages: 0)
        for _ in 0..<7 {
            for stage in Stage.allCases {
                let clock = ContinuousClock()
                let start = clock.now
                let found = try stage.run(path)
                let (seconds, attoseconds) = (clock.now - start).components
                times[stage, default: []].append(Double(seconds) * 1e9 + Double(attoseconds) / 1e9)
                counts = (max(counts.packets, found.packets), max(counts.messages, found.messages))
            }
        }
        let packets = Double(max(counts.packets, 1))
        let messages = Double(max(counts.messages, 1))
        print("\(counts.packets) packets, \(counts.messages) messages; medians of seven runs, in nanoseconds\n")
        print("stage         a packet   a message   adds a packet   adds a message")
        var before = 0.0
        for stage in Stage.allCases {
            let median = times[stage]!.sorted()[3]
            let added = median - before
            // The formats stand each in the place of the counting.
            if Stage.allCases.firstIndex(of: stage)! < Stage.allCases.firstIndex(of: .count)! { before = median }
            print(
                pad(stage.rawValue, 10),
                right(median / packets, 11),
                right(median / messages, 11),
                right(added / packets, 15),
                right(added / messages, 16),
                "  " + stage.whatItAdds,
                separator: ""
            )
        }
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    private static func right(_ value: Double, _ width: Int) -> String {
        let tenths = Int((value * 10).rounded())
        let text = "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
        return String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
