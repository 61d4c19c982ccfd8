import ESClient
import ESProtocol
import MessageFormat
import Sockets

/// `esdump chat`: logs on, shows what comes and sends what is typed.
/// - Returns: the exit status.
func runChat(_ options: Options) -> Int32 {
    Signals.install()
    let profile: SessionProfile
    let password: String
    do throws(UsageError) {
        profile = try sessionProfile(options.profile?.version ?? .v65, options)
        password = try chatPassword(options.chat)
    } catch {
        report(error.message)
        return ExitStatus.usage
    }
    let chat = Chat(options.chat, profile)
    return runWaiting {
        await chat.run(password: password)
    } onInterrupt: {
        await chat.interrupt()
    }
}

private func chatPassword(_ options: ChatCommandOptions) throws(UsageError) -> String {
    if let path = options.passwordFile {
        let line = try textFile(path, maximum: 1 << 16).prefix { $0 != 10 }
        return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
    guard options.asksPassword else { return "" }
    guard let password = askPassword("Password of \(options.user): ") else {
        throw UsageError("--ask-password: no password was given")
    }
    return password
}

/// One chat: a client, the terminal, and what goes between them.
private final class Chat: Sendable {
    private let options: ChatCommandOptions
    private let client: ESClient
    private let lines = LineReader()
    private let screen = ChatScreen()

    init(_ options: ChatCommandOptions, _ profile: SessionProfile) {
        self.options = options
        client = ESClient(profile: profile)
    }

    func interrupt() async { await client.logOff() }

    func run(password: String) async -> Int32 {
        do {
            try await client.connect(host: options.server.host, port: options.server.port)
            let result = try await client.logOn(
                userID: options.user,
                password: password,
                systemToken: options.systemToken
            )
            guard result.isSuccess else {
                report(result.description)
                return ExitStatus.damaged
            }
        } catch {
            report("\(error)")
            return ExitStatus.damaged
        }
        screen.say("logged on as \(options.user) to \(options.server); /help tells what to type")
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await self.showEvents() }
            group.addTask { await self.readLines() }
            // The end of the session decides; the end of the input leads to it.
            var status: Int32?
            while status == nil, let result = await group.next() { status = result }
            group.cancelAll()
            return status ?? ExitStatus.success
        }
    }

    // MARK: - What comes

    private func showEvents() async -> Int32? {
        for await event in client.incoming {
            if case .ended(let reason) = event {
                if reason == .loggedOff { return screen.isOpen ? ExitStatus.success : ExitStatus.damaged }
                report(reason.description)
                return ExitStatus.damaged
            }
            await show(event)
            if !screen.isOpen { await client.logOff() }
        }
        return ExitStatus.success
    }

    private func show(_ event: ClientEvent) async {
        switch event {
        case .message(let message):
            let group = message.group.map { " (to \($0))" } ?? ""
            let tag = message.tag.map { " [\($0)]" } ?? ""
            screen.say("\(name(message.sender))\(group)\(tag): \(message.text)")
        case .blob(let blob):
            screen.say("\(name(blob.sender)) sent \(blob.content?.count ?? 0) bytes, type \(blob.type)")
        case .query(let query):
            screen.say("\(name(query.sender)) asks (type \(query.type)): \(query.text)")
            // A person cannot answer in time; whoever asks need not wait.
            try? await client.answerFailed(query)
        case .notice(let notice): if let text = text(of: notice) { screen.say(text) }
        case .connectionLost(let why): screen.say("the connection was lost: \(why); trying again")
        case .reconnected: screen.say("logged on again")
        case .blobDiscarded(let sender, let why): screen.say("what \(name(sender)) sent was discarded: \(why)")
        case .other(let message):
            screen.say("a message of type \(message.messageType) from \(name(message.userID.text))")
        case .eventsDropped(let count): screen.say("\(count) events were dropped")
        case .ended: break
        }
    }

    private func name(_ user: String) -> String { user == SessionProfile.serverID ? "server" : user }

    private func text(of notice: Notice) -> String? {
        switch notice {
        // The same is told of each as a friend and as a member of groups.
        case .online(let user, .friend, _), .online(let user, .contact, _): "\(user) is online"
        case .offline(let user, .friend, _, _): "\(user) is offline"
        case .offline(let user, .contact, _, let isLast):
            isLast ? "\(user) is offline" : "\(user) is offline on one device"
        case .online(_, .groupmate, _), .offline(_, .groupmate, _, _): nil
        case .ownDevice(let type, let isOnline):
            "another device of yours (kind \(type)) is \(isOnline ? "online" : "offline")"
        case .joinedGroup(let user, let group): "\(user) joined \(group)"
        case .quitGroup(let user, let group): "\(user) left \(group)"
        case .groupTagChanged(let group, let user, let tag): "\(user) changed the tag of \(group): \(tag ?? "none")"
        }
    }

    // MARK: - What is typed

    /// - Returns: `nil`, so that the end of the session is waited for.
    private func readLines() async -> Int32? {
        while let line = await lines.next() {
            let line = ChatLine(line)
            if line == .quit { break }
            do { try await act(on: line) } catch { report("\(error)") }
        }
        await client.logOff()
        return nil
    }

    private func act(on line: ChatLine) async throws {
        switch line {
        case .message(let user, let text):
            let content = Array(text.utf8)
            if options.acknowledges {
                try await client.sendAcknowledged(content, type: options.type, to: user)
            } else {
                try await client.send(content, type: options.type, to: user)
            }
        case .group(let group, let text):
            try await client.broadcast(Array(text.utf8), type: options.type, group: group)
        case .online: screen.say("online: \(try await client.onlineUsers().joined(separator: ", "))")
        case .query(let type, let text):
            let answer = try await client.query(Array(text.utf8), type: type)
            screen.say("answer: \(answer.map { String(decoding: $0, as: UTF8.self) } ?? "null")")
        case .ping(let user):
            let time = try await client.ping(user ?? SessionProfile.serverID)
            screen.say("answered within \(Double(Int(time / .microseconds(10))) / 100) ms")
        case .help: for line in ChatLine.helpText.split(separator: "\n") { screen.say(String(line)) }
        case .mistake(let text): report(text)
        case .nothing, .quit: break
        }
    }
}

/// Writes lines to standard output. What others sent cannot do anything to the terminal.
private final class ChatScreen: @unchecked Sendable {
    private let lock = Lock()
    private let writer = OutputWriter(writesEachRecord: true)

    var isOpen: Bool { lock.withLock { writer.isOpen } }

    func say(_ line: String) { lock.withLock { writer.write(escapingControls(line) + "\n") } }
}
