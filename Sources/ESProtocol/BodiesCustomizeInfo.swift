/// Bodies of the types from 200 on: what an application sends. PROTOCOL.md section 4.
enum BodiesCustomizeInfo {
    static let all: [MessageTypeDescription] = [
        MessageTypeDescription(201, "InformationByPost", .any, [.both(information)]),
        MessageTypeDescription(202, "InformationBySend", .any, [.both(information)]),
        MessageTypeDescription(203, "Request", .any, [.both(information)]),
        MessageTypeDescription(204, "Response", .any, [.both(information)]),
        MessageTypeDescription(205, "InformationNeedAck", .any, [.both(information)]),
        MessageTypeDescription(206, "Ack", .any),
        MessageTypeDescription(207, "BlobInformation", .any, [.both(blob)]),
        MessageTypeDescription(208, "BlobByRapidEngine", .any, [.both(taggedBlob)]),
        MessageTypeDescription(209, "GetClientTimeRequest", .fromServer, in: .since65),
        MessageTypeDescription(
            210,
            "GetClientTimeResponse",
            .fromClient,
            in: .since65,
            [.request(.object([BodyProperty("Time", .date(.milliseconds))]), in: .since65)]
        ),
        MessageTypeDescription(211, "BlobByRapidEngineNeedEcho", .fromClient, in: .v72, [.request(taggedBlob)]),
        MessageTypeDescription(212, "BlobByRapidEngineEchoNotify", .fromServer, in: .v72, [.reply(taggedBlob)]),
        MessageTypeDescription(213, "BlobByRapidEngineToSpecialDevice", .any, in: .v72, [.both(taggedBlob)]),
        MessageTypeDescription(221, "BlobQuery", .fromClient, in: .v72, [.request(blob)]),
        MessageTypeDescription(222, "BlobQueryResult", .fromServer, in: .v72, [.reply(blob)]),
    ]

    private static let information = BodySchema.object([.bytes("Content"), .int32("InformationType")])

    /// A fragment of a blob, also of 605.
    static let blob = blob(fragment: .bytes)

    /// A fragment of a blob that holds a message and its tag, also of 705.
    ///
    /// Of several fragments each is only a part of that; of a single one it can be read.
    static let taggedBlob = blob(
        fragment: .content([
            BodyContent(
                when: [BodyContent.Condition("FragmentIndex", 0), BodyContent.Condition("IsLast", 1)],
                .object([.bytes("Message"), .string("Tag")]),
                isRequired: false
            )
        ])
    )

    private static func blob(fragment: BodySchema) -> BodySchema {
        .object([
            .int32("BlobID"), BodyProperty("Fragment", fragment), .int32("FragmentIndex"), .int32("InformationType"),
            .bool("IsLast"),
        ])
    }
}
