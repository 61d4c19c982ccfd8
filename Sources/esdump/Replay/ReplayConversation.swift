import CaptureAnalysis
import Dispatch
import ESProtocol
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

/// Sends the client's side of a conversation again and compares the answers.
/// - Returns: the exit status.
func replayConversation(_ options: Options) -> Int32 {
    Signals.install()
    do throws(CaptureError) {
        return try replay(options)
    } catch {
        report(error.message)
        return ComparisonStatus.trouble
    }
}

private func replay(_ options: Options) throws(CaptureError) -> Int32 {
    guard let to = options.replay.to else { return ComparisonStatus.trouble }
    let path = options.readFile ?? "-"
    let output = try ComparisonOutput(
        options,
        format: options.replay.format,
        isSideBySide: true,
        timing: options.replay.timing,
        names: ("captured: \(path)", "now: \(to)")
    )
    let reading = try CaptureReading(
        path,
        options,
        conversation: options.conversation,
        redactor: options.redact ? Redactor(application: options.describedBodies) : nil
    )
    if let failure = reading.failure { report(failure.message) }
    if let redactor = reading.redactor { report("redacted: \(redactor.summary)") }
    let choice = try ReplayChoice(
        reading.messages,
        options,
        isSecretAllowed: options.showSecrets || options.redact
    )
    guard try isAgreed(options, choice, to: to.description) else {
        report("nothing was sent")
        return ComparisonStatus.trouble
    }
    var analysis = options.analysis
    analysis.conversation = nil
    analysis.filter = nil
    analysis.isLive = true
    analysis.application = options.describedBodies
    let session = ReplaySession(choice, to: to, options: options.replay, analysis: analysis)
    let outcome = try waitFor(session)
    for notice in outcome.notices { report(notice) }
    var comparing = options.replay.comparing.options
    comparing.allowsOtherIDs = !comparing.isExact
    comparing.ignoresHeartbeats = true
    let comparison = CaptureComparison(
        choice.compared,
        outcome.received.messages,
        options: comparing,
        describer: BodyDescriber(application: options.describedBodies)
    )
    tellUnmet(comparison)
    return output.write(comparison, context: options.replay.context)
}

/// Asks, unless it is agreed already.
private func isAgreed(_ options: Options, _ choice: ReplayChoice, to address: String) throws(CaptureError) -> Bool {
    if options.replay.yes { return true }
    writeToStandardError("esdump: " + choice.announcement(to: address))
    guard Terminal.isTerminal(STDIN_FILENO) else {
        throw CaptureError(.usage, "nobody can be asked whether to send this: --yes sends it without asking")
    }
    writeToStandardError("Send it? [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
}

/// Runs a session while this thread waits: it is none of those that run tasks.
private func waitFor(_ session: ReplaySession) throws(CaptureError) -> ReplaySession.Outcome {
    let result = SessionResult()
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            result.outcome = .success(try await session.run())
        } catch {
            result.outcome = .failure(error)
        }
        done.signal()
    }
    done.wait()
    switch result.outcome {
    case .success(let outcome)?: return outcome
    case .failure(let error as SocketError)?: throw CaptureError(.usage, "--to \(session.to): \(error)")
    case .failure(let error)?: throw CaptureError(.usage, "--to \(session.to): \(error)")
    case nil: throw CaptureError(.usage, "--to \(session.to): no outcome")
    }
}

/// Written by the task, read behind the semaphore.
private final class SessionResult: @unchecked Sendable {
    var outcome: Result<ReplaySession.Outcome, any Error>?
}
