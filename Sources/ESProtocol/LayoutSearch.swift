/// Finds the next believable header, and its layout, by the rule of PROTOCOL.md section 9.
struct LayoutSearch {
    enum Decision: Equatable { case accept, refuse, wait }

    enum Outcome {
        /// A header stands at this position.
        case found(Int, HeaderLayout, LayoutEvidence)
        /// Nothing is decided from this position on until more is seen. All before it belongs to no message.
        case undecided(Int)

        var position: Int {
            switch self {
            case .found(let position, _, _), .undecided(let position): position
            }
        }

        var isUndecided: Bool {
            if case .undecided = self { true } else { false }
        }
    }

    let maximumMessage: Int
    /// The layout that is known for this direction.
    var known: HeaderLayout?
    /// A layout that was confirmed elsewhere: in the other direction, at the same server.
    var hint: HeaderLayout?
    var hintEvidence: LayoutEvidence
    /// A slot that the other direction has, even if not confirmed; tried where a header alone does not tell.
    var otherSlot: UInt8?
    /// What was given by options.
    var givenToken: HeaderLayout.StartToken?
    var givenSlot: UInt8?
    /// Whether position 0 is the first byte after the SYN.
    var isAtSYN: Bool
    /// Whether nothing comes behind the end of the window.
    var hasEnded: Bool

