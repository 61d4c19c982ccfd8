@testable import BodyDescription
import ESProtocol
import Testing

/// Bodies of messages become fields: every byte in exactly one, under the names of the description.
@Suite struct DescribedBodyTests {
    private func header(type: UInt16, bodyLength: Int) -> MessageHeader {
        let layout = HeaderLayout(startToken: .ff, idSlot: 12)
        var bytes = [UInt8](repeating: 0, count: layout.headerLength)
        bytes[0] = 0xFF
        bytes[2] = UInt8(type & 255)
        bytes[3] = UInt8(type >> 8)
        bytes[4] = 7
        bytes[8] = UInt8(bodyLength)
        return MessageHeader(reading: bytes.span.bytes, layout: layout)
    }

    private func describe(
        _ description: String,
        _ bytes: [UInt8],
        declared: Int? = nil,
        type: UInt16 = 1000,
        isRequest: Bool = true,
        version: ProtocolVersion? = nil
    ) throws -> BodyDescription? {
        let bodies = try DescribedBodies(DescriptionFile(description, name: "t.ksy"))
        return BodyDescriber(profile: version.map { Profile($0) }, application: bodies).describe(
            body: bytes.span.bytes,
            bodyOffset: 36,
            header: header(type: type, bodyLength: declared ?? bytes.count),
            isRequest: isRequest
        )
    }

    /// `name offset+length value`, a line a field; checks that the fields cover each byte once, in order.
    private func lines(_ found: BodyDescription?, count: Int) throws -> [String] {
        let fields = try #require(found).fields
        var position = 36
        for field in fields {
            #expect(field.offset == position, "\(field.name)")
            position = field.offset + field.length
        }
        #expect(position == 36 + count)
        return fields.map { field in
            let value =
                switch field.value {
                case .none: "none"
                case .boolean(let value): "\(value)"
                case .integer(let value): "\(value)"
                case .unsigned(let value): "\(value)"
                case .real(let value): "\(value)"
                case .text(let value): "\"\(value)\""
                case .bytes: "bytes"
                case .date(let value): "date \(value)"
                }
            return "\(field.name) \(field.offset - 36)+\(field.length) \(value)\(field.isSecret ? " secret" : "")"
        }
    }

    private let head = "meta: {id: app, endian: le, encoding: UTF-8}\n-esdump-message-type: 1000\n"

