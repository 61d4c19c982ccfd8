import TestSupport
import Testing

@testable import ESProtocol

struct BodyDescriberTests {
    private func lines(_ description: BodyDescription?) -> [String] {
        (description?.fields ?? []).map { "\($0.offset) \($0.length) \($0.name) \($0.value) \($0.meaning)" }
    }

    @Test func logonRequest() {
        let body = bytes("15000000 08000000 4672656555736572 01000000 78 ffffffff")
        let description = describe(body, 112, .v65, isRequest: true)
        #expect(description?.title == "Logon request")
        #expect(description?.isExact == true)
        #expect(
            lines(description) == [
                "36 4 es.body.length integer(21) 21 = bytes of the object that follow",
                "40 4 es.body.authorized_user.length integer(8) 8 bytes",
                "44 8 es.body.authorized_user text(\"FreeUser\") ",
                "52 4 es.body.password.length integer(1) 1 byte",
                "56 1 es.body.password text(\"x\") ",
                "57 4 es.body.system_token.length integer(-1) -1 = null",
                "61 0 es.body.system_token none ",
            ]
        )
        #expect(
            description?.fields.map(\.label) == ["Length", "AuthorizedUser", "", "Password", "", "SystemToken", ""]
        )
        #expect(description?.fields.filter(\.isSecret).map(\.name) == ["es.body.password"])
    }

    @Test func logonOf40HasNoAuthorizedUser() {
        let description = describe(bytes("08000000 00000000 00000000"), 116, .v40, isRequest: true)
        #expect(description?.isExact == true)
        #expect(
            description?.fields.map(\.name) == [
                "es.body.length", "es.body.password.length", "es.body.password", "es.body.system_token.length",
                "es.body.system_token",
            ]
        )
        #expect(description?.fields[1].meaning == "0 bytes: \"\"")
    }

    @Test func enumsHaveNames() {
        let reply = describe(bytes("0b000000 00000000 00 01000000 00 00"), 112, .v65, isRequest: false)
        #expect(reply?.fields.first { $0.name == "es.body.logon_result" }?.meaning == "1 = Failed")
        let device = describe(bytes("05000000 09000000 01"), 117, .v72, isRequest: false)
        #expect(device?.fields.first { $0.name == "es.body.client_type" }?.meaning == "9 = Linux")
        let unknown = describe(bytes("05000000 63000000 01"), 117, .v72, isRequest: false)
        #expect(unknown?.fields[1].meaning == "99 is not a known ClientType")
    }

    @Test func listsAndDictionaries() {
        let list = describe(bytes("0e000000 02000000 02000000 6162 ffffffff"), 110, .v65, isRequest: false)
        #expect(
            list?.fields.map(\.name) == [
                "es.body.length", "es.body.user_list.count", "es.body.user_list[0].length", "es.body.user_list[0]",
                "es.body.user_list[1].length", "es.body.user_list[1]",
            ]
        )
        let dictionary = describe(bytes("01000000 02000000 7a7a 01"), 114, .v72, isRequest: false)
        #expect(
            dictionary?.fields.map(\.name) == [
                "es.body.count", "es.body[0].key.length", "es.body[0].key", "es.body[0].value",
            ]
        )
        #expect(dictionary?.isExact == true)
    }

    /// What the bytes of a file package are is said by a property behind them.
    @Test func filePackages() {
        let nextFile = bytes(
            "2b000000 17000000 13000000 8813000000000000 07000000 6f6e652e62696e 00 01000000 07000000 616130315f3132"
        )
        let description = describe(nextFile, 303, .v65, isRequest: true)
        #expect(description?.isExact == true)
        #expect(
            description?.fields.map(\.name) == [
                "es.body.length", "es.body.data.length", "es.body.data.content.length",
                "es.body.data.content.file_length", "es.body.data.content.relative_file_path.length",
                "es.body.data.content.relative_file_path", "es.body.index", "es.body.package_type",
                "es.body.project_id.length", "es.body.project_id",
            ]
        )
        #expect(description?.fields[3].value == .unsigned(5000))
        #expect(description?.fields[7].meaning == "1 = next file of a folder")
        // A form that the bytes do not have is said, and they are shown as they are.
        var broken = nextFile
        broken[8] = 0x12
        let other = describe(broken, 303, .v65, isRequest: true)
        #expect(other?.isExact == false)
        #expect(other?.fields[1].meaning.hasPrefix("23 bytes, not of the form that stands there") == true)
        #expect(other?.fields[2].name == "es.body.data")
        let folder = describe(bytes("10000000 03000000 737562 00 02000000 00000000"), 303, .v72, isRequest: true)
        #expect(folder?.fields.first { $0.name == "es.body.data" }?.value == .text("sub"))
        let data = describe(bytes("10000000 03000000 737562 01 00000000 00000000"), 303, .v72, isRequest: true)
        #expect(data?.fields.first { $0.name == "es.body.data" }?.value == .bytes)
        #expect(data?.isExact == true)
    }

    /// A message and its tag are read from a blob of a single fragment only.
    @Test func taggedBlobs() {
        let whole = bytes(
            "25000000 01000000 14000000 10000000 05000000 68656c6c6f 03000000 746167 00000000 08000000 01"
        )
        let description = describe(whole, 208, .v65, isRequest: true)
        #expect(description?.isExact == true)
        #expect(description?.fields.first { $0.name == "es.body.fragment.content.tag" }?.value == .text("tag"))
        var part = whole
        part[part.count - 1] = 0
        #expect(describe(part, 208, .v65, isRequest: true)?.fields.contains { $0.name == "es.body.fragment" } == true)
    }

    @Test func whatDoesNotFitIsSaid() {
        let tooMuch = describe(bytes("14000000") + [UInt8](repeating: 0, count: 24), 112, .v65, isRequest: true)
        #expect(tooMuch?.fields.first?.meaning == "object says 20 bytes, 24 are there")
        #expect(tooMuch?.isExact == false)
        #expect(tooMuch?.fields.last?.name == "es.body.rest")

        let long = describe(bytes("14000000 08000000 4672656555736572 ff000000 00000000"), 112, .v65, isRequest: true)
        #expect(long?.fields.map(\.name).last == "es.body.rest")
        #expect(long?.fields.first { $0.name == "es.body.password.length" }?.meaning == "says 255 bytes, 4 are left")
        #expect(long?.fields.last?.isSecret == true)

        let list = describe(bytes("08000000 ffffff7f 00000000"), 110, .v65, isRequest: false)
        #expect(list?.fields[1].meaning == "says 2147483647 elements, 4 bytes are left")
    }

    /// Where two versions share a layout, the bytes tell if they can.
    @Test func versionsOfOneLayout() {
        let address =
            "2a000000 09000000 3132372e302e302e31 ceeb0000 ad830000 09000000 3132372e302e302e31 ceeb0000 ad830000"
        let of65 = describe(bytes("2f000000 00" + address), 401, .v65, isRequest: true)
        #expect(of65?.isExact == true)
        #expect(of65?.versions == .v65)
        let of47 = describe(bytes("2e000000" + address), 401, .v47, isRequest: true)
        #expect(of47?.isExact == true)
        #expect(of47?.versions == .v47)
        let header = header(401, .v47, bodyLength: 50)
        #expect(
            VersionClues.versions(body: bytes("2e000000" + address).span.bytes, header: header, isRequest: true)
                == .v47
        )
        #expect(of47?.fields[2].name == "es.body.p2p_address.private_ip.length")
        #expect(of47?.fields[2].depth == 2)
    }

    @Test func unknownBodiesAreGuessedAt() {
        let guess = describe(bytes("0e000000 04000000 61613031 07000000 01 02"), 900, .v65, isRequest: true)
        #expect(guess?.isGuess == true)
        #expect(guess?.title.contains("a guess") == true)
        #expect(guess?.fields.first { $0.name == "es.body.guess[0]" }?.value == .text("aa01"))
        #expect(describe(bytes("0e000000 04000000 61613031 07000000 01"), 900, .v65, isRequest: true) == nil)
        #expect(describe(bytes("0102030405060708090a"), 900, .v65, isRequest: true) == nil)
        #expect(describe([], 112, .v65, isRequest: true) == nil)
    }

    @Test func aListThatIsTooLongToShow() {
        var describer = BodyDescriber()
        describer.maximumFields = 100
        var body = bytes("00000000 00000000")
        for _ in 0..<200 { body += [1, 0, 0, 0, 97] }
        for (offset, value) in [(0, body.count - 4), (4, 200)] {
            for index in 0..<2 { body[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        }
        let header = header(110, .v65, bodyLength: body.count)
        let description = describer.describe(body: body.span.bytes, bodyOffset: 36, header: header, isRequest: false)
        #expect(description?.fields.count == 101)
        #expect(description?.fields.last?.meaning == "151 more elements, not shown one by one")
        #expect(coverEveryByte(description?.fields ?? [], from: 36, count: body.count))
    }

    /// Cut at every byte, the fields still cover all that is there, and nothing is called wrong that is only missing.
    @Test func truncationAtEveryByte() throws {
        var generator = SeededGenerator(seed: bodyTestSeed)
        for (type, body, version) in everyBody {
            let value = randomValue(body.schema, &generator)
            let whole = try body.schema.bytes(of: value)
            for count in 0..<whole.count {
                guard
                    let description = describe(
                        Array(whole[..<count]),
                        type.number,
                        version,
                        isRequest: body.direction != .reply,
                        declared: whole.count
                    )
                else {
                    Issue.record("no description of \(type.name) cut at \(count), seed \(bodyTestSeed)")
                    continue
                }
                #expect(
                    coverEveryByte(description.fields, from: description.fields.first?.offset ?? 0, count: count),
                    "\(type.name) cut at \(count), seed \(bodyTestSeed)"
                )
            }
        }
    }

    /// Whatever the bytes are: no trap, and each of them in one field.
    @Test func mutations() throws {
        var generator = SeededGenerator(seed: bodyTestSeed &+ 1)
        for (type, body, version) in everyBody {
            for _ in 0..<200 {
                var mutated = try body.schema.bytes(of: randomValue(body.schema, &generator))
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0 where !mutated.isEmpty:
                        let index = Int.random(in: 0..<mutated.count, using: &generator)
                        mutated[index] =
                            [0, 1, 127, 128, 255, UInt8.random(in: 0...255, using: &generator)]
                            .randomElement(using: &generator) ?? 0
                    case 1 where !mutated.isEmpty:
                        mutated.remove(at: Int.random(in: 0..<mutated.count, using: &generator))
                    default:
                        mutated.insert(
                            UInt8(generator.next() & 255),
                            at: Int.random(in: 0...mutated.count, using: &generator)
                        )
                    }
                }
                let declared = Bool.random(using: &generator) ? mutated.count : mutated.count + 7
                for isRequest in [true, false] {
                    guard
                        let description = describe(
                            mutated,
                            type.number,
                            version,
                            isRequest: isRequest,
                            declared: declared
                        )
                    else { continue }
                    #expect(
                        coverEveryByte(
                            description.fields,
                            from: Profile(version).layout()?.headerLength ?? 36,
                            count: mutated.count
                        ),
                        "\(type.name) \(version), seed \(bodyTestSeed)"
                    )
                }
            }
        }
    }

    @Test func noise() {
        var generator = SeededGenerator(seed: bodyTestSeed &+ 2)
        for _ in 0..<20_000 {
            var body = (0..<Int.random(in: 1...60, using: &generator)).map { _ in UInt8(generator.next() & 255) }
            // Small lengths get further.
            for index in body.indices where generator.next() & 3 != 0 { body[index] = UInt8(generator.next() & 3) }
            if body.count > 4, generator.next() & 1 == 0 {
                body.replaceSubrange(0..<4, with: [UInt8(body.count - 4), 0, 0, 0])
            }
            let type = MessageTypeDescription.all.randomElement(using: &generator)?.number ?? 999
            let version = ProtocolVersion.allCases.randomElement(using: &generator) ?? .v65
            guard let description = describe(body, type, version, isRequest: generator.next() & 1 == 0) else {
                continue
            }
            #expect(
                coverEveryByte(description.fields, from: description.fields.first?.offset ?? 0, count: body.count),
                "seed \(bodyTestSeed)"
            )
        }
    }
}
