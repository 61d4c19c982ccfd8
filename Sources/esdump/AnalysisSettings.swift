import CaptureAnalysis
import ESProtocol
import NetworkStack

/// The options in the form that the analysis takes.
extension Options {
    /// How to look for messages.
    var analysis: AnalysisOptions {
        var analysis = AnalysisOptions()
        analysis.framer.maximumMessage = maxMessage
        analysis.framer.startToken = startToken ?? profile?.startToken
        analysis.framer.idSlot = idSlot ?? userIDLength.map(idSlot)
        // A token given beside it may be another version's.
        if startToken == nil || startToken == profile?.startToken { analysis.givenVersion = profile?.rawValue }
        analysis.conversation = conversation
        analysis.totalBytes = totalBuffer
        return analysis
    }

    /// The slot that the framework makes of its setting for the longest user id (PROTOCOL.md section 2).
    private func idSlot(userIDLength: Int) -> UInt8 {
        let token = startToken ?? profile?.startToken
        let bytes: Int
        switch token {
        case .ffff: bytes = userIDLength + 1
        case .zeroF: bytes = (userIDLength + 4) & ~1
        case .ff, nil: bytes = (userIDLength + 2) & ~1
        }
        return UInt8(clamping: bytes)
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
