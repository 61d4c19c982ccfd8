// Only where the system's crypt library makes salted hashes (libxcrypt); macOS has none.
#if canImport(CCrypt)
    import CCrypt
    import Dispatch
    import Sockets

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Users and salted hashes of their passwords, as `crypt(5)` has them: a line each, `aa01:$y$j9T$…`. Lines that begin with `#`
    /// and empty lines are left out.
    package struct PasswordFile: Sendable {
        package struct Failure: Error, Equatable, CustomStringConvertible {
            /// From 1; 0 is the file as a whole.
            package var line: Int
            package var reason: String
            package var description: String { line > 0 ? "line \(line): \(reason)" : reason }
        }

        private let hashes: [String: String]
        /// Of a password that nobody knows: users that do not exist take as long as those that do.
        private let decoy: String

        package init(_ contents: [UInt8]) throws(Failure) {
            var hashes: [String: String] = [:]
            for (index, line) in contents.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
                let line = line.last == 13 ? line.dropLast() : line
                guard let first = line.first, first != 35 else { continue }
                guard let colon = line.firstIndex(of: 58) else {
                    throw Failure(line: index + 1, reason: "there is no \":\" between user and hash")
                }
                let user = Array(line[..<colon])
                if let objection = UserIDCheck.objection(user, maximumLength: 255) {
                    throw Failure(line: index + 1, reason: objection)
                }
                let hash = String(decoding: line[(colon + 1)...], as: UTF8.self)
                guard hash.hasPrefix("$"), crypt_checksalt(hash) == CRYPT_SALT_OK else {
                    throw Failure(
                        line: index + 1,
                        reason: "what stands behind \"\(String(decoding: user, as: UTF8.self)):\" is not a hash of the "
                            + "kind that the crypt library makes today"
                    )
                }
                guard hashes.updateValue(hash, forKey: String(decoding: user, as: UTF8.self)) == nil else {
                    throw Failure(line: index + 1, reason: "this user stands in the file already")
                }
            }
            self.hashes = hashes
            // Of the kind that most users have, so that it takes as long.
            decoy = hashes.values.min() ?? (try? Self.hash("", prefix: nil)) ?? "$6$decoy$"
        }

        package var users: [String] { hashes.keys.sorted() }

        /// A salted hash of a password.
        /// - Parameter prefix: the kind, as `crypt(5)` has it; `nil` is the library's default.
        package static func hash(_ password: String, prefix: String? = nil, cost: UInt = 0) throws(Failure) -> String {
            var setting = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
            let made =
                if let prefix {
                    crypt_gensalt_rn(prefix, cost, nil, 0, &setting, Int32(setting.count))
                } else {
                    crypt_gensalt_rn(nil, cost, nil, 0, &setting, Int32(setting.count))
                }
            guard made != nil, let hash = crypt(password, text(setting)) else {
                throw Failure(line: 0, reason: "the crypt library makes no hash: \(String(cString: strerror(errno)))")
            }
            return hash
        }

        private static func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// - Returns: `nil` if the library refuses.
        private static func crypt(_ password: String, _ setting: String) -> String? {
            // The library's working memory, 32 KiB, does not belong on the stack of a thread.
            let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
            data.initialize(to: crypt_data())
            defer {
                data.deinitialize(count: 1)
                data.deallocate()
            }
            guard let hash = crypt_rn(password, setting, data, Int32(MemoryLayout<crypt_data>.size)) else { return nil }
            return String(cString: hash)
        }

        /// Says whether a password is right. It takes the time that the hash was made to take.
        package func isRight(_ user: String, _ password: String) -> Bool {
            let expected = hashes[user]
            guard !password.utf8.contains(0), let made = Self.crypt(password, expected ?? decoy), let expected else {
                return false
            }
            // All bytes are looked at, whatever they are.
            let (one, other) = (Array(made.utf8), Array(expected.utf8))
            guard one.count == other.count else { return false }
            return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// Checks passwords one after the other, on a thread of its own: they take time by design.
    package final class PasswordChecker: Sendable {
        private let file: PasswordFile
        private let queue = DispatchQueue(label: "passwords")
        private let waiting: Waiting
        private let maximumWaiting: Int

        /// How many wait to be checked.
        private final class Waiting: @unchecked Sendable {
            private let lock = Lock()
            private var count = 0

            func enter(_ maximum: Int) -> Bool {
                lock.withLock {
                    guard count < maximum else { return false }
                    count += 1
                    return true
                }
            }

            func leave() { lock.withLock { count -= 1 } }
        }

        /// - Parameter maximumWaiting: logons beyond so many are refused.
        package init(_ file: PasswordFile, maximumWaiting: Int = 64) {
            self.file = file
            self.maximumWaiting = maximumWaiting
            waiting = Waiting()
        }

        package func check(_ user: String, _ password: String) async -> PasswordVerdict {
            guard waiting.enter(maximumWaiting) else { return .busy }
            return await withCheckedContinuation { continuation in
                queue.async { [file, waiting] in
                    let isRight = file.isRight(user, password)
                    waiting.leave()
                    continuation.resume(returning: isRight ? .right : .wrong)
                }
            }
        }
    }
#endif
