import TestSupport
import Testing

/// The house of CONTRIBUTING.md: each module knows only the floors below it.
@Suite struct ModuleImportTests {
    private let system: Set<String> = ["Darwin", "Glibc", "Musl"]
    private let allowed: [String: Set<String>] = [
        "ESProtocol": [],
        "Threads": [],
        "MessageFormat": ["ESProtocol"],
        "PacketCapture": ["CPcap", "CZlib", "CZstd", "CLzma", "CBzip2", "CLz4", "Threads"],
        "NetworkStack": ["PacketCapture"],
        "CaptureAnalysis": ["ESProtocol", "MessageFormat", "NetworkStack", "PacketCapture"],
    ]
    private let withoutSystem: Set<String> = ["ESProtocol", "NetworkStack", "CaptureAnalysis"]

    @Test func modulesImportOnlyWhatStandsBelowThem() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        for (module, others) in allowed {
            let folder = "/\(root)/Sources/\(module)"
            let files = try fileNames(in: folder).filter { $0.hasSuffix(".swift") }
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
