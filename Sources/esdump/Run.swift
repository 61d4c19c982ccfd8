import PacketCapture

/// Does what the options ask for.
/// - Returns: the exit status.
func run(_ options: Options) -> Int32 {
    var options = options
    do throws(CaptureError) {
        try options.readProfileFile()
        try options.readDescribeFile()
    } catch {
        report(error.message)
        return error.exitStatus
    }
    return switch options.action {
    case .help(let command): printText(helpText(of: command, width: min(Terminal.width() ?? 80, 100)))
    case .version: printText(versionText())
    case .manual: printText(manualText())
    case .completion(let shell): printText(completionScript(for: shell))
    case .listInterfaces: listInterfaces()
    case .showCapture: showCapture(options)
    case .listStreams: listStreams(options)
    case .showProtocol: showProtocol(options)
    case .followDescription: followDescription(options)
    }
}

private func listInterfaces() -> Int32 {
    do throws(CaptureError) { return printText(interfaceListText(try CaptureDevice.list())) } catch {
        report(error.message)
        return error.exitStatus
    }
}

private func printText(_ text: String) -> Int32 {
    let output = OutputWriter(writesEachRecord: false)
    output.write(text)
    return output.finish()
}
