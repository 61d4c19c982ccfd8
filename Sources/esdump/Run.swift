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
    if options.hasNamesInFiles {
        do throws(UsageError) { try options.compileExpressions() } catch { return report(error) }
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
    case .serve: runServer(options)
    case .chat: runChat(options)
    case .diffCaptures: diffCaptures(options)
    case .replay: replayConversation(options)
    case .decode: decodeText(options)
    case .encode: encodeMessages(options)
    case .fixtures: writeFixtures(options)
    }
}

/// Says what is wrong with the command line.
/// - Returns: the exit status.
func report(_ error: UsageError) -> Int32 {
    report(error.message)
    writeToStandardError(error.place)
    writeToStandardError("Try 'esdump --help'.\n")
    return ExitStatus.usage
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
