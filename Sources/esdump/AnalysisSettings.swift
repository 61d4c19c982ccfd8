import CaptureAnalysis
import ESProtocol
import NetworkStack

/// The options in the form that the analysis takes.
extension Options {
    /// How to look for messages.
    var analysis: AnalysisOptions {
        var analysis = AnalysisOptions()
        analysis.framer.maximumMessage = maxMessage
        let profile = givenProfile
        analysis.framer.startToken = startToken ?? profile?.startToken
        analysis.framer.idSlot = idSlot ?? userIDLength.flatMap(idSlot) ?? profile?.custom?.idSlot
        analysis.profile = profile
        analysis.infersVersions = format != .summary || verbosity > 0
        analysis.conversation = conversation
        analysis.totalBytes = totalBuffer
        return analysis
    }

    /// The version or the profile that was given; `nil` if it is to be found out.
    var givenProfile: ESProtocol.Profile? {
        if let customProfile { return ESProtocol.Profile(customProfile) }
        return profile.map { ESProtocol.Profile($0.version) }
    }

    /// The slot that the framework makes of its setting for the longest user id.
    private func idSlot(userIDLength: Int) -> UInt8? {
        let token = startToken ?? givenProfile?.startToken ?? .ff
        return ESProtocol.Profile(startToken: token).idSlot(maximumUserIDLength: userIDLength)
    }

    var reassemblyLimits: ReassemblyLimits {
        var limits = ReassemblyLimits()
        limits.gapPackets = UInt32(clamping: gapPackets)
        limits.gapTime = gapTime
        limits.gapMaximumTime = gapMaxTime
        limits.oneWayTime = oneWayTime
        limits.oneWayBytes = oneWayBytes
        limits.streamBytes = streamBuffer
        limits.streamPieces = streamPieces
        limits.totalBytes = totalBuffer
        limits.conversations = maxConversations
        limits.idleTime = idleTime
        limits.overlap = overlap
        return limits
    }
}
