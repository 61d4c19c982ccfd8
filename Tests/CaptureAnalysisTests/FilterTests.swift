import ESProtocol
import MessageFormat
import Testing

@testable import CaptureAnalysis

/// What filters match.
@Suite struct FilterTests {
    private func matches(_ expression: String, _ sample: FilterSample) throws -> Bool {
        try MessageFilter(compiling: expression, utc: true).matches(sample.report, bytes: sample.bytes.span.bytes)
    }

    private func expect(
        _ sample: FilterSample,
        matches matching: [String],
        not others: [String],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        for expression in matching {
            #expect(try matches(expression, sample), "\(expression)", sourceLocation: location)
        }
        for expression in others {
            #expect(try !matches(expression, sample), "\(expression)", sourceLocation: location)
        }
    }

    @Test func numbersOfTheHeader() throws {
        try expect(
            .logon(),
            matches: [
                "es.message_type == 112", "es.message_type eq 0x70", "112 == es.message_type", "es.message_id < 8",
                "es.message_id <= 7", "es.message_id >= 6.5", "6 < es.message_id", "5 < es.message_id < 8",
                "es.message_type in {1, 100..112}", "es.message_type not in {1..5, 200}", "es.message_id != 8",
                "es.message_id != 7.5", "es.start_token == 0xff", "es.client_type == 0", "es.user_id.length == 4",
                "es.message_id > -1", "es.body_length > 20", "es.message_id < 99999999999999999999",
            ],
            not: [
                "es.message_type == 111", "es.message_id > 7", "es.message_id != 7", "es.message_id == 7.5",
                "es.message_type in {113..200}", "8 < es.message_id < 9",
                "es.message_id >= 7.5", "es.message_id > 18446744073709551615",
            ]
        )
    }

    @Test func namesOfTypes() throws {
        try expect(
            .logon(),
            matches: [
                "es.message_type == Logon", "es.message_type == logon", "es.message_type == \"Logon\"",
                "es.message_type in {HeartBeat, Logon}", "es.message_type_name == \"Logon\"",
                "es.message_type_name matches \"^log\"", "es.client_type == \".NET\"", "es.message_type != HeartBeat",
            ],
            not: ["es.message_type == HeartBeat", "es.message_type != Logon", "es.message_type_name == \"logon\""]
        )
        // 116 is a Logon in 4.0 and something else in 7.2, where 112 is the Logon.
        let old = try FilterSample(type: 116, version: .v40)
        let new = try FilterSample(type: 116, version: .v72)
        #expect(try matches("es.message_type == Logon", old))
        #expect(try !matches("es.message_type == Logon", new))
        #expect(try matches("es.message_type == GetMyOnlineDevice", new))
        #expect(try matches("es.client_type == Linux", new))
        #expect(try matches("es.client_type", new) && !matches("es.client_type", old))
        let unknown = try FilterSample(type: 64000)
        #expect(try !matches("es.message_type_name", unknown) && !matches("es.message_type_name != \"a\"", unknown))
    }

    @Test func textsOfTheHeader() throws {
        let sample = try FilterSample(type: 201, user: "中文01", dest: "bb02")
        try expect(
            sample,
            matches: [
                "es.user_id == \"中文01\"", "es.user_id contains \"文\"", "es.user_id == \"\\u4e2d\\u{6587}01\"",
                "es.dest_user_id == 62:62:30:32", "es.dest_user_id contains :62", "es.user_id matches \"^..01$\"",
                "es.dest_user_id ~ \"BB\\d+\"", "es.dest_user_id matches \"bb\\\\d\"",
                "es.dest_user_id matches r\"b\\d\"",
                "es.dest_user_id in {\"aa01\", \"bb02\"}", "es.dest_user_id in {\"ba\"..\"bc\"}",
                "es.dest_user_id > \"bb01\"", "es.user_id != es.dest_user_id", "es.dest_user_id == 'bb02'",
                "len(es.user_id) == 8", "upper(es.dest_user_id) == \"BB02\"", "es.dest_user_id[0:2] == \"bb\"",
                "es.dest_user_id[1-2] == 62:30", "es.dest_user_id[2:] == \"02\"", "es.user_id",
            ],
            not: [
                "es.dest_user_id == \"BB02\"", "es.user_id == es.dest_user_id", "es.dest_user_id matches \"(?-i)BB\"",
                "es.dest_user_id not in {\"aa01\", \"bb02\"}", "es.dest_user_id[9:] == \"\"",
                "es.user_id matches \"^.01$\"",
            ]
        )
    }

