import ESProtocol

extension MessageReport {
    /// Ranges of the bytes (all that were there) that are a password or can be one, or that a user's description marks as a
    /// secret; in order. What is not given away without being asked for.
    package func secrets(in bytes: RawSpan, application: (any ApplicationBodies)? = nil) -> [Range<Int>] {
        let masked = SecretMask.ranges(self, bytes)
        let isDescribed = application?.hasSecrets ?? false
        guard masked.isEmpty && gaps.isEmpty || isDescribed else { return masked }
        var describer = BodyDescriber(application: application)
        let fields = MessageFields(self, bytes, describer: &describer).body
        return Self.merged(
            masked
                + fields.compactMap { item in
                    guard case .field(let field) = item.content, field.isSecret, item.length > 0, let index = item.index
                    else { return nil }
                    return index..<index + item.length
                }
        )
    }

    /// The same without what overlaps, in order.
    static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        guard ranges.count > 1 else { return ranges }
        return ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            if let last = merged.last, last.upperBound >= range.lowerBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }

    /// Whether it is read as what a client sends: a Logon is told from its reply by its form, since directions can be guessed.
    package func isRequest(_ bytes: RawSpan) -> Bool {
        SecretMask.mayBeLogon(self) ? SecretMask.isLogonRequest(self, bytes) : direction == .clientToServer
    }
}
