#if os(Linux)
    import ESClient
    import ESProtocol
    import ESServer
    import Testing

    @Suite struct PasswordFileTests {
        /// Quick to check; what the server makes itself is slower by design.
        private func hash(_ password: String) throws -> String {
            try PasswordFile.hash(password, prefix: "$2b$", cost: 4)
        }

        private func failure(_ contents: String) -> PasswordFile.Failure? {
            do throws(PasswordFile.Failure) {
                _ = try PasswordFile(Array(contents.utf8))
                return nil
            } catch {
                return error
            }
        }

        @Test func passwordsAreCheckedAgainstTheirHash() throws {
            let file = try PasswordFile(Array("# users\naa01:\(try hash("p@ss密码"))\n\n用户:\(try hash(""))\r\n".utf8))
            #expect(file.users == ["aa01", "用户"])
            #expect(file.isRight("aa01", "p@ss密码"))
            #expect(!file.isRight("aa01", "p@ss密"))
            #expect(!file.isRight("aa01", ""))
            #expect(!file.isRight("bb02", "p@ss密码"))
            #expect(file.isRight("用户", ""))
            #expect(!file.isRight("用户", "\0x"))
        }

        @Test func twoHashesOfOnePasswordDiffer() throws {
            #expect(try hash("x") != hash("x"))
        }

        @Test func whatIsWrongInTheFileIsSaidWithItsLine() {
            #expect(failure("aa01\n")?.line == 1)
            #expect(failure("\n\naa01:secret\n")?.line == 3)
            #expect(failure("aa01:secret")?.description.contains("is not a hash") == true)
            #expect(failure("aa01:")?.line == 1)
            #expect(failure("_0:$2b$04$abcdefghijklmnopqrstuuDCqTd1bCqGz0F2mA6vGd1bQk9c5o1K6")?.line == 1)
            #expect(failure("") == nil)
        }

        @Test func theServerLetsInWhoKnowsThePassword() async throws {
            let file = try PasswordFile(Array("aa01:\(try hash("right"))\n".utf8))
            let checker = PasswordChecker(file)
            var options = ServerOptions()
            options.hosts = ["127.0.0.1"]
            options.port = 0
            options.checkPassword = { await checker.check($0, $1) }
            let server = ESServer(options: options)
            let port = try await server.start()[0].port
            func logOn(_ user: String, _ password: String) async throws -> LogonResult {
                let client = ESClient(profile: SessionProfile(.v65))
                try await client.connect(host: "127.0.0.1", port: port)
                return try await client.logOn(userID: user, password: password)
            }
            #expect(try await logOn("aa01", "wrong") == .refused(cause: "wrong user or password"))
            #expect(try await logOn("bb02", "right") == .refused(cause: "wrong user or password"))
            #expect(try await logOn("aa01", "right").isSuccess)
            await server.stop()
        }

        @Test func tooManyAtATimeAreTurnedAway() async throws {
            let file = try PasswordFile(Array("aa01:\(try PasswordFile.hash("x", prefix: "$2b$", cost: 8))\n".utf8))
            let checker = PasswordChecker(file, maximumWaiting: 1)
            let verdicts = await withTaskGroup(of: PasswordVerdict.self) { group in
                for _ in 0..<8 { group.addTask { await checker.check("aa01", "x") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(verdicts.contains(.right) && verdicts.contains(.busy) && !verdicts.contains(.wrong))
        }
    }
#endif
