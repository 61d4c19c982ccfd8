import ESProtocol
import MessageFormat
import NetworkStack

/// Turns what the framers find into reports, with what is known of the conversation.
struct StreamReporter: FramerSink {
    /// Who wants reports; without it only the totals are kept.
    let output: ReportReceiver?
    /// Whether anything was reported, or may have ended the analysis, since this was set to false.
    var hasNews = false
    var options: AnalysisOptions {
        didSet { setMasks() }
    }
    /// Whether messages are counted, each, and nothing else: told beforehand, as it is asked for each.
    private var countingMask = ConversationStatus.Mask.never
    /// Whether the numbers of a message are enough to tell most that are not wanted.
    private var choosingMask = ConversationStatus.Mask.never
    /// Whether those that are known with its header are.
    private var refusingMask = ConversationStatus.Mask.never
    /// Of which types no message is wanted, where `choosingMask` or `refusingMask` are settled.
    private var refusals = TypeRefusals()
    /// Whether filters ask which conversation a message is of.
    private var asksForConversation = false
    /// Whether neither a conversation nor a time is asked for.
    private var choosesAll = true
    /// Whether messages that are not shown are looked at for what they tell of the version.
    private var learnsVersions = false
    private var names = EndpointNames()
    /// All but the messages, which are in `counter`.
    var totals = AnalysisTotals()
    var counter = MessageCounter()
    /// Both together.
    var allTotals: AnalysisTotals {
        var all = totals
        counter.enter(into: &all)
        return all
    }
    /// By the place of the conversation.
    var records = DenseStore<ConversationRecord>()
    /// The same: apart, where it takes little of the cache.
    var statuses = DenseStore<ConversationStatus>()
    /// The stream whose bytes are being pushed.
    var stream = StreamID(conversation: 0, side: 0)
    /// Whether something of the conversation's record is needed for each message, and each byte of a segment: what is known
    /// to be needed is fetched beforehand.
    private(set) var looksAtRecords = false
    var looksAtBytes = false
    /// Set when a framer found its layout.
    var layoutChanged = false
    /// What the framers pass on to each other.
    var spareMemory = FramerMemory()
    /// The packet that is being looked at.
    var now = PacketMark(packet: 0, time: 0)
    /// What is known of the versions of servers.
    var serverVersions = ServerVersions()
    /// Whether `records` are those of UDP conversations.
    var isUDP = false
    /// Which messages are wanted, and which of them is the last.
    private var choice: MessageChoice?

    static let tooManyConversations = "too many conversations at once (--max-conversations); this one is forgotten"
    /// How many bytes of a direction that is not ES are shown.
    static let firstByteCount = 16

    init(output: (any AnalysisOutput)?, options: AnalysisOptions) {
        self.output = output.map { ReportReceiver($0) }
        self.options = options
        choice = MessageChoice(options)
        givenProfile = options.profile.map { Self.withNames(of: options.application, $0) }
        profiles = VersionProfiles { Self.withNames(of: options.application, Profile(versions: $0)) }
        setMasks()
    }

    private mutating func setMasks() {
        countingMask = countsOnly ? .settled : .never
        choosingMask = choosesByNumbers ? .settled : .never
        refusingMask = choice?.refusesByHeader == true ? .settled : .never
        asksForConversation = choice?.asksForConversation ?? false
        choosesAll = options.choosesAll
        learnsVersions = output != nil && options.profile == nil && options.infersVersions
        mayEnd = options.until != nil
        looksAtRecords = output != nil && choice == nil
        refusals.clear()
    }

    /// Begins a record at a place, behind the last one or where one was before.
    mutating func begin(_ record: ConversationRecord, at slot: Int) {
        let status = ConversationStatus(endpoints: record.endpoints)
        while records.count <= slot {
            records.append(record)
            statuses.append(status)
        }
        records[slot] = record
        statuses[slot] = status
    }

