import TestSupport
import Testing

@testable import ESProtocol

/// The serializer's rules, with the examples of PROTOCOL.md section 3.
struct BodySchemaTests {
    private func roundTrip(_ schema: BodySchema, _ hex: String, _ value: BodyValue) throws {
        let body = bytes(hex)
        let read = try schema.value(parsing: body)
        #expect(read == value)
        #expect(try schema.bytes(of: value) == body)
    }

    @Test func serializerExamples() throws {
        try roundTrip(
            .object([BodyProperty("A", .int32)]),
            "04000000 04030201",
            .object([.init("A", .integer(0x0102_0304))])
        )
        try roundTrip(
            .object([BodyProperty("S", .string)]),
            "0a000000 06000000 e4b8ade69687",
            .object([.init("S", .string("中文"))])
        )
        try roundTrip(
            .object([BodyProperty("L", .list(.string))]),
            "15000000 03000000 02000000 6162 ffffffff 03000000 636465",
            .object([.init("L", .list([.string("ab"), .null, .string("cde")]))])
        )
    }

    @Test func everyKindOfValue() throws {
        try roundTrip(.boolean, "01", .boolean(true))
        try roundTrip(.byte, "ff", .unsigned(255))
        try roundTrip(.int16, "feff", .integer(-2))
        try roundTrip(.uint16, "feff", .unsigned(65534))
        try roundTrip(.uint32, "ffffffff", .unsigned(0xFFFF_FFFF))
        try roundTrip(.int64, "ffffffffffffffff", .integer(-1))
        try roundTrip(.uint64, "ffffffffffffffff", .unsigned(.max))
        try roundTrip(.float, "0000c03f", .float(1.5))
        try roundTrip(.double, "000000000000f83f", .double(1.5))
        try roundTrip(.character, "2d4e", .unsigned(0x4E2D))
        try roundTrip(.string, "00000000", .string(""))
        try roundTrip(.string, "ffffffff", .null)
        try roundTrip(.string, "02000000 fffe", .bytes([0xFF, 0xFE]))
        try roundTrip(.bytes, "ffffffff", .null)
        try roundTrip(.list(.int32), "ffffffff", .null)
        try roundTrip(.object([]), "ffffffff", .null)
        try roundTrip(.object([]), "00000000", .object([]))
        try roundTrip(
            .dictionary(key: .string, value: .boolean),
            "01000000 02000000 7a7a 00",
            .dictionary([.init(key: .string("zz"), value: .boolean(false))])
        )
        // An element that is an object has its own length; a nested list has none.
        try roundTrip(
            .list(.object([BodyProperty("A", .byte)])),
            "02000000 01000000 07 ffffffff",
            .list([.object([.init("A", .unsigned(7))]), .null])
        )
        try roundTrip(.list(.list(.byte)), "01000000 01000000 07", .list([.list([.unsigned(7)])]))
    }

    @Test func whatDoesNotFitIsSaid() {
        let logon = BodySchema.object([BodyProperty("Password", .string), BodyProperty("SystemToken", .string)])
        func error(_ hex: String, _ schema: BodySchema) -> String {
            do throws(BodyError) {
                _ = try schema.value(parsing: bytes(hex))
                return "none"
            } catch { return error.description }
        }
        #expect(error("14000000 00000000", logon) == "body at 0 says 20 bytes, 4 are there")
        #expect(error("08000000 ff000000 00000000", logon) == "Password at 4 says 255 bytes, 4 are there")
        #expect(error("04000000 00000000", logon) == "SystemToken at 8 needs 4 bytes, 0 are left")
        #expect(error("09000000 00000000 00000000 07", logon) == "body: 1 bytes are left at 12")
        #expect(error("00000000 07", .string) == "body: 1 bytes are left at 4")
        #expect(error("07", .boolean) == "body at 0 is 7, not a bool")
        #expect(error("ffffff7f 00000000", .list(.string)) == "body at 0 says 2147483647 elements, 4 bytes are left")
        #expect(error("feffffff", .string) == "body at 0 says -2 bytes, 0 are there")
    }

    @Test func whatCannotBeWrittenIsSaid() {
        #expect(throws: BodyError.self) { try BodySchema.byte.bytes(of: .unsigned(256)) }
        #expect(throws: BodyError.self) { try BodySchema.byte.bytes(of: .integer(-1)) }
        #expect(throws: BodyError.self) { try BodySchema.int16.bytes(of: .integer(32768)) }
        #expect(throws: BodyError.self) { try BodySchema.boolean.bytes(of: .integer(1)) }
        #expect(throws: BodyError.self) { try BodySchema.object([BodyProperty("A", .byte)]).bytes(of: .object([])) }
        #expect(throws: BodyError.self) { try BodySchema.object([]).bytes(of: .object([.init("A", .null)])) }
    }

