import ESProtocol

extension MessageReport {
    /// Ranges of the bytes (all that were there) that are a password or can be one. What is not given away without being
    /// asked for.
    package func secrets(in bytes: RawSpan) -> [Range<Int>] {
        let masked = SecretMask.ranges(self, bytes)
        guard masked.isEmpty, gaps.isEmpty else { return masked }
        return MessageFields(self, bytes, describer: BodyDescriber()).body.compactMap { item in
            guard case .field(let field) = item.content, field.isSecret, field.length > 0, let index = item.index else {
                return nil
            }
            return index..<index + item.length
        }
    }

    /// Whether it is read as what a client sends: a Logon is told from its reply by its form, since directions can be guessed.
    package func isRequest(_ bytes: RawSpan) -> Bool {
        SecretMask.mayBeLogon(self) ? SecretMask.isLogonRequest(self, bytes) : direction == .clientToServer
    }
}
