extension HeaderLayout {
    /// The versions of the framework that use it, as far as the bytes tell: "4.7 or 6.5".
    public var versions: String {
        switch startToken {
        case .ffff: "4.0"
        case .ff: "4.7 or 6.5"
        case .zeroF: "7.2"
        }
    }

    /// In words: token, header and slot length, versions.
    public var summary: String { summary(version: nil) }

    /// - Parameter version: the version, if more than the bytes tells it.
    public func summary(version: String?) -> String {
        let token =
            switch startToken {
            case .ffff: "FF FF"
            case .ff: "FF"
            case .zeroF: "0F"
            }
        return
            "start token \(token), header of \(headerLength) bytes (id slot \(idSlot)): version \(version ?? versions)"
    }
}
