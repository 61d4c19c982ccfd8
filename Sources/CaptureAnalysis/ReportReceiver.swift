import MessageFormat

/// Who takes the findings of an analysis, so kept that nothing is counted for a message.
///
/// A call of an existential in a variable counts a reference up and down again. Counting down waits until all that was
/// written before has reached the cache, and what takes a report has just written it to memory that another thread had. A
/// constant of an object of our own need not be counted.
struct ReportReceiver {
    private final class Constant {
        let output: any AnalysisOutput
        init(_ output: any AnalysisOutput) { self.output = output }
    }

    private let owner: Constant
    /// Kept alive by `owner`.
    private let constant: Unmanaged<Constant>

    init(_ output: any AnalysisOutput) {
        owner = Constant(output)
        constant = Unmanaged.passUnretained(owner)
    }

    /// Calls it.
    @inline(__always)
    func with<Result>(_ body: (any AnalysisOutput) -> Result) -> Result {
        constant._withUnsafeGuaranteedRef { body($0.output) }
    }

    func event(_ report: EventReport) { owner.output.event(report) }

    /// False to end the analysis.
    var isOpen: Bool {
        @inline(__always) get { with { $0.isOpen } }
    }
}