    @Test func whatIsKnownBesideTheBytes() throws {
        try expect(
            .logon(),
            matches: [
                "src == 10.0.0.1", "src == 10.0.0.1:50000", "src == 50000", "src == :50000", "src.port == 50000",
                "src.host == 10.0.0.0/8", "dst in {10.0.0.0/8, 192.168.0.0/16}", "dst == \"192.168.7.9:4530\"",
                "host == 192.168.7.9", "port == 4530", "port != 80", "host in {192.168.7.1..192.168.7.10}",
                "src contains \"10.0\"", "dst matches \":4530$\"", "direction == c2s", "status == complete",
                "transport == tcp", "conversation == 3", "packet in {10..20}", "stream_offset == 100",
                "length > es.body_length",
                "time >= 2026-11-30T03:49:16Z", "time < \"2026-11-30 03:49:17\"", "time > 1796010556.5",
                "time in {2026-11-30T00:00:00Z..2026-12-01T00:00:00Z}", "status matches \"compl\"",
            ],
            not: [
                "src == 10.0.0.2", "src == 10.0.0.1:4530", "port != 4530", "host != 10.0.0.1", "missing", "gaps",
                "missing == 0", "direction == s2c", "status != complete", "transport == udp", "src.port == dst.port",
                "time > 2026-11-30T03:49:17Z", "port in {1..100}",
            ]
        )
        var sample = try FilterSample.logon()
        sample.report.source = "[2001:db8::7]:50000"
        sample.report.destination = "[::1]:4530"
        sample.report.status = .gap
        sample.report.gaps = [MessageGap(offset: 50, length: 4), MessageGap(offset: 56, length: 2)]
        sample.bytes.removeSubrange(50..<56)
        try expect(
            sample,
            matches: [
                "src == 2001:db8::7", "src == 2001:db8::/32", "src == [2001:db8::7]:50000", "dst.host == ::1",
                "dst == \"[::1]:4530\"", "status == gap", "missing == 6", "gaps == 2", "missing < 10",
            ],
            not: ["src == 2001:db9::/32", "dst == 10.0.0.1", "dst.host == ::2"]
        )
    }

    @Test func fieldsOfBodies() throws {
        try expect(
            .logon(),
            matches: [
                "es.body.password == \"Geheim1\"", "es.body.password matches \"^geheim\\d$\"",
                "es.body.authorized_user contains \"User\"", "es.body.password.length == 7", "es.body.password",
                "es.body.authorized_user == 46:72:65:65:55:73:65:72", "es.body contains 46:72:65:65",
                "es.body contains \"Geheim\"", "es.body[0:4] == 1b:00:00:00", "len(es.body.password) == 7",
                "es.body.password[0:1] == \"G\"", "es.body.system_token.length == -1",
                "lower(es.body.password) == \"geheim1\"", "es.body matches \"Free\\\\x55ser\"",
                "es.header[2:2] == 70:00", "es.body.authorized_user != es.body.password",
            ],
            not: [
                "es.body.password == \"geheim1\"", "es.body.user_list", "es.body.content", "es.body.system_token",
                "es.body.system_token == \"\"", "es.body.system_token != \"x\"", "es.body.nothing_such",
                "es.body contains ff:ee", "es.body.logon_result == 0",
            ]
        )
        let reply = try FilterSample(
            type: 112,
            isRequest: false,
            value: .object([
                .init("FailureCause", .string("")), .init("GroupRelationEnabled", .boolean(true)),
                .init("LogonResult", .integer(2)), .init("P2PEnabled", .boolean(false)),
                .init("UseAsP2PServer", .boolean(false)),
            ])
        )
        try expect(
            reply,
            matches: [
                "es.body.logon_result == HadLoggedOn", "es.body.logon_result == \"hadloggedon\"",
                "es.body.logon_result in {1..2}", "es.body.logon_result != Succeed",
                "es.body.group_relation_enabled == true", "es.body.group_relation_enabled == 1",
                "es.body.failure_cause == \"\"", "es.body.p2p_enabled != es.body.group_relation_enabled",
            ],
            not: ["es.body.logon_result == Succeed", "es.body.p2p_enabled == true", "es.body.password"]
        )
    }

