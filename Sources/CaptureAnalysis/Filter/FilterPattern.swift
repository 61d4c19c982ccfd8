import CPcre2

/// A regular expression of Perl's kind, compiled. Letters match whatever their case, as with Wireshark; `(?-i)` changes that.
///
/// The compiled form is not changed by matching, so that several may use it at once.
final class FilterPattern: @unchecked Sendable {
    /// How a match ended.
    enum Outcome {
        case found
        case notFound
        /// It took more steps than are allowed.
        case givenUp
    }

    private let code: OpaquePointer
    private let context: OpaquePointer

    /// Steps that one match may take: a pattern like `(a+)+b` would otherwise take years.
    private static let maximumSteps: UInt32 = 1_000_000
    private static let maximumHeapKiB: UInt32 = 20_000

    struct CompileError: Error {
        var message: String
        /// Offset in the pattern.
        var offset: Int
    }

    /// - Parameter isText: text in UTF-8 is matched by characters, anything else by bytes.
    init(_ pattern: [UInt8], isText: Bool) throws(CompileError) {
        var options = PCRE2_CASELESS | PCRE2_NEVER_BACKSLASH_C
        options |= isText ? PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF : PCRE2_NEVER_UTF
        var number: Int32 = 0
        var offset = 0
        guard let code = pcre2_compile_8(pattern, pattern.count, options, &number, &offset, nil) else {
            var text = [UInt8](repeating: 0, count: 256)
            let length = pcre2_get_error_message_8(number, &text, text.count)
            let message = length > 0 ? String(decoding: text.prefix(Int(length)), as: UTF8.self) : "error \(number)"
            throw CompileError(message: message, offset: offset)
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(code)
            throw CompileError(message: "no memory", offset: 0)
        }
        pcre2_set_match_limit_8(context, Self.maximumSteps)
        pcre2_set_heap_limit_8(context, Self.maximumHeapKiB)
        // Where there is no compiler for this machine, it is interpreted.
        _ = pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
        self.code = code
        self.context = context
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
    }

    func match(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        // One pair is enough to know whether there is a match.
        guard let data = pcre2_match_data_create_8(1, nil) else { return .givenUp }
        defer { pcre2_match_data_free_8(data) }
        let empty: StaticString = ""
        let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress ?? empty.utf8Start
        let result = pcre2_match_8(code, start, bytes.count, 0, 0, data, context)
        if result >= 0 { return .found }
        return result == PCRE2_ERROR_NOMATCH ? .notFound : .givenUp
    }
}
