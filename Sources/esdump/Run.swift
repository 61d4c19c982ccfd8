/// Does what the options ask for.
/// - Returns: the exit status.
func run(_ options: Options) -> Int32 {
    switch options.action {
    case .help: printText(helpText(width: min(Terminal.width() ?? 80, 100)))
    case .version: printText(versionText())
    case .manual: printText(manualText())
    case .completion(let shell): printText(completionScript(for: shell))
    case .listInterfaces, .showCapture: ExitStatus.success
    }
}

private func printText(_ text: String) -> Int32 {
    let output = OutputWriter(writesEachRecord: false)
    output.write(text)
    return output.finish()
}
