import Dispatch
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads lines from standard input for tasks, on a thread of its own. It reads on only when a line is asked for.
final class LineReader: @unchecked Sendable {
    private static let maximumLine = 1 << 20
    private let queue = DispatchQueue(label: "standard input")
    // Used on the queue alone.
    private var bytes: [UInt8] = []
    private var isAtEnd = false

    /// - Returns: the next line without its end; `nil` at the end of the input, and if the task is cancelled.
    func next() async -> String? {
        let line = OneShot<String?>()
        queue.async { line.give(.success(self.read())) }
        return (try? await line.value()) ?? nil
    }

    private func read() -> String? {
        var searched = 0
        while true {
            if let end = bytes[searched...].firstIndex(of: 10) {
                defer { bytes.removeFirst(end + 1) }
                return text(bytes[..<end])
            }
            searched = bytes.count
            if isAtEnd || bytes.count > Self.maximumLine {
                defer { bytes = [] }
                return bytes.isEmpty ? nil : text(bytes[...])
            }
            readMore()
        }
    }

    private func text(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }

    private func readMore() {
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            #if canImport(Darwin)
                let count = Darwin.read(STDIN_FILENO, &part, part.count)
            #elseif canImport(Musl)
                let count = Musl.read(STDIN_FILENO, &part, part.count)
            #else
                let count = Glibc.read(STDIN_FILENO, &part, part.count)
            #endif
            if count < 0, errno == EINTR, !Signals.endIsRequested { continue }
            if count > 0 { bytes += part[..<count] } else { isAtEnd = true }
            return
        }
    }
}