    /// Looks at every position from `start` on until a header is accepted or must be waited for.
    func run(_ bytes: RawSpan, _ shape: WindowShape, from start: Int = 0) -> Outcome {
        var position = start
        let highestLengthByte = UInt8(truncatingIfNeeded: min(maximumMessage >> 16, 255))
        let looksAtByte11 = maximumMessage < 1 << 24
        while position < shape.length {
            guard let run = shape.run(at: position) else {
                position = shape.endOfGap(at: position)
                continue
            }
            let behind = run.index + run.count
            var index = run.index
            while index < behind {
                let first: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt8.self)
                guard first == 0xFF || first == 0x0F else {
                    index += 1
                    continue
                }
                if index + 12 <= behind, looksAtByte11 {
                    let b10: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index + 10, as: UInt8.self)
                    let b11: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index + 11, as: UInt8.self)
                    guard b11 == 0, b10 <= highestLengthByte else {
                        index += 1
                        continue
                    }
                }
                let here = position + (index - run.index)
                switch judge(
                    bytes,
                    shape,
                    at: here,
                    index: index,
                    count: behind - index,
                    isLast: run.endsAtGap || hasEnded
                )
                {
                case .accepted(let layout, let evidence): return .found(here, layout, evidence)
                case .wait: return .undecided(here)
                case .refused: index += 1
                }
            }
            position += run.count
        }
        return .undecided(shape.length)
    }

    private enum Judgement {
        case accepted(HeaderLayout, LayoutEvidence)
        case wait
        case refused
    }

    /// Judges one candidate with every layout that it could have.
    /// - Parameter isLast: whether no more bytes can follow the run.
    private func judge(
        _ bytes: RawSpan,
        _ shape: WindowShape,
        at position: Int,
        index: Int,
        count: Int,
        isLast: Bool
    ) -> Judgement {
        var waits = false
        for candidate in candidates(bytes, index: index, count: count, isLast: isLast, waits: &waits) {
            let (decision, evidence) = decide(
                bytes,
                shape,
                at: position,
                index: index,
                layout: candidate.layout,
                isKnown: candidate.isKnown
            )
            switch decision {
            case .accept: return .accepted(candidate.layout, candidate.isHint ? hintEvidence : evidence)
            case .wait: waits = true
            case .refuse: break
            }
        }
        return waits ? .wait : .refused
    }

    private struct Candidate {
        var layout: HeaderLayout
        /// The layout counts as known: its headers count as strong.
        var isKnown = false
        var isHint = false
    }

    /// The layouts that a header at `index` could have. Sets `waits` if more bytes are needed to tell.
    private func candidates(
        _ bytes: RawSpan,
        index: Int,
        count: Int,
        isLast: Bool,
        waits: inout Bool
    ) -> [Candidate] {
        func byte(_ i: Int) -> UInt8 { bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index + i, as: UInt8.self) }
        // Byte 1 is needed to know the token.
        guard count >= 2 else {
            waits = !isLast
            return []
        }
        var result: [Candidate] = []
        func consider(_ candidate: Candidate) {
            guard !result.contains(where: { $0.layout == candidate.layout }) else { return }
            let length = candidate.layout.headerLength
            if count < length {
                if !isLast && isPlausible(bytes, index: index, count: count, slot: Int(candidate.layout.idSlot)) {
                    waits = true
                }
            } else if isHeader(bytes, at: index, layout: candidate.layout) {
                result.append(candidate)
            }
        }
        if let known {
            let token: HeaderLayout.StartToken =
                known.startToken == .ffff && byte(1) != 0xFF ? .ff : known.startToken
            guard token.firstByte == byte(0) else { return [] }
            consider(Candidate(layout: HeaderLayout(startToken: token, idSlot: known.idSlot), isKnown: true))
            return result
        }
        let token: HeaderLayout.StartToken
        if byte(0) == 0x0F { token = .zeroF } else { token = byte(1) == 0xFF && givenToken != .ff ? .ffff : .ff }
        if let givenToken, givenToken != token { return [] }
        if let hint, hint.startToken.firstByte == byte(0) {
            let hinted = hint.startToken == .ffff && byte(1) != 0xFF ? .ff : hint.startToken
            consider(
                Candidate(layout: HeaderLayout(startToken: hinted, idSlot: hint.idSlot), isKnown: true, isHint: true)
            )
        }
        if let givenSlot {
            consider(Candidate(layout: HeaderLayout(startToken: token, idSlot: givenSlot)))
            return result
        }
        // The first byte that is not zero behind the user id is the length of the destination's.
        guard count > 12 else {
            if !isLast { waits = true }
            return result
        }
        var behind = 13 + Int(byte(12))
        while behind < min(count, 13 + 255), byte(behind) == 0 { behind += 1 }
        if behind < count, behind - 12 <= 255, behind >= 14 {
            if byte(behind) != 0 {
                consider(Candidate(layout: HeaderLayout(startToken: token, idSlot: UInt8(behind - 12))))
            }
        } else if behind >= count, !isLast, behind - 12 <= 255,
            isPlausible(bytes, index: index, count: count, slot: 255)
        {
            waits = true
        }
        // A destination of length 0 does not show where it stands.
        for slot in [12, 14, 22, 24, otherSlot ?? 12] where count <= 12 + Int(slot) || byte(12 + Int(slot)) == 0 {
            consider(Candidate(layout: HeaderLayout(startToken: token, idSlot: slot)))
        }
        return result
    }

    /// Whether the part of a header that is there contradicts none of what a header must be.
    private func isPlausible(_ bytes: RawSpan, index: Int, count: Int, slot: Int) -> Bool {
        func byte(_ i: Int) -> UInt8 { bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index + i, as: UInt8.self) }
        if count >= 12 {
            let length = HeaderCheck.bodyLength(bytes, at: index)
            if length < 0 || length > maximumMessage { return false }
        }
        if count > 12 {
            let user = Int(byte(12))
            if user >= slot { return false }
            if !HeaderCheck.isText(bytes, index + 13..<index + min(count, 13 + user)), count >= 13 + user {
                return false
            }
            let paddingEnd = min(count, 12 + slot)
            if slot < 255, paddingEnd > 13 + user,
                !HeaderCheck.isZero(bytes, end: index + paddingEnd, count: paddingEnd - 13 - user)
            {
                return false
            }
        }
        return true
    }

    /// The test for a header while searching; the whole of it is there.
    private func isHeader(_ bytes: RawSpan, at index: Int, layout: HeaderLayout) -> Bool {
        guard HeaderCheck.inSync(bytes, at: index, layout: layout, maximumMessage: maximumMessage) == .header else {
            return false
        }
        let header = MessageHeader(reading: bytes.extracting(index..<index + layout.headerLength), layout: layout)
        guard header.userIDLength > 0 || header.destUserIDLength > 0 else { return false }
        if let clientType = header.clientType, clientType > 10 { return false }
        return idsAreText(bytes, at: index, header: header)
    }

    private func idsAreText(_ bytes: RawSpan, at index: Int, header: MessageHeader) -> Bool {
        func isText(_ range: Range<Int>) -> Bool {
            HeaderCheck.isText(bytes, index + range.lowerBound..<index + range.upperBound)
        }
        return isText(header.userIDRange) && isText(header.destUserIDRange)
    }

    /// The table of PROTOCOL.md section 9.
    private func decide(
        _ bytes: RawSpan,
        _ shape: WindowShape,
        at position: Int,
        index: Int,
        layout: HeaderLayout,
        isKnown: Bool
    ) -> (Decision, LayoutEvidence) {
        let header = MessageHeader(
            reading: bytes.extracting(index..<index + layout.headerLength),
            layout: layout
        )
        let isUsualSlot =
            layout.idSlot >= 8 && layout.idSlot <= 64 && (layout.idSlot % 2 == 0 || layout.startToken == .ffff)
        let isStrong =
            isKnown
            || (header.messageType >= 100 && header.messageType <= 999 && header.messageID >= 0
                && header.destUserIDLength > 0 && isUsualSlot)
        let startsAtSYN = isAtSYN && position == 0
        if startsAtSYN && isStrong { return (.accept, .firstHeader) }

        let next = position + header.messageLength
        switch following(bytes, shape, at: next, layout: layout) {
        case .header(let its):
            guard !isUsualSlot && !isKnown else { return (.accept, .followingHeader) }
            // An unusual slot needs one header more.
            switch following(bytes, shape, at: next + its, layout: layout) {
            case .header, .damagedHeader: return (.accept, .followingHeader)
            case .contradiction, .nothing: return (.refuse, .followingHeader)
            case .notYet: return (.wait, .followingHeader)
            }
        case .damagedHeader:
            return (isUsualSlot || isKnown ? .accept : .refuse, .followingHeader)
        case .contradiction:
            return (.refuse, .followingHeader)
        case .notYet:
            return (.wait, .followingHeader)
        case .nothing:
            if isStrong { return (.accept, .loneHeader) }
            let endsWithData = bodyEndsWithData(shape, next: next)
            let objectFits = bodyIsOneObject(bytes, shape, at: position, header: header)
            if isKnown { return (endsWithData || objectFits ? .accept : .refuse, .loneHeader) }
            if endsWithData && objectFits { return (.accept, .loneHeader) }
            if startsAtSYN && header.userIDLength > 0 && header.destUserIDLength > 0 { return (.accept, .loneHeader) }
            return (.refuse, .loneHeader)
        }
    }

    private enum Following {
        /// A header of the same layout; the length of its message.
        case header(Int)
        /// A wrong token or length, but both id slots are well formed.
        case damagedHeader
        case contradiction
        /// In a hole, or behind the end of the data.
        case nothing
        case notYet
    }

    /// What stands where the next header would be.
    private func following(_ bytes: RawSpan, _ shape: WindowShape, at position: Int, layout: HeaderLayout) -> Following
    {
        guard position < shape.length else { return hasEnded ? .nothing : .notYet }
        guard let run = shape.run(at: position) else { return .nothing }
        if run.count >= layout.headerLength {
            var same = layout
            if layout.startToken == .ffff {
                let second: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: run.index + 1, as: UInt8.self)
                if second != 0xFF { same.startToken = .ff }
            }
            switch HeaderCheck.inSync(bytes, at: run.index, layout: same, maximumMessage: maximumMessage) {
            case .header:
                let length = HeaderCheck.bodyLength(bytes, at: run.index)
                return .header(layout.headerLength + length)
            case .overLimit:
                return .damagedHeader
            case .notAHeader:
                return isDamagedHeader(bytes, at: run.index, layout: layout) ? .damagedHeader : .contradiction
            }
        }
        if !run.endsAtGap && !hasEnded { return .notYet }
        let first: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: run.index, as: UInt8.self)
        guard first == layout.startToken.firstByte,
            isPlausible(bytes, index: run.index, count: run.count, slot: Int(layout.idSlot))
        else { return .contradiction }
        return .nothing
    }

    /// A region of zeros is no header either: one id at least must be there, in text.
    private func isDamagedHeader(_ bytes: RawSpan, at index: Int, layout: HeaderLayout) -> Bool {
        guard HeaderCheck.idSlotsAreWellFormed(bytes, at: index, layout: layout) else { return false }
        let header = MessageHeader(reading: bytes.extracting(index..<index + layout.headerLength), layout: layout)
        return (header.userIDLength > 0 || header.destUserIDLength > 0) && idsAreText(bytes, at: index, header: header)
    }

    /// Whether the data ends, or a hole begins, exactly where the body does.
    private func bodyEndsWithData(_ shape: WindowShape, next: Int) -> Bool {
        if next == shape.length { return shape.run(at: next - 1) != nil }
        return shape.gaps.contains { $0.offset == next }
    }

    /// Whether a body of at least eight bytes begins with its own length less four, as an object does.
    private func bodyIsOneObject(
        _ bytes: RawSpan,
        _ shape: WindowShape,
        at position: Int,
        header: MessageHeader
    ) -> Bool {
        guard header.bodyLength >= 8, let run = shape.run(at: position + header.layout.headerLength), run.count >= 4
        else { return false }
        let length = Int32(
            littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: run.index, as: Int32.self)
        )
        return length == header.bodyLength - 4
    }
}
