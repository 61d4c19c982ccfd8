import ESProtocol

extension FormatOptions {
    /// Ranges of `bytes` (all bytes of the message that were there) to hide, in order: what can be a password, and what a
    /// user's description marks as a secret.
    func secrets(of message: MessageReport, _ bytes: RawSpan) -> [Range<Int>] {
        if showSecrets { return [] }
        let known = SecretMask.ranges(message, bytes)
        guard let application, application.hasSecrets else { return known }
        var ranges = known
        for item in MessageFields(message, bytes, describer: BodyDescriber(application: application)).body {
            guard case .field(let field) = item.content, field.isSecret, item.length > 0, let index = item.index else {
                continue
            }
            ranges.append(index..<index + item.length)
        }
        guard ranges.count > known.count else { return known }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        return ranges.reduce(into: []) { merged, range in
            if let last = merged.last, last.upperBound >= range.lowerBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }
}
