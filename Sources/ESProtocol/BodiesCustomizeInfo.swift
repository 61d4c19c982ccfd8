/// Bodies of the types from 200 on: what an application sends. PROTOCOL.md section 4.
enum BodiesCustomizeInfo {
    static let all: [MessageTypeDescription] = [
        MessageTypeDescription(201, "InformationByPost", [.both(information)]),
        MessageTypeDescription(202, "InformationBySend", [.both(information)]),
        MessageTypeDescription(203, "Request", [.both(information)]),
        MessageTypeDescription(204, "Response", [.both(information)]),
        MessageTypeDescription(205, "InformationNeedAck", [.both(information)]),
        MessageTypeDescription(206, "Ack"),
        MessageTypeDescription(207, "BlobInformation", [.both(blob)]),
        MessageTypeDescription(208, "BlobByRapidEngine", [.both(taggedBlob)]),
        MessageTypeDescription(209, "GetClientTimeRequest", in: .since65),
        MessageTypeDescription(
            210,
            "GetClientTimeResponse",
            in: .since65,
            [.both(.object([BodyProperty("Time", .date(.milliseconds))]), in: .since65)]
        ),
        MessageTypeDescription(211, "BlobByRapidEngineNeedEcho", in: .v72, [.both(taggedBlob)]),
        MessageTypeDescription(212, "BlobByRapidEngineEchoNotify", in: .v72, [.both(taggedBlob)]),
        MessageTypeDescription(213, "BlobByRapidEngineToSpecialDevice", in: .v72, [.both(taggedBlob)]),
        MessageTypeDescription(221, "BlobQuery", in: .v72, [.both(blob)]),
        MessageTypeDescription(222, "BlobQueryResult", in: .v72, [.both(blob)]),
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