    /// The names of the ends of all conversations, where no packets say them: pasted bytes, a connection of this program.
    var givenNames: (EndpointName, EndpointName)?
    /// The profile that was given, with what a description adds to it; and those of all sets of versions.
    let givenProfile: Profile?
    let profiles: VersionProfiles

    private static func withNames(of application: (any ApplicationBodies)?, _ profile: Profile) -> Profile {
        var profile = profile
        if let application { profile.describedNames = application.messageTypeNames }
        return profile
    }

    func name(_ slot: Int, side: Int) -> String {
        if let givenNames { return side == 0 ? givenNames.0.text : givenNames.1.text }
        return records[slot].name(side: side)
    }

    /// The names of both ends of a conversation.
    @inline(__always)
    private mutating func endNames(_ slot: Int) -> (EndpointName, EndpointName) {
        if let givenNames { return givenNames }
        let ends = records[slot].endpoints
        if ends.0.isIPv4, ends.1.isIPv4 { return (EndpointName(ends.0), EndpointName(ends.1)) }
        return names.names(of: ends, number: records[slot].number)
    }

    func server(_ slot: Int) -> Endpoint { records[slot].endpoint(side: 1 - statuses[slot].client) }

    /// Whether a message may come that ends the analysis.
    private var mayEnd = false
    /// Whether it came, and the packet that brought it.
    var end: PacketMark? { choice?.end }
    /// Matches of regular expressions that took too many steps.
    var givenUpMatches: Int { choice?.state.givenUp ?? 0 }

    private func isChosen(_ slot: Int) -> Bool { isChosen(slot, time: now.time) }

    @inline(__always)
    private func isChosen(_ slot: Int, time: Int64) -> Bool {
        (options.conversation == nil || options.conversation == records[slot].number)
            && time >= options.from && time <= options.to
    }

    /// Whether neither reports nor a choice of messages are wanted.
    private var countsOnly: Bool { output == nil && !choosesMessages && options.choosesAll }
    /// Whether it depends on a message whether it counts.
    var choosesMessages: Bool { choice != nil }
    /// Whether the numbers of a message are enough to know that.
    var choosesByNumbers: Bool { choice?.asksNumbersOnly ?? false }

    // MARK: - Found by the framer

    @inline(__always)
    mutating func completeMessage(_ header: MessageHeader, streamOffset: Int64, mark: StreamMark, bytes: RawSpan) {
        let status = statuses[stream.conversation]
        // One branch, so that what only the other way needs of the header is read there.
        if status.isSettled(mask: countingMask) {
            counter.count(header, isComplete: true, isToServer: stream.side == status.client)
        } else if status.isSettled(mask: choosingMask), refusals.refuse(header) {
            totals.unmatchedMessages &+= 1
        } else if !status.isSettled(mask: choosingMask) || !passesOver(header, streamOffset: streamOffset, mark: mark) {
            take(header, streamOffset: streamOffset, mark: mark, status: .complete, gaps: [], bytes)
        }
    }

    /// Looks at the numbers of a complete message of a conversation that is settled, and passes over it if nobody wants more.
    /// - Returns: false if there is more to do.
    @inline(never)
    private mutating func passesOver(_ header: MessageHeader, streamOffset: Int64, mark: StreamMark) -> Bool {
        let slot = stream.conversation
        // Whatever would need this struct or the choice as a whole would copy it for each message.
        if !choosesAll, !isChosen(slot, time: mark.time) { return true }
        if learnsVersions, VersionClues.mayTell(header) { return false }
        noteRefusal(header)
        if mayEnd { hasNews = true }
        let numbers = numbers(of: header, streamOffset: streamOffset, mark: mark)
        if choice?.isWanted(numbers) ?? true {
            guard output == nil else { return false }
            counter.count(header, isComplete: true, isToServer: stream.side == statuses[slot].client)
        } else {
            totals.unmatchedMessages += 1
        }
        return true
    }