    @Test func fieldsOfEveryKind() throws {
        let found = try describe(
            head + """
                seq:
                  - {id: a, type: u2}
                  - {id: b, type: s1, enum: k}
                  - {id: flags, type: b1}
                  - {id: rest_of_it, type: b7}
                  - {id: name, type: strz}
                  - {id: padded, type: str, size: 4, pad-right: 0x20}
                  - {id: utf16, type: str, size: 2, encoding: UTF-16LE}
                  - {id: list, type: u1, repeat: expr, repeat-expr: 2}
                  - {id: items, type: item, repeat: expr, repeat-expr: 2}
                  - {id: when, type: s8, -esdump-date: milliseconds}
                enums: {k: {1: {id: one, -orig-id: One}}}
                types: {item: {seq: [{id: x, type: u1}]}}
                instances: {double: {value: a * 2}}
                """,
            hexBytes("0102 01 83 616200 63642020 604f 0506 0708 0000000000000000")
        )
        #expect(
            try lines(found, count: 25) == [
                "es.body.a 0+2 513", "es.body.b 2+1 1", "es.body.flags 3+1 true", "es.body.rest_of_it 4+0 3",
                "es.body.name 4+2 \"ab\"", "es.body.name.terminator 6+1 bytes", "es.body.padded 7+2 \"cd\"",
                "es.body.padded.padding 9+2 bytes", "es.body.utf16 11+2 \"你\"", "es.body.list[0] 13+1 5",
                "es.body.list[1] 14+1 6", "es.body.items[0].x 15+1 7", "es.body.items[1].x 16+1 8",
                "es.body.when 17+8 date 0", "es.body.double 25+0 1026",
            ]
        )
    }

    @Test func instancesThatLookAtBytesOfOthersHaveNoBytes() throws {
        let found = try describe(
            head + """
                seq: [{id: a, type: u4}]
                instances: {b: {pos: 1, type: u2}, c: {pos: 6, type: u1}, d: {pos: 5, type: u2}}
                """,
            [1, 2, 3, 4, 5, 6, 7, 8]
        )
        #expect(
            try lines(found, count: 8) == [
                "es.body.a 0+4 67305985", "es.body.b 4+0 770", "es.body.rest 4+2 bytes", "es.body.c 6+1 7",
                "es.body.d 7+0 1798", "es.body.rest 7+1 bytes",
            ]
        )
        #expect(found?.isExact == false)
    }

    @Test func whatARoomHoldsBeyondItsTypeIsItsRest() throws {
        let found = try describe(
            head + "seq: [{id: a, size: 3, type: item}, {id: b, type: u1}]\ntypes: {item: {seq: [{id: x, type: u1}]}}",
            [1, 2, 3, 4, 5]
        )
        #expect(
            try lines(found, count: 5) == [
                "es.body.a.x 0+1 1", "es.body.a.rest 1+2 bytes", "es.body.b 3+1 4", "es.body.rest 4+1 bytes",
            ]
        )
    }

    @Test func valuesFromUnpackedBytesStandBehindThem() throws {
        let found = try describe(
            head
                + "seq: [{id: a, size: 2, type: item, process: xor(1)}, {id: b, type: u1}]\ntypes: {item: {seq: [{id: x, type: u1}, {id: s, type: str, size: 1}]}}",
            [1, 0x60, 4]
        )
        #expect(
            try lines(found, count: 3) == [
                "es.body.a 0+2 bytes", "es.body.a.x 2+0 0", "es.body.a.s 2+0 \"a\"", "es.body.b 2+1 4",
            ]
        )
    }

    @Test func errorsAreSaidAndTheRestIsNamed() throws {
        let found = try describe(head + "seq: [{id: a, type: u1}, {id: b, type: u4}]", [1, 2, 3])
        #expect(try lines(found, count: 3) == ["es.body.a 0+1 1", "es.body.rest 1+2 bytes"])
        #expect(found?.fields.last?.meaning == "b at offset 1: needs 4 bytes, 2 are left")
        #expect(found?.title == "app (b at offset 1: needs 4 bytes, 2 are left)")
        #expect(found?.isExact == false)
    }

    @Test func aBodyThatIsCutIsFollowedToItsEnd() throws {
        let found = try describe(
            head + "seq: [{id: a, type: u1}, {id: b, size: 4}, {id: c, type: u1}]",
            [1, 2, 3],
            declared: 6
        )
        #expect(try lines(found, count: 3) == ["es.body.a 0+1 1", "es.body.b 1+2 bytes"])
        #expect(found?.isExact == true)
        // The size is that of the whole body, not of what is there.
        let sized = try describe(
            head + "seq: [{id: a, size: _io.size - 1}]\ninstances: {n: {value: _io.size}}",
            [1],
            declared: 6
        )
        #expect(try lines(sized, count: 1) == ["es.body.a 0+1 bytes", "es.body.n 1+0 6"])
    }

    @Test func typesDirectionsAndVersionsChooseTheBody() throws {
        let description = """
            meta: {id: app, endian: le}
            enums: {message_type: {1000: {id: enter, -orig-id: EnterRoom}, 1001: leave}}
            types:
              one: {-esdump-message-type: 'message_type::enter', -esdump-direction: request, seq: [{id: x, type: u1}]}
              two: {-esdump-message-type: [1000, 1001], -esdump-direction: reply, -esdump-title: Answer, seq: [{id: y, type: u1}]}
              old: {-esdump-message-type: 1002, -esdump-profile: [4.7], seq: [{id: z, type: u1}]}
              new: {-esdump-message-type: 1002, -esdump-profile: [6.5, '7.2'], seq: [{id: w, type: u1}]}
              other: {-esdump-message-type: _, seq: [{id: v, type: u1}]}
            """
        func first(_ type: UInt16, isRequest: Bool, _ version: ProtocolVersion? = nil) throws -> String? {
            try describe(description, [1], type: type, isRequest: isRequest, version: version).map {
                "\($0.title): \($0.fields[0].name)"
            }
        }
        #expect(try first(1000, isRequest: true) == "one: es.body.x")
        #expect(try first(1000, isRequest: false) == "Answer: es.body.y")
        #expect(try first(1001, isRequest: true) == "other: es.body.v")
        #expect(try first(1002, isRequest: true, .v47) == "old: es.body.z")
        #expect(try first(1002, isRequest: true, .v65) == "new: es.body.w")
        #expect(try first(112, isRequest: true) == "other: es.body.v")
        let bodies = try DescribedBodies(DescriptionFile(description, name: "t.ksy"))
        #expect(bodies.messageTypeNames == [1000: "EnterRoom", 1001: "leave"])
        var profile = Profile(.v65)
        profile.describedNames = bodies.messageTypeNames
        #expect(profile.messageTypeName(1000) == "EnterRoom")
        #expect(profile.messageTypeName(112) == "Logon")
    }

    @Test func parametersAskForTheHeader() throws {
        let found = try describe(
            """
            meta: {id: app}
            -esdump-message-type: _
            params:
              - {id: message_type, type: u2, enum: message_type}
              - {id: body_length, type: s4}
              - {id: is_request, type: bool}
              - {id: message_id, type: s4}
              - {id: client_type, type: u1}
            seq: [{id: a, type: {switch-on: message_type, cases: {'message_type::x': one}}}, {id: b, size: body_length - 1, if: is_request and message_id == 7}]
            types: {one: {seq: [{id: x, type: u1}]}}
            enums: {message_type: {1000: x}}
            """,
            [1, 2, 3]
        )
        #expect(try lines(found, count: 3) == ["es.body.a.x 0+1 1", "es.body.b 1+2 bytes"])
        #expect(throws: DescriptionError.self) {
            try DescribedBodies(
                DescriptionFile("meta: {id: a}\n-esdump-message-type: 1\nparams: [{id: x, type: u1}]", name: "t.ksy")
            )
        }
        #expect(throws: DescriptionError.self) { try DescribedBodies(DescriptionFile("meta: {id: a}", name: "t.ksy")) }
    }

    @Test func contentOfInformationIsDescribedByItsType() throws {
        let description = """
            meta: {id: app, endian: le, encoding: UTF-8}
            enums: {information_type: {5: line, 6: other}}
            types:
              line: {-esdump-information-type: 5, seq: [{id: n, type: u1}, {id: text, type: str, size-eos: true}]}
            """
        // Content of 3 bytes, and InformationType 5.
        let body = hexBytes("0b000000 03000000 016162 05000000")
        let found = try describe(description, body, type: 202)
        #expect(
            try lines(found, count: 15) == [
                "es.body.length 0+4 11", "es.body.content.length 4+4 3", "es.body.content.n 8+1 1",
                "es.body.content.text 9+2 \"ab\"", "es.body.information_type 11+4 5",
            ]
        )
        #expect(found?.title == "InformationBySend: line")
        #expect(found?.fields.last?.meaning == "5 = line")
        let other = try describe(description, hexBytes("0b000000 03000000 016162 06000000"), type: 202)
        #expect(other?.fields.contains { $0.name == "es.body.content" } == true)
        #expect(other?.fields.last?.meaning == "6 = other")
    }

    @Test func namesOfFieldsCanBeChosen() throws {
        let found = try describe(
            head + """
                seq: [{id: user, type: string, -orig-id: UserName}, {id: list, type: string, repeat: eos}]
                types:
                  string: {seq: [{id: len, type: u1, -esdump-name: length}, {id: text, type: str, size: len, -esdump-name: ''}]}
                """,
            hexBytes("016101620163")
        )
        #expect(
            try lines(found, count: 6) == [
                "es.body.user.length 0+1 1", "es.body.user 1+1 \"a\"", "es.body.list[0].length 2+1 1",
                "es.body.list[0] 3+1 \"b\"", "es.body.list[1].length 4+1 1", "es.body.list[1] 5+1 \"c\"",
            ]
        )
        #expect(found?.fields.map(\.label) == ["UserName", "", "list[0]", "", "list[1]", ""])
    }

    @Test func secretsAreMarked() throws {
        let found = try describe(
            head + """
                seq:
                  - {id: password, type: string}
                  - {id: pin, type: u1, -esdump-secret: true}
                  - {id: old_password, size: 1, -esdump-secret: false}
                  - {id: c, size: 1, valid: '[1]', -esdump-secret: true}
                types: {string: {seq: [{id: len, type: u1}, {id: text, type: str, size: len}]}}
                instances: {shown: {value: password.text, -esdump-secret: true}}
                """,
            hexBytes("0161 05 06 07")
        )
        #expect(
            try lines(found, count: 5) == [
                "es.body.password.len 0+1 1", "es.body.password.text 1+1 \"a\" secret", "es.body.pin 2+1 5 secret",
                "es.body.old_password 3+1 bytes", "es.body.c 4+1 bytes secret", "es.body.shown 5+0 \"a\" secret",
            ]
        )
        #expect(found?.title == "app (c at offset 4: is something else (hidden), and must be 01)")
    }

    @Test func nothingIsSaidOfOtherMessages() throws {
        #expect(try describe(head + "seq: [{id: a, type: u1}]", [1], type: 999) == nil)
    }

    @Test func aBodyOfManyFieldsEndsWhereItMay() throws {
        let bodies = try DescribedBodies(DescriptionFile(head + "seq: [{id: a, type: u1, repeat: eos}]", name: "t.ksy"))
        var describer = BodyDescriber(application: bodies)
        describer.maximumFields = 10
        let bytes = [UInt8](repeating: 1, count: 100)
        let found = describer.describe(
            body: bytes.span.bytes,
            bodyOffset: 36,
            header: header(type: 1000, bodyLength: 100),
            isRequest: true
        )
        #expect(try lines(found, count: 100).count == 11)
        #expect(found?.fields.last?.name == "es.body.rest")
    }
}
