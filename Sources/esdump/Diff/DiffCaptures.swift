import CaptureAnalysis
import ESProtocol
import MessageFormat
import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The exit status of what compares, as that of diff(1).
enum ComparisonStatus {
    static let same: Int32 = 0
    static let different: Int32 = 1
    static let trouble: Int32 = 2
}

/// Compares two captures and shows where they differ.
/// - Returns: the exit status.
func diffCaptures(_ options: Options) -> Int32 {
    Signals.install()
    options.tellHints()
    do throws(CaptureError) {
        return try DiffRun(options).run()
    } catch {
        report(error.message)
        return ComparisonStatus.trouble
    }
}

/// One comparison of the command line.
private struct DiffRun {
    private let options: Options
    private let output: ComparisonOutput

    init(_ options: Options) throws(CaptureError) {
        self.options = options
        let diff = options.diff
        output = try ComparisonOutput(
            options,
            format: diff.format,
            isSideBySide: diff.isSideBySide,
            timing: diff.timing,
            names: (diff.a, diff.b)
        )
    }

    func run() throws(CaptureError) -> Int32 {
        let diff = options.diff
        let a = CaptureOperand(diff.a, exists: Self.exists)
        let b = CaptureOperand(diff.b, exists: Self.exists)
        guard (a.message == nil) == (b.message == nil) else {
            let whole = a.message == nil ? diff.a : diff.b
            throw CaptureError(.usage, "a message is compared with a message: which one of \(whole)? (\(whole)#12)")
        }
        let first = try read(a, diff.conversationA, redactor: options.redact ? Redactor(application: options.describedBodies) : nil)
        let second = try read(b, diff.conversationB, redactor: first.redactor)
        if let redactor = second.redactor { report("redacted: \(redactor.summary)") }
        var comparing = diff.comparing.options
        comparing.comparesTwoMessages = a.message != nil
        if first.isFixture != second.isFixture, a.message == nil {
            comparing.allowsMoreInA = second.isFixture
            comparing.allowsMoreInB = first.isFixture
        }
        let comparison = CaptureComparison(
            first.messages,
            second.messages,
            options: comparing,
            describer: BodyDescriber(application: options.describedBodies)
        )
        tellUnmet(comparison)
        var status = output.write(comparison, context: diff.context)
        for reading in [first, second] {
            guard let failure = reading.failure else { continue }
            report(failure.message)
            status = ComparisonStatus.trouble
        }
        return status
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func read(
        _ operand: CaptureOperand,
        _ conversation: Int?,
        redactor: Redactor?
    ) throws(CaptureError) -> CaptureReading {
        let reading = try CaptureReading(
            operand.path,
            options,
            conversation: conversation,
            maximumBytes: options.diff.maximumBytes,
            redactor: redactor
        )
        if let number = operand.message {
            let count = reading.messages.messages.count
            guard reading.messages.keepOnly(number: number) else {
                throw CaptureError(.usage, "\(operand.path) has no message \(number): there are \(count)")
            }
        } else if reading.messages.messages.isEmpty {
            var place = conversation.map { " in conversation \($0)" } ?? ""
            if options.messageFilter != nil { place += " that --where lets pass" }
            throw CaptureError(.usage, "\(operand.path): no ES message\(place) (esdump -r tells what is in it)")
        }
        return reading
    }
}

/// A name that nothing has is a slip of the hand.
func tellUnmet(_ comparison: CaptureComparison) {
    for name in comparison.unmetIgnored { report("--ignore \(name): no message has this field") }
    for user in comparison.unmetUsers { report("--map-user: no message has the user \(user)") }
}