    /// Notes it if no message of this type is wanted.
    private mutating func noteRefusal(_ header: MessageHeader) {
        guard choosesAll, choice?.refusesType(of: header) ?? false else { return }
        let mayTell = learnsVersions && !ProtocolVersions(startToken: header.layout.startToken).isSingle
        refusals.note(header, limit: mayTell ? VersionClues.firstTellingClientType : .max)
    }

    /// Most messages are refused by their headers, and need not be put together.
    @inline(__always)
    mutating func wantsBytes(_ header: MessageHeader, streamOffset: Int64) -> Bool {
        guard statuses[stream.conversation].isSettled(mask: refusingMask) else { return true }
        return !refusals.refuse(header) && mayWantBytes(header, streamOffset: streamOffset)
    }

    @inline(never)
    private mutating func mayWantBytes(_ header: MessageHeader, streamOffset: Int64) -> Bool {
        if learnsVersions, VersionClues.mayTell(header) { return true }
        let numbers = numbers(of: header, streamOffset: streamOffset, mark: StreamMark(packet: 0, time: 0))
        return !(choice?.refuses(numbers) ?? false)
    }

    /// What a filter can ask for of a complete message. (It is mutating so that not all of this struct is copied for the call.)
    @inline(__always)
    private mutating func numbers(of header: MessageHeader, streamOffset: Int64, mark: StreamMark) -> FilterNumbers {
        let slot = stream.conversation
        let nowhere = Endpoint(high: 0, low: 0, port: 0)
        return FilterNumbers(
            header: header,
            time: mark.time,
            packet: mark.packet,
            conversation: asksForConversation ? records[slot].number : 0,
            isUDP: isUDP,
            direction: statuses[slot].direction(side: stream.side),
            streamOffset: streamOffset,
            status: .complete,
            source: asksForConversation ? records[slot].endpoint(side: stream.side) : nowhere,
            destination: asksForConversation ? records[slot].endpoint(side: 1 - stream.side) : nowhere
        )
    }

    mutating func message(_ message: FramedMessage, bytes: RawSpan) {
        take(
            message.header,
            streamOffset: message.streamOffset,
            mark: message.mark,
            status: message.status,
            gaps: message.gaps,
            bytes
        )
    }

    @inline(never)
    private mutating func take(
        _ header: MessageHeader,
        streamOffset: Int64,
        mark: StreamMark,
        status: MessageStatus,
        gaps: [MessageGap],
        _ bytes: RawSpan
    ) {
        let slot = stream.conversation
        if !statuses[slot].isES { becomesES(slot) }
        if !statuses[slot].isClientKnown { learnClient(slot, side: stream.side, header, bytes) }
        guard isChosen(slot, time: mark.time) else { return }
        let direction = statuses[slot].direction(side: stream.side)
        let isToServer = stream.side == statuses[slot].client
        if choice == nil, output == nil {
            counter.count(header, isComplete: status == .complete, isToServer: isToServer)
            return
        }
        // What is not shown tells of the version all the same.
        let profile = profile(
            of: header,
            isComplete: status == .complete,
            bytes: bytes,
            slot: slot,
            side: stream.side,
            direction: direction
        )
        if choice != nil {
            let message = FramedMessage(
                streamOffset: streamOffset,
                header: header,
                status: status,
                gaps: gaps,
                mark: mark
            )
            guard isWanted(message, bytes, direction, profile) else { return }
        }
        counter.count(header, isComplete: status == .complete, isToServer: isToServer)
        guard output != nil else { return }
        hasNews = true
        let ends = endNames(slot)
        let number = records[slot].number
        let isFirst = stream.side == 0
        let isUDP = isUDP
        output?.with {
            $0.message(
                MessageReport(
                    time: mark.time,
                    packet: mark.packet,
                    conversation: number,
                    isUDP: isUDP,
                    direction: direction,
                    sender: isFirst ? ends.0 : ends.1,
                    receiver: isFirst ? ends.1 : ends.0,
                    streamOffset: streamOffset,
                    status: status,
                    header: header,
                    gaps: gaps,
                    profile: profile
                ),
                bytes: bytes
            )
        }
    }

