/// What a program knows of the bodies of its own application, beyond those of the framework: a user's description file.
///
/// What it describes goes before what is known of the framework's own.
public protocol ApplicationBodies: Sendable {
    /// Names of message types by their numbers.
    var messageTypeNames: [UInt16: String] { get }

    /// Names of the types of information that the bodies of 201 to 208 carry.
    var informationTypeNames: [Int32: String] { get }

    /// Whether any of the fields can be a secret.
    var hasSecrets: Bool { get }

    /// The names that fields can have, as far as they are known before a message is seen. Of `es.message_type` and
    /// `es.body.information_type` it has the names of the numbers.
    var knownFields: [KnownBodyField] { get }

    /// The fields of a whole body, by the rules of ``BodyDescriber/fields(body:bodyOffset:header:isRequest:)``.
    /// - Parameters:
    ///   - body: The bytes of the body that are there; may be fewer than the header declares.
    ///   - bodyOffset: Where the body starts in the message.
    ///   - versions: Of the framework, as far as they are known.
    /// - Returns: `nil` if nothing is known of such a body.
    func describe(
        body: RawSpan,
        bodyOffset: Int,
        header: MessageHeader,
        isRequest: Bool,
        versions: ProtocolVersions,
        maximumFields: Int
    ) -> BodyDescription?

    /// The fields of what a body of 201 to 208 carries.
    /// - Parameters:
    ///   - content: The bytes of the field that holds it.
    ///   - contentOffset: Where it starts in the message.
    ///   - name: The field's name; those in it have it in front.
    ///   - depth: Of the field.
    /// - Returns: `nil` if nothing is known of such content.
    func describe(
        content: RawSpan,
        contentOffset: Int,
        name: String,
        depth: Int,
        informationType: Int32,
        header: MessageHeader,
        isRequest: Bool,
        versions: ProtocolVersions,
        maximumFields: Int
    ) -> BodyDescription?
}

extension ApplicationBodies {
    /// None.
    public var knownFields: [KnownBodyField] { [] }
}

extension BodyDescription {
    /// The same, with what an application's own description says of the content in it.
    func explained(
        by application: any ApplicationBodies,
        body: RawSpan,
        bodyOffset: Int,
        header: MessageHeader,
        isRequest: Bool,
        versions: ProtocolVersions,
        maximumFields: Int
    ) -> BodyDescription {
        guard let typeAt = fields.firstIndex(where: { $0.name == "es.body.information_type" }),
            case .integer(let number) = fields[typeAt].value, let type = Int32(exactly: number)
        else { return self }
        var result = self
        if let name = application.informationTypeNames[type] { result.fields[typeAt].meaning = "\(type) = \(name)" }
        guard let at = contentIndex else { return result }
        let field = fields[at]
        let start = field.offset - bodyOffset
        guard field.length > 0, start >= 0, field.length <= body.byteCount - start else { return result }
        let content = application.describe(
            content: body.extracting(start..<start + field.length),
            contentOffset: field.offset,
            name: field.name,
            depth: field.depth,
            informationType: type,
            header: header,
            isRequest: isRequest,
            versions: versions,
            maximumFields: max(maximumFields - fields.count, 1)
        )
        guard let content else { return result }
        result.fields.replaceSubrange(at...at, with: content.fields)
        result.title += ": " + content.title
        result.isExact = isExact && content.isExact
        return result
    }

    /// The field that holds what an application sends: of a blob only if it is in one piece.
    private var contentIndex: Int? {
        for name in ["es.body.content", "es.body.fragment.content.message"] {
            if let at = fields.firstIndex(where: { $0.name == name }) { return at }
        }
        func value(_ name: String) -> FieldValue? { fields.first { $0.name == name }?.value }
        guard value("es.body.fragment_index") == .integer(0), value("es.body.is_last") == .boolean(true) else {
            return nil
        }
        return fields.firstIndex { $0.name == "es.body.fragment" }
    }
}
