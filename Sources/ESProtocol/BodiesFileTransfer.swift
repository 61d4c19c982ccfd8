/// Bodies of the types from 300 on: files and folders from client to client. PROTOCOL.md section 4.
enum BodiesFileTransfer {
    static let all: [MessageTypeDescription] = [
        MessageTypeDescription(
            301,
            "BeginSendFile",
            .any,
            [
                .both(.object(offer(.ticks) + [.uint64("TotalSize")]), in: .v47),
                .both(.object(offer(.milliseconds) + [.uint64("TotalSize")]), in: .v65),
                .both(
                    .object(
                        offer(.milliseconds) + [
                            .enumeration("SenderClientType", .clientType72), .uint64("TotalSize"),
                        ]
                    ),
                    in: .v72
                ),
            ]
        ),
        MessageTypeDescription(
            302,
            "RejectOrAcceptFile",
            .any,
            [
                .both(.object([.bool("Agree")] + resumption), in: .upTo65),
                .both(
                    .object([.bool("Agree"), .enumeration("AnswerClientType", .clientType72)] + resumption),
                    in: .v72
                ),
            ]
        ),
        MessageTypeDescription(
            303,
            "FilePackageData",
            .any,
            [
                .both(
                    .object([
                        BodyProperty("Data", .content([nextFile, nextFolder])), .byte("Index"),
                        .enumeration("PackageType", .packageType), .string("ProjectID"),
                    ])
                )
            ]
        ),
        MessageTypeDescription(304, "CancelFileSending", .any, [.both(cancellation)]),
        MessageTypeDescription(305, "CancelFileReceiving", .any, [.both(cancellation)]),
        MessageTypeDescription(
            306,
            "SingleFileRevFinishedNotify",
            .any,
            in: .since65,
            [.both(.object([.string("ProjectID")]))]
        ),
        MessageTypeDescription(307, "ContinueTransFile", .any, in: .since65, hasKnownBodies: false),
        MessageTypeDescription(
            308,
            "AnswerOnOtherDeviceNotify",
            .any,
            in: .v72,
            [
                .both(
                    .object([
                        .bool("Agree"), .enumeration("AnswerClientType", .clientType72), .string("ProjectID"),
                    ])
                )
            ]
        ),
    ]

    private static func offer(_ encoding: BodyDate.Encoding) -> [BodyProperty] {
        [
            .string("Comment"), .bool("IsFolder"), BodyProperty("LastUpdateTime", .date(encoding)),
            .string("OriginPath"), .string("ProjectID"),
        ]
    }

    private static let resumption: [BodyProperty] = [
        .uint64("DisrupttedFileReceivedCount"), .string("DisrupttedFileRelativePath"),
        .uint64("DisrupttedFileSize"), .string("ProjectID"), .uint64("ReceivedCount"), .string("RejectCause"),
    ]

    private static let cancellation = BodySchema.object([.string("Cause"), .bool("InnerError"), .string("ProjectID")])

    private static let nextFile = BodyContent(
        when: [BodyContent.Condition("PackageType", 1)],
        .object([.uint64("FileLength"), .string("RelativeFilePath")]),
        isRequired: true
    )

    private static let nextFolder = BodyContent(
        when: [BodyContent.Condition("PackageType", 2)],
        .rest(isText: true),
        isRequired: true
    )
}

extension BodyEnumeration {
    static let packageType = BodyEnumeration(
        "PackageType",
        ["file data", "next file of a folder", "new sub-folder", "finished"]
    )
}
