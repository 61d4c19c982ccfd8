import CaptureAnalysis
import DumpText
import ESProtocol
import MessageFormat

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Makes messages from JSON or from options, and prints them.
/// - Returns: the exit status.
func encodeMessages(_ options: Options) -> Int32 {
    let messages: [ChosenMessage]
    do throws(InputError) {
        messages = options.encode.type == nil ? try messagesFromJSON(options) : [try messageFromOptions(options)]
    } catch {
        report(error.message)
        return ExitStatus.usage
    }
    if options.encode.form == .raw, Terminal.isTerminal(STDOUT_FILENO) {
        report("--as raw would write bytes to the terminal: send them to a file or a pipe")
        return ExitStatus.usage
    }
    let writer = OutputWriter(writesEachRecord: false)
    MessageOutput(form: options.encode.form).contents(messages).withUnsafeBytes { writer.write($0) }
    return writer.finish()
}

// MARK: - JSON

private func messagesFromJSON(_ options: Options) throws(InputError) -> [ChosenMessage] {
    var messages: [ChosenMessage] = []
    let direction = options.encode.direction
    for file in options.encode.files.isEmpty ? ["-"] : options.encode.files {
        let name = file == "-" ? "standard input" : file
        let input = try readInput(file)
        do throws(DumpError) {
            let found = try MessageJSON.messages(input)
            if found.messages.isEmpty { throw DumpError("there is no message of esdump --format json in it") }
            for json in found.messages {
                let isReply = (direction?.name ?? json.direction?.rawValue) == "s2c"
                let maker = MessageFromJSON(json, direction: isReply ? .serverToClient : json.direction)
                let bytes = try maker.bytes()
                guard let message = chosen(bytes, number: messages.count + 1, isReply: isReply) else {
                    throw DumpError(line: json.line, "JSON: header_hex and body_hex are no complete message")
                }
                messages.append(message)
            }
        } catch {
            throw InputError(message: "\(name): \(error.description)")
        }
    }
    return messages
}

/// A message by its bytes alone.
func chosen(_ bytes: [UInt8], number: Int, isReply: Bool) -> ChosenMessage? {
    var finder = WholeMessage()
    var options = FramerOptions()
    options.maximumMessage = max(bytes.count, 64)
    var framer = MessageFramer(startsAtSYN: true, options: options)
    let mark = StreamMark(packet: 1, time: 0)
    framer.push(bytes.span.bytes, mark: mark, options: options, into: &finder)
    framer.end(mark: mark, options: options, into: &finder)
    guard let header = finder.header, header.messageLength == bytes.count else { return nil }
    return ChosenMessage(
        number: number,
        report: MessageReport(
            time: 0,
            packet: 0,
            conversation: 1,
            direction: isReply ? .serverToClient : .clientToServer,
            source: isReply ? "server" : "client",
            destination: isReply ? "client" : "server",
            streamOffset: 0,
            status: .complete,
            header: header
        ),
        bytes: bytes
    )
}

/// Takes the one message that bytes are.
private struct WholeMessage: FramerSink {
    var header: MessageHeader?

    mutating func message(_ message: FramedMessage, bytes: RawSpan) {
        header = header == nil && message.streamOffset == 0 && message.status == .complete ? message.header : nil
    }
    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {}
    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
}

// MARK: - Options

private func messageFromOptions(_ options: Options) throws(InputError) -> ChosenMessage {
    let encode = options.encode
    let version = options.encodedVersion
    let (number, description) = try messageType(encode.type ?? "", version)
    let isReply = encode.direction.map { $0 == .serverToClient } ?? (encode.user == "_0")
    guard let user = encode.user ?? (isReply ? "_0" : nil) else {
        throw InputError(message: "encode needs --user ID, who sends the message")
    }
    guard let destination = encode.destination ?? (isReply ? nil : "_0") else {
        throw InputError(message: "encode needs --dest ID, who receives the message from the server")
    }
    var message = Message(
        layout: options.encodedLayout(version),
        clientType: encode.clientType ?? (version == .v72 && !isReply ? 1 : 0),
        messageType: number,
        messageID: encode.messageID ?? (description?.name == "HeartBeat" ? 0 : 1),
        userID: Message.ID(user),
        destUserID: Message.ID(destination)
    )
    message.body = try body(encode, description, version, isReply: isReply)
    do throws(MessageError) {
        let bytes = try message.bytes()
        var report = MessageReport(
            time: 0,
            packet: 0,
            conversation: 1,
            direction: isReply ? .serverToClient : .clientToServer,
            source: "",
            destination: "",
            streamOffset: 0,
            status: .complete,
            header: MessageHeader(reading: bytes.span.bytes, layout: message.layout)
        )
        report.source = isReply ? "server" : "client"
        report.destination = isReply ? "client" : "server"
        return ChosenMessage(number: 1, report: report, bytes: bytes)
    } catch {
        throw InputError(message: "the message cannot be written: \(error.description) (--user-id-length makes room)")
    }
}

