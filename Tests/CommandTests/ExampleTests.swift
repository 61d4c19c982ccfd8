import TestSupport
import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The example of the documentation.
@Suite struct ExampleTests {
    @Test func itLogsOnAndSaysHello() throws {
        let server = try RunningCommand("esdump", ["server", "--port", "0"])
        try #require(server.wait { $0.errors.contains("listening on 127.0.0.1:") }, "\(server.errors)")
        let start = try #require(server.errors.firstRange(of: "127.0.0.1:"))
        let port = server.errors[start.upperBound...].prefix { $0.isNumber }
        let friend = try RunningCommand("esdump", ["chat", "--user", "bb02", "--server", "127.0.0.1:\(port)"])
        try #require(friend.wait { $0.output.contains("logged on") })
        let example = try RunningCommand("SayHello", [String(port)])
        #expect(friend.wait { $0.output.contains("aa01: hello\n") }, "\(example.errors)")
        try friend.send("aa01: hello yourself\n".utf8)
        let outcome = try example.finish()
        #expect(outcome.status == 0 && outcome.output == "bb02: hello yourself\n")
        server.signal(SIGTERM)
        _ = try server.finish()
    }

    @Test(arguments: ["ESClient", "ESProtocol"]) func thePagesBeginWithIt(module: String) throws {
        let root = CommandRunner.root
        let example = String(decoding: try fileContents("\(root)/Examples/SayHello/main.swift"), as: UTF8.self)
        let page = String(
            decoding: try fileContents("\(root)/Sources/\(module)/\(module).docc/\(module).md"),
            as: UTF8.self
        )
        let first = try #require(page.firstRange(of: "```swift\n"))
        #expect(page[first.upperBound...].hasPrefix(example + "```\n"))
        // A title, what it is, and nothing else before it.
        #expect(page[..<first.lowerBound].split(separator: "\n").count == 3)
    }
}