    @Test func fieldsThatOccurSeveralTimes() throws {
        try expect(
            .users([.string("aa01"), .string("bb02"), .null]),
            matches: [
                "es.body.user_list == \"bb02\"", "es.body.user_list[1] == \"bb02\"", "es.body.user_list.count == 3",
                "es.body.user_list != \"cc03\"", "es.body.user_list !== \"aa01\"",
                "any es.body.user_list contains \"b\"",
                "all es.body.user_list matches \"0\"", "count(es.body.user_list) == 2", "es.body.user_list",
                "es.body.user_list not in {\"x\", \"y\"}", "es.body.user_list[2].length == -1",
            ],
            not: [
                "es.body.user_list != \"aa01\"", "es.body.user_list[0] == \"bb02\"", "es.body.user_list === \"aa01\"",
                "all es.body.user_list contains \"b\"", "es.body.user_list not in {\"aa01\"}", "es.body.user_list[2]",
                "es.body.user_list[7]",
            ]
        )
        #expect(try !matches("es.body.user_list", FilterSample.users(nil)))
        #expect(try matches("es.body.user_list.count == -1", FilterSample.users(nil)))
        #expect(try matches("count(es.body.user_list) == 0", FilterSample.logon()))
    }

    @Test func logic() throws {
        try expect(
            .logon(),
            matches: [
                "es.message_id == 1 || es.message_id == 7", "es.message_id == 7 and not es.message_id == 8",
                "!(es.message_id == 8)", "not not es.message_id == 7",
                "es.message_id == 1 && es.message_id == 2 || es.message_id == 7",
                "(es.message_id == 7 or es.message_id == 1) and es.message_type == 112",
                "es.body.password == \"Geheim1\" && es.message_type == 112",
                "not es.body.user_list == \"x\"", "!(es.body.password == \"a\" && es.message_type == 112)",
            ],
            not: [
                "es.message_id == 7 && (es.message_id == 1 || es.message_id == 2)", "not es.message_id == 7",
                "es.body.user_list != \"x\"", "es.message_id == 7 && !es.body.password",
            ]
        )
    }

    @Test func bytesOfAnApplication() throws {
        let sample = try FilterSample.information([0x00, 0xFF, 0x5F, 0x30, 0x0A], type: 0x7FFF_FFFF)
        try expect(
            sample,
            matches: [
                "es.body.content contains 5f:30", "es.body.content contains \"_0\"",
                "es.body.content == 00:ff:5f:30:0a",
                "es.body.content matches \"\\xff_0\"", "es.body.content[1:2] == ff:5f",
                "es.body.information_type == 0x7fffffff",
                "es.body.content.length == 5", "es.body.content contains \"\\x00\\xff\"",
            ],
            not: ["es.body.content contains 30:5f", "es.body.content == ff:5f", "es.body.content[5:]"]
        )
        // A body that nothing is known of is guessed at.
        let guess = try FilterSample(type: 5000, body: [8, 0, 0, 0, 4, 0, 0, 0, 0x61, 0x62, 0x63, 0x64])
        #expect(try matches("es.body.guess[0] == \"abcd\" && es.body.guess == \"abcd\"", guess))
    }

    @Test func aPatternThatTakesTooLongIsGivenUp() throws {
        let sample = try FilterSample.information([UInt8](repeating: 0x61, count: 60) + [0x21])
        let filter = try MessageFilter(compiling: "es.body.content matches \"(a+)+b(?=c)|(a|aa)+$\"")
        var state = FilterState()
        let subject = FilterSubject(sample.report, application: nil)
        #expect(!filter.matches(subject, bytes: sample.bytes.span.bytes, state: &state))
        #expect(state.givenUp == 1)
    }

    @Test func headersNeedNoBodies() throws {
        let without = ["es.message_type == 112 || src == 1", "es.header contains ff:00", "es.user_id matches \"a\""]
        for expression in without { #expect(try !MessageFilter(compiling: expression).needsBodies, "\(expression)") }
        let with = [
            "es.body contains 00:01", "es.body.password == \"\"", "len(es.body) > 3", "es.user_id == es.body.a",
        ]
        for expression in with { #expect(try MessageFilter(compiling: expression).needsBodies, "\(expression)") }
    }

    @Test func bodiesAreReadOnlyWhereTheFieldCanBe() throws {
        let (program, _) = try FilterCompiler.compile(
            "es.body.password == \"x\" || es.message_id == 1",
            utc: true,
            names: .framework
        )
        // The number first, then the type, then the body.
        var next = program.start
        var order: [String] = []
        while next >= 0 {
            let instruction = program.instructions[Int(next)]
            switch instruction.test {
            case .number(let source, _, _): order.append("\(source)")
            case .values: order.append("values")
            default: order.append("other")
            }
            next = order.last == "messageType" ? instruction.whenTrue : instruction.whenFalse
        }
        #expect(order == ["messageID", "messageType", "values"])
    }
}
