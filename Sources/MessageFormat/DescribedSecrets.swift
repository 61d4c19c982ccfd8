import ESProtocol

extension FormatOptions {
    /// Ranges of `bytes` (all bytes of the message that were there) to hide, in order: what can be a password, and what a
    /// user's description marks as a secret.
    func secrets(of message: MessageReport, _ bytes: RawSpan) -> [Range<Int>] {
        if showSecrets { return [] }
        // The framework's own passwords are found without describing the body.
        guard let application, application.hasSecrets else { return SecretMask.ranges(message, bytes) }
        return message.secrets(in: bytes, application: application)
    }
}