    /// Asks the filters.
    private mutating func isWanted(
        _ message: FramedMessage,
        _ bytes: RawSpan,
        _ direction: Direction,
        _ profile: Profile
    ) -> Bool {
        let slot = stream.conversation
        let (first, second) = records[slot].endpoints
        let numbers = FilterNumbers(
            header: message.header,
            time: message.mark.time,
            packet: message.mark.packet,
            conversation: records[slot].number,
            isUDP: isUDP,
            direction: direction,
            streamOffset: message.streamOffset,
            status: message.status,
            source: stream.side == 0 ? first : second,
            destination: stream.side == 0 ? second : first
        )
        let subject = FilterSubject(
            numbers,
            gaps: message.gaps,
            profile: profile,
            application: options.application
        )
        if mayEnd { hasNews = true }
        if choice?.isWanted(subject, bytes: bytes) ?? true { return true }
        totals.unmatchedMessages += 1
        return false
    }

    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {
        let slot = stream.conversation
        guard statuses[slot].isES || unframed.reason == .overLimit else {
            let pending = records[slot].pending ?? PendingBytes()
            records[slot].pending = pending
            pending.add(unframed, side: stream.side)
            return
        }
        report(unframed, bytes: bytes.withUnsafeBytes { Array($0.prefix(4096)) }, side: stream.side)
    }

    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {
        layoutChanged = true
        let slot = stream.conversation
        guard !records[slot].hasLayoutReport, tellsEvents, isChosen(slot) else { return }
        records[slot].hasLayoutReport = true
        let token = ProtocolVersions(startToken: layout.startToken)
        let known = options.profile == nil ? versionAndSource(slot, token) : nil
        var report = event(.layout, side: stream.side, reason: describe(layout, evidence, known))
        report.versions = options.profile?.versions ?? known?.versions ?? token
        tell(report)
    }

    /// What is known of the layout, and what it rests on.
    private func describe(
        _ layout: HeaderLayout,
        _ evidence: LayoutEvidence,
        _ known: (versions: ProtocolVersions, source: String)?
    ) -> String {
        let isTokenGiven = options.framer.startToken != nil
        let isSlotGiven = options.framer.idSlot != nil
        let text = layout.summary(profile: options.profile ?? known.map { Profile(versions: $0.versions) })
        var found = "found from \(evidence.rawValue)"
        if let known, known.source != evidence.rawValue { found += ", version from \(known.source)" }
        switch (isTokenGiven, isSlotGiven) {
        case (true, true): return "\(text); \(LayoutEvidence.given.rawValue)"
        case (true, false):
            let what =
                options.profile == nil ? "start token" : options.profile?.custom == nil ? "version" : "start token"
            return "\(text); \(what) \(LayoutEvidence.given.rawValue), id slot \(found)"
        case (false, true): return "\(text); id slot \(LayoutEvidence.given.rawValue), start token \(found)"
        case (false, false): return "\(text); \(found)"
        }
    }

    /// Says what has become known of the version since the layout was told.
    mutating func reportVersion(_ slot: Int, side: Int, _ token: ProtocolVersions) {
        guard tellsEvents, isChosen(slot), records[slot].hasLayoutReport,
            let known = versionAndSource(slot, token)
        else { return }
        var report = event(.layout, side: side, reason: "version \(known.versions.name), found from \(known.source)")
        report.versions = known.versions
        tell(report)
    }

    // MARK: - Conversations