    @Test func dates() {
        // 7.2 and 6.5: of the clock as it stands.
        #expect(
            BodyDate(raw: 1_796_036_645_250, encoding: .milliseconds).description == "2026-11-30 11:04:05.250"
        )
        let unset = bytes("0028d3ed7cc7ffff")
        #expect(
            BodyDate(raw: unset.span.bytes.signed(at: 0, 8), encoding: .milliseconds).description
                == "0001-01-01 00:00:00.000, never set"
        )
        let ticks: Int64 = 1_796_036_645_250 * 10_000 + 621_355_968_000_000_000
        #expect(BodyDate(raw: ticks, encoding: .ticks).description == "2026-11-30 11:04:05.250")
        #expect(
            BodyDate(raw: ticks | 0x4000_0000_0000_0000, encoding: .ticks).description == "2026-11-30 11:04:05.250 UTC"
        )
        #expect(
            BodyDate(raw: ticks | .min, encoding: .ticks).description
                == "2026-11-30 11:04:05.250 UTC, a local time"
        )
        #expect(BodyDate(raw: .max, encoding: .milliseconds).description == "not a date")
        for raw in [Int64.min, -1, 0, .max, 0x3FFF_FFFF_FFFF_FFFF, 3_155_378_975_999_999_999] {
            for encoding in [BodyDate.Encoding.ticks, .milliseconds] {
                _ = BodyDate(raw: raw, encoding: encoding).description
            }
        }
        #expect(calendarText(milliseconds: 951_782_400_000) == "2000-02-29 00:00:00.000")
        #expect(calendarText(milliseconds: -1) == "1969-12-31 23:59:59.999")
        #expect(calendarText(milliseconds: 253_402_300_799_999) == "9999-12-31 23:59:59.999")
    }

    @Test func fieldNames() {
        let names = [
            "AuthorizedUser": "authorized_user", "P2PAddress": "p2p_address", "UserID": "user_id", "IP": "ip",
            "UseAsP2PServer": "use_as_p2p_server", "P2PEnabled": "p2p_enabled", "PrivateTcpPort": "private_tcp_port",
            "IsPublicIP": "is_public_ip", "EndingIPEndPoint": "ending_ip_end_point", "EndingIPE": "ending_ipe",
            "BlobID": "blob_id", "IPAddress": "ip_address",
            "ActionTypeOnChannelIsBusy": "action_type_on_channel_is_busy",
            "_c": "_c",
        ]
        for (name, expected) in names { #expect(BodyProperty("\(name)", .byte).fieldName == expected) }
    }

    /// Properties go over the wire in ordinal order of their names.
    @Test func tableIsInOrdinalOrder() {
        func check(_ schema: BodySchema, _ place: String) {
            switch schema {
            case .object(let properties):
                let names = properties.map { Array($0.name.utf8) }
                #expect(zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }, "\(place)")
                for property in properties { check(property.schema, place + "." + property.name) }
            case .list(let element): check(element, place)
            case .content(let contents): for content in contents { check(content.schema, place) }
            default: break
            }
        }
        for (type, body, _) in everyBody { check(body.schema, type.name) }
        let numbers = MessageTypeDescription.all.map(\.number)
        #expect(numbers == numbers.sorted())
        for version in ProtocolVersion.allCases {
            let own = MessageTypeDescription.all.filter { $0.versions.contains(ProtocolVersions(version)) }.map(
                \.number
            )
            #expect(Set(own).count == own.count)
        }
    }

    @Test func generatedValuesComeBack() throws {
        var generator = SeededGenerator(seed: bodyTestSeed)
        let all: [BodySchema] =
            everyBody.map(\.body.schema) + [
                .list(.float), .list(.double), .list(.character), .list(.int16), .list(.uint32), .list(.int64),
                .dictionary(key: .int32, value: .list(.object([BodyProperty("A", .date(.ticks))]))),
            ]
        for schema in all {
            for _ in 0..<50 {
                let value = randomValue(schema, &generator)
                let body = try schema.bytes(of: value)
                let read = try schema.value(parsing: body)
                #expect(read == value, "seed \(bodyTestSeed)")
                #expect(try schema.bytes(of: read) == body, "seed \(bodyTestSeed)")
            }
        }
    }

    @Test func whatIsAcceptedIsWrittenBackIdentically() {
        var generator = SeededGenerator(seed: bodyTestSeed)
        for (_, body, _) in everyBody {
            for _ in 0..<100 {
                guard var bytes = try? body.schema.bytes(of: randomValue(body.schema, &generator)) else { continue }
                for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                    let index = Int.random(in: 0..<bytes.count, using: &generator)
                    bytes[index] =
                        [0, 1, 255, 128, generator.next() & 7].map { UInt8($0) }.randomElement(using: &generator) ?? 0
                }
                if let value = try? body.schema.value(parsing: bytes) {
                    #expect((try? body.schema.bytes(of: value)) == bytes, "seed \(bodyTestSeed)")
                }
            }
        }
    }
}
