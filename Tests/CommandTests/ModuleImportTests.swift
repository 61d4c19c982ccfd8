import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The house of CONTRIBUTING.md: each module knows only the floors below it.
@Suite struct ModuleImportTests {
    private let system: Set<String> = ["Darwin", "Glibc", "Musl"]
    private let allowed: [String: Set<String>] = [
        "ESProtocol": [],
        "MessageFormat": ["ESProtocol"],
        "PacketCapture": ["CPcap", "CZlib", "CZstd", "CLzma", "CBzip2", "CLz4"],
        "NetworkStack": ["PacketCapture"],
        "CaptureAnalysis": ["ESProtocol", "MessageFormat", "NetworkStack", "PacketCapture"],
    ]
    private let withoutSystem: Set<String> = ["ESProtocol", "NetworkStack", "CaptureAnalysis"]

    @Test func modulesImportOnlyWhatStandsBelowThem() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        for (module, others) in allowed {
            let folder = "/\(root)/Sources/\(module)"
            let files = try swiftFiles(in: folder)
            #expect(!files.isEmpty)
            for file in files {
                for imported in try imports(of: "\(folder)/\(file)") {
                    let isAllowed =
                        others.contains(imported) || (system.contains(imported) && !withoutSystem.contains(module))
                    #expect(isAllowed, "\(module)/\(file) imports \(imported)")
                }
            }
        }
    }

    private func swiftFiles(in folder: String) throws -> [String] {
        let directory = try #require(opendir(folder))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".swift") { names.append(name) }
        }
        return names
    }

    private func imports(of path: String) throws -> [String] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let position = words.firstIndex(of: "import"), position <= 1, words.count > position + 1 else {
                return nil
            }
            return words[0] == "import" || words[0].hasPrefix("@") ? String(words[position + 1]) : nil
        }
    }
}
