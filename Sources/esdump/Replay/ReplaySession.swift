import CaptureAnalysis
import ESProtocol
import MessageFormat
import PacketCapture
import Sockets

/// Sends a plan to a server, and keeps what comes back.
struct ReplaySession: Sendable {
    let to: HostAndPort
    let options: ReplayOptions
    let analysis: AnalysisOptions
    /// The bytes of each step's message, with its pause and what it waits for.
    let steps: [Step]
    /// How many messages the server sent in the capture.
    let fromServer: Int

    struct Step: Sendable {
        var number: Int
        var bytes: [UInt8]
        /// Nanoseconds.
        var pause: Int64
        /// Answers that had come when it was sent, with the number of what they answer.
        var answered: [(request: Int, answer: ReplayInbox.Answer)]
    }

    /// How it went beside the messages.
    struct Outcome: Sendable {
        var received: ReplayInbox.SentMessages
        var notices: [String]
    }

    /// After the last answer, so long is waited for what else comes, in nanoseconds.
    private static let lastLook: Int64 = 200_000_000

    /// - Throws: `SocketError`, if there is no connection.
    func run() async throws -> Outcome {
        let timeout = Duration.nanoseconds(options.timeout)
        let socket = try await StreamSocket.connect(host: to.host, port: to.port, timeout: timeout)
        defer { socket.close() }
        let inbox = ReplayInbox(
            client: socket.localAddress.description,
            server: socket.remoteAddress.description,
            options: analysis
        )
        let reader = Task { await read(socket, inbox) }
        var notices: [String] = []
        var sent = 0
        do {
            for step in steps {
                for (request, answer) in step.answered {
                    await wait(for: answer, of: request, inbox, &notices)
                }
                try await pause(step.pause)
                guard !StopFlag.process.isSet else { break }
                guard await !inbox.isClosed else { break }
                // Before its answer can come.
                await inbox.sent(step.bytes, time: wallClockNanoseconds())
                try await socket.write(step.bytes)
                sent += 1
            }
            try await socket.drain()
        } catch let error as SocketError {
            notices.append(error.description)
        }
        if sent < steps.count {
            let why = StopFlag.process.isSet ? "interrupted" : "the server closed the connection"
            notices.append("\(why) after \(sent) of \(steps.count) messages")
        }
        await waitForTheRest(inbox, &notices)
        socket.close()
        await reader.value
        return Outcome(received: await inbox.finish(time: wallClockNanoseconds()), notices: notices)
    }

    private func read(_ socket: StreamSocket, _ inbox: ReplayInbox) async {
        while let bytes = try? await socket.read(), !bytes.isEmpty {
            let requests = await inbox.received(bytes, time: wallClockNanoseconds())
            guard options.heartbeats == .answer else { continue }
            for request in requests {
                guard let answer = Self.answer(to: request) else { continue }
                await inbox.sent(answer, time: wallClockNanoseconds())
                try? await socket.write(answer)
            }
        }
        await inbox.close()
    }

    /// A heartbeat is answered by one, a ping by a PingAck: to the sender, from who was asked.
    static func answer(to request: ReplayInbox.Request) -> [UInt8]? {
        guard var message = try? Message(parsing: request.bytes, layout: request.header.layout) else { return nil }
        swap(&message.userID, &message.destUserID)
        if message.messageType == 102 { message.messageType = 103 }
        message.body = []
        return try? message.bytes()
    }

    private func pause(_ nanoseconds: Int64) async throws {
        guard let speed = options.speed else { return }
        var left = Int64(min(Double(nanoseconds) / speed, 1e18))
        // In pieces, so that Ctrl-C ends it soon.
        while left > 0, !StopFlag.process.isSet {
            let piece = min(left, 100_000_000)
            try await Task.sleep(nanoseconds: UInt64(piece))
            left -= piece
        }
    }

    private func wait(
        for answer: ReplayInbox.Answer,
        of request: Int,
        _ inbox: ReplayInbox,
        _ notices: inout [String]
    ) async {
        let shot = await inbox.wait(for: answer)
        let interrupted = Task {
            while !Task.isCancelled, !StopFlag.process.isSet { try? await Task.sleep(nanoseconds: 50_000_000) }
            if StopFlag.process.isSet { shot.give(.success(false)) }
        }
        defer { interrupted.cancel() }
        let hasCome = try? await shot.value(
            timeout: .nanoseconds(options.timeout),
            or: SocketError.timedOut("answer")
        )
        if hasCome == nil {
            notices.append("no answer to message \(request) within \(durationText(options.timeout))")
        }
    }

    /// Waits for answers that were not waited for before, and for as much as the server sent in the capture.
    private func waitForTheRest(_ inbox: ReplayInbox, _ notices: inout [String]) async {
        for (request, answer) in last { await wait(for: answer, of: request, inbox, &notices) }
        let end = monotonicNanoseconds() + (notices.isEmpty ? options.timeout : Self.lastLook)
        while await inbox.fromServer < fromServer, await !inbox.isClosed, !StopFlag.process.isSet,
            monotonicNanoseconds() < end
        {
            try? await Task.sleep(nanoseconds: 20_000_000)
        }
        // What comes unasked comes now.
        let look = monotonicNanoseconds() + Self.lastLook
        while await !inbox.isClosed, !StopFlag.process.isSet, monotonicNanoseconds() < look {
            try? await Task.sleep(nanoseconds: 20_000_000)
        }
    }

    /// Answers that no later message waits for.
    let last: [(request: Int, answer: ReplayInbox.Answer)]

    init(_ choice: ReplayChoice, to: HostAndPort, options: ReplayOptions, analysis: AnalysisOptions) {
        self.to = to
        self.options = options
        self.analysis = analysis
        let messages = choice.messages
        func awaited(_ request: Int) -> (request: Int, answer: ReplayInbox.Answer)? {
            choice.plan.expected[request].map { type in
                let message = messages.messages[request]
                return (message.number, ReplayInbox.Answer(type: type, id: message.header.messageID))
            }
        }
        steps = choice.plan.steps.map { step in
            Step(
                number: messages.messages[step.message].number,
                bytes: messages.bytes(of: step.message),
                pause: step.pause,
                answered: step.answered.compactMap(awaited)
            )
        }
        let earlier = Set(choice.plan.steps.flatMap(\.answered))
        last = choice.plan.steps.map(\.message).filter { !earlier.contains($0) }.compactMap(awaited)
        fromServer = choice.plan.fromServer.count
    }
}
