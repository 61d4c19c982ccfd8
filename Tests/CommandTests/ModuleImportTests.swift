import TestSupport
import Testing

/// The house of CONTRIBUTING.md: each module knows only the floors below it.
@Suite struct ModuleImportTests {
    private let system: Set<String> = ["Darwin", "Glibc", "Musl"]
    private let allowed: [String: Set<String>] = [
        "ESProtocol": [],
        "DumpText": [],
        "Threads": [],
        "MessageFormat": ["ESProtocol"],
        "PacketCapture": ["CPcap", "CPrefetch", "CZlib", "CZstd", "CLzma", "CBzip2", "CLz4", "Threads"],
        "BodyDescription": ["CIconv", "CYaml", "CZlib", "ESProtocol"],
        "NetworkStack": ["PacketCapture"],
        "Sockets": ["Dispatch"],
        "ESClient": ["ESProtocol", "Sockets"],
        "ESServer": ["CCrypt", "Dispatch", "ESProtocol", "Sockets"],
        "CaptureAnalysis": ["CPcre2", "DumpText", "ESProtocol", "MessageFormat", "NetworkStack", "PacketCapture"],
    ]
    private let withoutSystem: Set<String> = ["ESProtocol", "DumpText", "NetworkStack", "CaptureAnalysis"]

    @Test func modulesImportOnlyWhatStandsBelowThem() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        for (module, others) in allowed {
            let files = try swiftFiles(in: "/\(root)/Sources/\(module)")
            #expect(!files.isEmpty)
            for file in files {
                for imported in try imports(of: file) {
                    let isAllowed =
                        others.contains(imported) || (system.contains(imported) && !withoutSystem.contains(module))
                    #expect(isAllowed, "\(file) imports \(imported)")
                }
            }
        }
    }

    /// With those of the folders within.
    private func swiftFiles(in folder: String) throws -> [String] {
        try fileNames(in: folder).flatMap { name in
            if name.hasSuffix(".swift") { return ["\(folder)/\(name)"] }
            return name.contains(".") ? [] : try swiftFiles(in: "\(folder)/\(name)")
        }
    }

    private func imports(of path: String) throws -> [String] {
        String(decoding: try fileContents(path), as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let position = words.firstIndex(of: "import"), position <= 1, words.count > position + 1 else {
                return nil
            }
            return words[0] == "import" || words[0].hasPrefix("@") ? String(words[position + 1]) : nil
        }
    }
}