extension Options {
    /// The version that a message is made in.
    fileprivate var encodedVersion: ProtocolVersion {
        if let profile { return ProtocolVersion.allCases.first { $0.name == profile.rawValue } ?? .v65 }
        return startToken.flatMap { ProtocolVersions(startToken: $0).newestFirst.first } ?? .v65
    }

    fileprivate func encodedLayout(_ version: ProtocolVersion) -> HeaderLayout {
        let slot = idSlot ?? ESProtocol.Profile(version).idSlot(maximumUserIDLength: userIDLength ?? 11) ?? 12
        return HeaderLayout(startToken: startToken ?? version.startToken, idSlot: slot)
    }
}

/// A type by its number or name.
private func messageType(
    _ text: String,
    _ version: ProtocolVersion
) throws(InputError) -> (UInt16, MessageTypeDescription?) {
    let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
    if let number { return (number, MessageTypeDescription.find(number, version: version)) }
    let types = MessageTypeDescription.all.filter { $0.versions.contains(ProtocolVersions(version)) }
    if let found = types.first(where: { $0.name.lowercased() == text.lowercased() }) { return (found.number, found) }
    if let other = MessageTypeDescription.all.first(where: { $0.name.lowercased() == text.lowercased() }) {
        throw InputError(
            message: "--type \(text): version \(version.name) has none; \(other.versions.name) has (--profile)"
        )
    }
    let near = nearest(to: text.lowercased(), among: types.map { $0.name.lowercased() })
    let hint = types.first { $0.name.lowercased() == near }.map { "; did you mean \($0.name)?" } ?? ""
    throw InputError(message: "--type \(text): not a number, and not a type of version \(version.name)\(hint)")
}

private func body(
    _ encode: EncodeOptions,
    _ description: MessageTypeDescription?,
    _ version: ProtocolVersion,
    isReply: Bool
) throws(InputError) -> [UInt8] {
    if let hex = encode.bodyHex {
        guard let bytes = BodyFields.hex(hex) else {
            throw InputError(message: "--body-hex: not hex, or an odd number of digits")
        }
        return bytes
    }
    if let file = encode.bodyFile { return try readInput(file) }
    let name = description?.name ?? "a type that is not known"
    guard let schema = description?.schema(version: version, isRequest: !isReply) else {
        if case .value(let field, _)? = encode.settings.first {
            throw InputError(
                message:
                    "--set \(field): \(name) has no body \(isReply ? "to the client" : "to the server") (--c2s, --s2c), or one that is not known (--body-hex)"
            )
        }
        return []
    }
    var fields = BodyFields(schema)
    for setting in encode.settings {
        do throws(BodyFields.Problem) {
            switch setting {
            case .value(let name, let text): try fields.set(name, to: text)
            case .null(let name): try fields.setNull(name)
            }
        } catch {
            switch error {
            case .unknown(let field, let known):
                let bare = field.split(separator: ".").last.map(String.init) ?? field
                let hint = nearest(to: bare, among: known).map { "; did you mean \($0)?" } ?? ""
                throw InputError(
                    message:
                        "\(field): not a field of \(name) (version \(version.name)), which has \(known.joined(separator: ", "))\(hint)"
                )
            case .value(let field, let reason):
                throw InputError(message: "--set \(field): \(reason)")
            }
        }
    }
    do throws(BodyError) { return try schema.bytes(of: fields.value) } catch {
        throw InputError(message: error.description)
    }
}
