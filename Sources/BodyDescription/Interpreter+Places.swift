// Notes which bytes of the body each value was read from.

extension Interpreter {
    func bodyOffset(_ index: Int, _ stream: Int) -> Int {
        streams[stream].bodyOffset.map { $0 + index } ?? streams[stream].anchor
    }

    func bodyRange(_ range: Range<Int>, _ stream: Int) -> Range<Int> {
        bodyOffset(range.lowerBound, stream)..<bodyOffset(range.upperBound, stream)
    }

    func note(
        _ place: Place,
        _ range: Range<Int>,
        _ value: Value,
        kind: Leaf.Kind = .value,
        isUTF8: Bool = true,
        isSigned: Bool = false
    ) {
        guard notesLeaves else { return }
        leaves.append(
            Leaf(
                object: place.object,
                slot: place.slot,
                element: place.element,
                kind: kind,
                range: bodyRange(range, place.stream),
                isMade: streams[place.stream].bodyOffset == nil,
                value: value,
                isUTF8: isUTF8,
                isSigned: isSigned
            )
        )
    }

    func replaceNoted(_ value: Value) {
        if notesLeaves, !leaves.isEmpty { leaves[leaves.count - 1].value = value }
    }

    func noteContent(
        _ taken: Taken,
        _ limits: ByteLimits,
        _ place: Place,
        _ value: Value,
        kind: Leaf.Kind = .value,
        isUTF8: Bool = true
    ) throws(DataError) {
        guard notesLeaves else { return }
        if limits.process != nil {
            note(place, taken.raw, value, kind: .processed)
            return
        }
        note(place, taken.range.clamped(to: taken.raw), value, kind: kind, isUTF8: isUTF8)
        noteEnds(taken, place)
    }

    func noteEnds(_ taken: Taken, _ place: Place) {
        guard notesLeaves else { return }
        let used = taken.range.clamped(to: taken.raw).upperBound
        let terminator = max(taken.terminator.upperBound, used)
        let end = min(terminator, taken.raw.upperBound)
        if end > used {
            note(place, used..<end, .bytes(streams[place.stream].bytes[used..<end]), kind: .terminator)
        }
        if end < taken.raw.upperBound {
            let rest = end..<taken.raw.upperBound
            note(place, rest, .bytes(streams[place.stream].bytes[rest]), kind: .padding)
        }
    }

    func noteRegion(_ range: Range<Int>, _ stream: Int, _ object: Int) {
        guard notesLeaves, streams[stream].bodyOffset != nil, range.lowerBound < range.upperBound else { return }
        regions.append(Region(range: bodyRange(range, stream), object: object))
    }

    /// Notes what is there of a value whose bytes are cut.
    func noting<Result>(
        _ place: Place,
        _ start: Int,
        _ body: () throws(DataError) -> Result
    ) throws(DataError) -> Result {
        do throws(DataError) { return try body() } catch {
            if error.kind == .cut, notesLeaves {
                let stream = streams[place.stream]
                let end = max(stream.available, start)
                if end > start { note(place, start..<end, .bytes(stream.bytes[start..<end])) }
            }
            throw error
        }
    }
}