    /// The client is who sends to the server's id or does not receive from it.
    private mutating func learnClient(_ slot: Int, side: Int, _ header: MessageHeader, _ bytes: RawSpan) {
        func isServer(_ range: Range<Int>) -> Bool {
            range.count == 2 && bytes.byteCount >= range.upperBound
                && bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt8.self) == UInt8(ascii: "_")
                && bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound + 1, as: UInt8.self) == UInt8(ascii: "0")
        }
        if isServer(header.destUserIDRange) {
            statuses[slot].setClient(side)
        } else if isServer(header.userIDRange) {
            statuses[slot].setClient(1 - side)
        }
    }

    private mutating func becomesES(_ slot: Int) {
        statuses[slot].isES = true
        guard let pending = records[slot].pending else { return }
        records[slot].pending = nil
        for (side, runs, gaps) in [(0, pending.runs.0, pending.gaps.0), (1, pending.runs.1, pending.gaps.1)] {
            var gaps = gaps[...]
            for run in runs {
                while let gap = gaps.first, gap.offset < run.streamOffset {
                    report(gap, side: side)
                    gaps.removeFirst()
                }
                report(run, bytes: [], side: side)
            }
            for gap in gaps { report(gap, side: side) }
        }
    }

    /// Takes bytes that begin within the first ones of a direction: several segments may bring them.
    mutating func noteFirstBytes(_ bytes: RawSpan, offset: Int64) {
        let slot = stream.conversation
        if statuses[slot].isES {
            // Whether it begins with a preface still matters; the bytes themselves do not.
            if offset == 0 { note(StreamGuess(firstBytes: bytes)) }
            return
        }
        let pending = records[slot].pending ?? PendingBytes()
        records[slot].pending = pending
        var first = offset == 0 ? [] : stream.side == 0 ? pending.firstBytes.0 : pending.firstBytes.1
        // Behind a hole, and behind what may be shown, nothing is added.
        guard first.count == Int(offset) else { return }
        bytes.withUnsafeBytes { first.append(contentsOf: $0.prefix(StreamReporter.firstByteCount - first.count)) }
        var guess = records[slot].guess(side: stream.side)
        if offset == 0 {
            guess = StreamGuess(firstBytes: bytes)
        } else if guess == .unknown {
            guess = StreamGuess(firstBytes: first.span.bytes)
        }
        first = Array(first.prefix(guess.showableBytes(first)))
        note(guess)
        if stream.side == 0 { pending.firstBytes.0 = first } else { pending.firstBytes.1 = first }
    }

    private mutating func note(_ guess: StreamGuess) {
        let slot = stream.conversation
        if stream.side == 0 { records[slot].guesses.0 = guess } else { records[slot].guesses.1 = guess }
    }

    /// The conversation has ended, or `maximumMessage` bytes hold no message: what was kept back is not ES.
    mutating func reportNotES(_ slot: Int) {
        guard !statuses[slot].isES, let pending = records[slot].pending else { return }
        records[slot].pending = nil
        guard isChosen(slot) else { return }
        let sides = [(0, pending.runs.0, pending.firstBytes.0), (1, pending.runs.1, pending.firstBytes.1)]
        for gap in pending.gaps.0 { report(gap, side: 0) }
        for gap in pending.gaps.1 { report(gap, side: 1) }
        for (side, runs, firstBytes) in sides {
            guard let first = runs.first, tellsEvents else { continue }
            var report = event(.notES, side: side, reason: "no message in this direction")
            report.streamOffset = first.streamOffset
            report.length = runs.reduce(0) { $0 + $1.length }
            report.looksLike = records[slot].guess(side: side).name ?? records[slot].guess(side: 1 - side).name
            report.firstBytes = firstBytes
            tell(report)
        }
    }

    mutating func closed(_ slot: Int) {
        if !statuses[slot].isES {
            let hadBytes = records[slot].pending.map { !$0.runs.0.isEmpty || !$0.runs.1.isEmpty } ?? false
            if hadBytes, isChosen(slot) { totals.notESConversations += 1 }
            reportNotES(slot)
        }
        records[slot].pending = nil
    }

    // MARK: - Events

    /// Whether anybody wants to hear of events: their texts take longer to make than a message to refuse.
    private var tellsEvents: Bool { output != nil && options.tellsEvents }

    private mutating func tell(_ report: EventReport) {
        hasNews = true
        output?.event(report)
    }

    private func event(_ kind: EventReport.Kind, side: Int, reason: String) -> EventReport {
        let record = records[stream.conversation]
        var report = EventReport(
            kind: kind,
            time: now.time,
            packet: now.packet,
            conversation: record.number,
            source: name(stream.conversation, side: side),
            destination: name(stream.conversation, side: 1 - side),
            reason: reason
        )
        report.isUDP = isUDP
        report.direction = statuses[stream.conversation].direction(side: side)
        report.isInES = statuses[stream.conversation].isES
        return report
    }

    private mutating func report(_ unframed: UnframedBytes, bytes: [UInt8], side: Int) {
        let slot = stream.conversation
        guard isChosen(slot) else { return }
        let kind: EventReport.Kind
        switch unframed.reason {
        case .headerCutShort: kind = .truncated
        case .overLimit: kind = .limit
        default:
            // What answers a request to a proxy is one, whatever it looks like.
            let isPreface =
                unframed.streamOffset == 0
                && (records[slot].guess(side: side).isPreface || records[slot].guess(side: 1 - side).isPreface)
            kind = isPreface ? .preface : .skipped
            if !isPreface { totals.skippedBytes += unframed.length }
        }
        guard tellsEvents else { return }
        var reason = unframed.reason.rawValue
        if kind == .preface { reason = records[slot].guess(side: side).name ?? reason }
        var report = event(kind, side: side, reason: reason)
        report.streamOffset = unframed.streamOffset
        report.length = unframed.length
        if kind == .truncated || kind == .limit { report.bytes = bytes }
        tell(report)
    }

    mutating func gap(offset: Int64, length: Int64, reason: GapReason) {
        guard isChosen(stream.conversation) else { return }
        totals.gaps += 1
        totals.missingBytes &+= length
        guard tellsEvents else { return }
        let gap = StreamGap(offset: offset, length: length, reason: reason)
        if !statuses[stream.conversation].isES {
            let pending = records[stream.conversation].pending ?? PendingBytes()
            records[stream.conversation].pending = pending
            if pending.add(gap, side: stream.side) { return }
        }
        report(gap, side: stream.side)
    }

    private mutating func report(_ gap: StreamGap, side: Int) {
        guard tellsEvents else { return }
        var report = event(.gap, side: side, reason: gap.reason.rawValue)
        report.streamOffset = gap.offset
        report.length = gap.length
        tell(report)
    }

    mutating func late(offset: Int64, length: Int64, reason: String) {
        guard tellsEvents, isChosen(stream.conversation) else { return }
        var report = event(.late, side: stream.side, reason: reason)
        report.streamOffset = offset
        report.length = length
        tell(report)
    }

    /// The same bytes of the stream came with two contents. Neither is shown: what came second is in no message, and may be
    /// part of a secret.
    mutating func overlapDiffers(offset: Int64, length: Int64, kept: OverlapPolicy) {
        guard tellsEvents, isChosen(stream.conversation) else { return }
        let last = offset + length - 1
        let place = length == 1 ? "stream offset \(offset)" : "stream offsets \(offset) to \(last)"
        let copy = kept == .first ? "first" : "last"
        let reason = "what came again differs at \(place); the \(copy) copy counts"
        tell(event(.notice, side: stream.side, reason: reason))
    }

    /// What a datagram holds beside messages.
    mutating func datagramEvent(_ kind: EventReport.Kind, reason: String, offset: Int64 = 0, length: Int64) {
        guard isChosen(stream.conversation) else { return }
        if kind == .skipped { totals.skippedBytes += length }
        guard tellsEvents else { return }
        var report = event(kind, side: stream.side, reason: reason)
        report.streamOffset = offset
        report.length = length
        tell(report)
    }

    mutating func limit(_ reason: String) {
        guard tellsEvents, isChosen(stream.conversation) else { return }
        tell(event(.limit, side: stream.side, reason: reason))
    }
}
