import ESProtocol
import MessageFormat

/// A message that filters are tried on.
struct FilterSample {
    var report: MessageReport
    var bytes: [UInt8]

    /// - Parameters:
    ///   - body: its bytes.
    ///   - time: nanoseconds since 1970; 2026-11-30T03:49:16.588350Z unless given.
    init(
        type: UInt16,
        version: ProtocolVersion = .v65,
        user: String = "aa01",
        dest: String = "_0",
        body: [UInt8] = [],
        direction: Direction = .clientToServer,
        source: String = "10.0.0.1:50000",
        destination: String = "192.168.7.9:4530",
        time: Int64 = 1_796_010_556_588_350_000
    ) throws {
        let layout = Profile(version).layout()!
        let message = Message(
            layout: layout,
            clientType: version == .v72 ? 9 : 0,
            messageType: type,
            messageID: 7,
            userID: Message.ID(user),
            destUserID: Message.ID(dest),
            body: body
        )
        let bytes = try message.bytes()
        self.bytes = bytes
        report = MessageReport(
            time: time,
            packet: 12,
            conversation: 3,
            direction: direction,
            source: source,
            destination: destination,
            streamOffset: 100,
            status: .complete,
            header: MessageHeader(reading: bytes.span.bytes, layout: layout)
        )
    }

    /// The same with a body by the schema of its type.
    init(type: UInt16, version: ProtocolVersion = .v65, isRequest: Bool = true, value: BodyValue) throws {
        let schema = MessageTypeDescription.find(type, version: version)!.schema(
            version: version,
            isRequest: isRequest
        )!
        try self.init(
            type: type,
            version: version,
            body: schema.bytes(of: value),
            direction: isRequest ? .clientToServer : .serverToClient
        )
    }

    static func logon(password: BodyValue = .string("Geheim1"), token: BodyValue = .null) throws -> FilterSample {
        try FilterSample(
            type: 112,
            value: .object([
                .init("AuthorizedUser", .string("FreeUser")), .init("Password", password),
                .init("SystemToken", token),
            ])
        )
    }

    /// A reply with users in a list.
    static func users(_ names: [BodyValue]?) throws -> FilterSample {
        try FilterSample(
            type: 110,
            isRequest: false,
            value: .object([.init("UserList", names.map(BodyValue.list) ?? .null)])
        )
    }

    static func information(_ content: [UInt8], type: Int64 = 5) throws -> FilterSample {
        try FilterSample(
            type: 201,
            value: .object([.init("Content", .bytes(content)), .init("InformationType", .integer(type))])
        )
    }
}
