import CaptureAnalysis
import PacketCapture

@main enum Main {
    static func main() throws {
        var options = AnalysisOptions()
        options.framer.keepsBodies = false
        var analyzer = CaptureAnalyzer(output: nil, options: options, limits: .init())
        var file = try CaptureFile(path: CommandLine.arguments[1])
        _ = try file.read(into: &analyzer)
        analyzer.finish()
        print(analyzer.totals.packets, analyzer.totals.completeMessages, analyzer.totals.damagedMessages)
    }
}
