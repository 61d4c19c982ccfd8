import Dispatch
import TestSupport
import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs the program that was built beside the tests, as a shell would.
enum CommandRunner {
    struct Outcome {
        var output: String
        var errors: String
        /// The exit status; 128 and the signal, if one ended it.
        var status: Int32
    }

    /// The folder of the package, from which commands are run.
    static let root: String = {
        let folders = #filePath.split(separator: "/").dropLast(3)
        return "/" + folders.joined(separator: "/")
    }()

    /// The folder that the program was built into: that of the test bundle, or one above it.
    static let programFolder: String? = {
        var folder = testBinary.split(separator: "/")[...]
        while folder.popLast() != nil {
            let candidate = "/" + folder.joined(separator: "/")
            if access(candidate + "/esdump", X_OK) == 0 { return candidate }
        }
        return nil
    }()

    private static var testBinary: String {
        #if os(Linux)
            var path = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &path, path.count)
            return String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
            var information = Dl_info()
            guard dladdr(#dsohandle, &information) != 0, let name = information.dli_fname else { return "" }
            return String(cString: name)
        #endif
    }

    /// A fixed environment: time zone UTC, no settings of whoever runs the tests.
    static func environment(_ extra: [String] = []) throws -> [String] {
        let folder = try #require(programFolder, "esdump was not built beside the tests")
        return ["PATH=\(folder):/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TZ=UTC", "LC_ALL=C.UTF-8"] + extra
    }

    /// Runs a command line by sh and waits for its end.
    static func run(_ line: String, environment extra: [String] = []) throws -> Outcome {
        let command = try RunningCommand("/bin/sh", ["-c", line], environment: extra)
        command.closeInput()
        return try command.finish()
    }
}

/// A folder that is removed behind the test.
final class TemporaryFolder {
    let path: String

    init() throws { path = try makeTemporaryFolder() }

    deinit { _ = try? CommandRunner.run("rm -rf '\(path)'") }
}

/// A program that runs while the test talks to it.
final class RunningCommand {
    let process: pid_t
    private var input: Int32
    private var outputs: [Int32]
    private var texts: [[UInt8]] = [[], []]
    private var isWaitedFor = false

    /// - Parameter program: its path; without a slash it is looked for beside the tests and then in the usual folders.
    init(_ program: String, _ arguments: [String], environment extra: [String] = []) throws {
        Signals.ignoreBrokenPipe()
        let (childInput, input) = try Self.makePipe()
        let (output, childOutput) = try Self.makePipe()
        let (errors, childErrors) = try Self.makePipe()
        defer { for end in [childInput, childOutput, childErrors] { close(end) } }

        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
        posix_spawn_file_actions_adddup2(&actions, childErrors, 2)
        // Signals as a shell would set them: the threads of the tests block some, which would be inherited.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        // A group of its own, so that whatever it starts can be ended with it.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP)
        )

        let environment = try CommandRunner.environment(extra)
        let path = program.contains("/") ? program : "\(CommandRunner.programFolder ?? "")/\(program)"
        var child: pid_t = 0
        // sh goes to the folder, since not every system has a file action for that.
        let shell = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", CommandRunner.root, path]
        let status = Self.withCStrings(shell + arguments) { words in
            Self.withCStrings(environment) { variables in
                Self.starting.sync { posix_spawn(&child, shell[0], &actions, &attributes, words, variables) }
            }
        }
        (process, self.input, outputs) = (child, input, [output, errors])
        try #require(status == 0, "\(path): \(String(cString: strerror(status)))")
    }

    deinit {
        for end in [input] + outputs where end >= 0 { close(end) }
        guard !isWaitedFor else { return }
        kill(-process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Nothing is started between the making of a pipe and the word that it is not to be inherited.
    private static let starting = DispatchQueue(label: "starting")

    /// A pipe that no program inherits: what another test starts at the same time must not hold it open.
    static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        let status = starting.sync {
            let status = pipe(&ends)
            if status == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
            return status
        }
        try #require(status == 0)
        return (ends[0], ends[1])
    }

    private static func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }

    // MARK: - Talking to it

    func send(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        try #require(bytes.withUnsafeBytes { writeAll(input, $0) } == 0)
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    func signal(_ number: Int32) { kill(process, number) }

    /// What it has written to standard output.
    var output: String { String(decoding: texts[0], as: UTF8.self) }
    /// What it has written to standard error.
    var errors: String { String(decoding: texts[1], as: UTF8.self) }

    /// Reads what it writes until `condition` holds.
    /// - Returns: whether it came to hold within the time.
    func wait(seconds: Double = 20, until condition: (RunningCommand) -> Bool) -> Bool {
        let end = monotonicNanoseconds() + Int64(seconds * 1e9)
        while !condition(self) {
            guard monotonicNanoseconds() < end, read(milliseconds: 50) else { return condition(self) }
        }
        return true
    }

    /// Reads until it has ended, and takes its exit status.
    func finish(seconds: Double = 30) throws -> CommandRunner.Outcome {
        let end = monotonicNanoseconds() + Int64(seconds * 1e9)
        while read(milliseconds: 50) {
            guard monotonicNanoseconds() < end else {
                kill(-process, SIGKILL)
                Issue.record("it did not end within \(seconds) seconds; it said: \(errors)")
                break
            }
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isWaitedFor = true
        let signal = status & 0x7F
        return CommandRunner.Outcome(
            output: output,
            errors: errors,
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        )
    }

    /// - Returns: whether more can come.
    private func read(milliseconds: Int32) -> Bool {
        var polled = outputs.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return outputs.contains { $0 >= 0 } }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        for index in polled.indices where polled[index].revents != 0 {
            #if canImport(Darwin)
                let count = Darwin.read(outputs[index], &bytes, bytes.count)
            #else
                let count = Glibc.read(outputs[index], &bytes, bytes.count)
            #endif
            if count > 0 {
                texts[index] += bytes[..<count]
            } else {
                close(outputs[index])
                outputs[index] = -1
            }
        }
        return outputs.contains { $0 >= 0 }
    }
}
