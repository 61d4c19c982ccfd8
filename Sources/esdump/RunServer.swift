import ESProtocol
import ESServer
import MessageFormat
import PacketCapture
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// `esdump server`: serves until it is asked to end.
/// - Returns: the exit status.
func runServer(_ options: Options) -> Int32 {
    do throws(UsageError) {
        if let user = options.server.newUser { return try addUser(user, to: options.server.users ?? "") }
        let settings = try serverOptions(options)
        let encoding = try options.encoding.map { name throws(UsageError) in try TextEncoding(name) }
        let writer = OutputWriter(writesEachRecord: true)
        let format = formatOptions(options, encoding: encoding, writer: writer)
        let names = options.describedBodies?.messageTypeNames ?? [:]
        func serveShowing(_ formatter: some ReportFormatter) -> Int32 {
            serve(settings, ServerReporter(formatter, writer, describedNames: names))
        }
        switch options.format {
        case .breakdown: return serveShowing(BreakdownFormatter(format))
        case .summary: return serveShowing(SummaryFormatter(format))
        case .hex: return serveShowing(HexFormatter(format))
        case .json: return serveShowing(JSONFormatter(format))
        }
    } catch {
        report(error.message)
        return ExitStatus.usage
    }
}

private func serve<Formatter: ReportFormatter>(
    _ options: ServerOptions,
    _ reporter: ServerReporter<Formatter>
) -> Int32 {
    Signals.install()
    // A connection takes a descriptor; files and the like take some.
    let wanted = options.maximumConnections + 64
    let there = DescriptorLimit.raise(to: wanted)
    if there < wanted {
        report(
            "the system allows \(there) descriptors: connections beyond about \(max(there - 64, 0)) will have to wait"
        )
    }
    let server = ESServer(options: options, report: { reporter.take($0) })
    let failure: String? = runWaiting {
        do {
            let addresses = try await server.start()
            for address in addresses { report("listening on \(address)") }
            if options.checkPassword == nil, let open = addresses.first(where: { !$0.isLoopback }) {
                report("whoever reaches \(open) may log on as anybody, since there is no --users")
            }
            // Until the reader of the output has gone, or a signal came.
            while reporter.isOpen, !Signals.endIsRequested { try await Task.sleep(for: .milliseconds(50)) }
            await server.stop()
            return nil
        } catch {
            return "\(error)"
        }
    } onInterrupt: {
        await server.stop()
    }
    if let failure {
        report(failure)
        return ExitStatus.usage
    }
    return reporter.finish()
}

private func serverOptions(_ options: Options) throws(UsageError) -> ServerOptions {
    let wanted = options.server
    var settings = ServerOptions()
    if !wanted.addresses.isEmpty { settings.hosts = wanted.addresses }
    settings.port = wanted.port
    settings.groups = wanted.groups
    settings.secondLogon = wanted.secondLogon == .replace ? .replaces : .refused
    settings.echoesHeartbeats = wanted.echoesHeartbeats
    settings.offersPeerToPeer = wanted.offersPeerToPeer
    settings.allowsKickOut = wanted.allowsKickOut
    settings.maximumConnections = wanted.maximumConnections
    settings.logonTime = .nanoseconds(wanted.logonTime)
    settings.heartbeatTime = .nanoseconds(wanted.heartbeatTime)
    settings.maximumBody = wanted.maximumBody
    settings.profile = try sessionProfile(options)
    if let path = wanted.answers {
        do throws(UsageError) {
            let file = try AnswerFile(textFile(path))
            settings.answer = { file.answer($0) }
        } catch {
            throw UsageError(error.message.hasPrefix(path) ? error.message : "\(path), \(error.message)")
        }
    }
    if let path = wanted.users { settings.checkPassword = try passwordCheck(path) }
    return settings
}

/// The profile that the options of the header layout name; `nil` if they name none.
func sessionProfile(_ options: Options) throws(UsageError) -> SessionProfile? {
    guard let chosen = options.profile else {
        guard options.userIDLength == nil, options.idSlot == nil else {
            throw UsageError("--user-id-length and --id-slot go with --profile: \(Command.server.usage)")
        }
        return nil
    }
    return try sessionProfile(chosen.version, options)
}

/// The profile of a version, with what the options say of the length of user ids.
func sessionProfile(_ version: ProtocolVersion, _ options: Options) throws(UsageError) -> SessionProfile {
    var profile = SessionProfile(version, maximumUserIDLength: options.userIDLength ?? 11)
    if let length = options.userIDLength, Profile(version).idSlot(maximumUserIDLength: length) == nil {
        throw UsageError("--user-id-length \(length): does not fit a header of version \(version.name)")
    }
    if let slot = options.idSlot { profile.layout.idSlot = slot }
    return profile
}

#if os(Linux)
    private func passwordCheck(
        _ path: String
    ) throws(UsageError) -> @Sendable (String, String) async -> PasswordVerdict {
        let contents = try textFile(path)
        do throws(PasswordFile.Failure) {
            let checker = PasswordChecker(try PasswordFile(contents))
            return { await checker.check($0, $1) }
        } catch {
            throw UsageError("\(path), \(error)")
        }
    }

    /// Asks for a password and adds a line to the file, which is made if it is not there, for its owner's eyes only.
    private func addUser(_ user: String, to path: String) throws(UsageError) -> Int32 {
        if let objection = UserIDCheck.objection(Array(user.utf8), maximumLength: 255) {
            throw UsageError("--add-user \(user): \(objection) is not taken")
        }
        var contents: [UInt8] = []
        if access(path, F_OK) == 0 { contents = try textFile(path) }
        do throws(PasswordFile.Failure) {
            let file = try PasswordFile(contents)
            guard !file.users.contains(user) else {
                throw PasswordFile.Failure(line: 0, reason: "\(user) stands in it already: remove the line first")
            }
            guard let password = askPassword("Password of \(user): ") else {
                throw PasswordFile.Failure(line: 0, reason: "no password was given")
            }
            let newline = contents.last.map { $0 == 10 } ?? true ? "" : "\n"
            try append("\(newline)\(user):\(try PasswordFile.hash(password))\n", to: path)
        } catch {
            throw UsageError("\(path), \(error)")
        }
        return ExitStatus.success
    }

    private func append(_ text: String, to path: String) throws(PasswordFile.Failure) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw PasswordFile.Failure(line: 0, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var text = text
        let error = text.withUTF8 { writeAll(descriptor, UnsafeRawBufferPointer($0)) }
        guard error == 0 else { throw PasswordFile.Failure(line: 0, reason: String(cString: strerror(error))) }
    }
#else
    private func passwordCheck(
        _ path: String
    ) throws(UsageError) -> @Sendable (String, String) async -> PasswordVerdict {
        throw UsageError("--users: this system makes no salted hashes of passwords")
    }

    private func addUser(_ user: String, to path: String) throws(UsageError) -> Int32 {
        throw UsageError("--add-user: this system makes no salted hashes of passwords")
    }
#endif
