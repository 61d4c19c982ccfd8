extension HeaderLayout {
    /// The versions of the framework that use it, as far as the bytes tell: "4.7 or 6.5".
    public var versions: String { ProtocolVersions(startToken: startToken).name }

    /// In words: token, header and slot length, versions.
    public var summary: String { summary(profile: nil) }

    /// - Parameter profile: what is known of it, if that is more than the start token tells.
    public func summary(profile: Profile?) -> String {
        let token =
            switch startToken {
            case .ffff: "FF FF"
            case .ff: "FF"
            case .zeroF: "0F"
            }
        let version =
            if let custom = profile?.custom { "profile \(custom.name)" } else {
                "version \(profile?.name ?? versions)"
            }
        return "start token \(token), header of \(headerLength) bytes (id slot \(idSlot)): \(version)"
    }
}
