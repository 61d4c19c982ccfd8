// Takes bytes, with their ends, their padding and what they are made of by a process.

extension Interpreter {
    struct Taken {
        /// All bytes that were used up, by their indices.
        var raw: Range<Int>
        /// What is meant of them, before a process.
        var range: Range<Int>
        /// Those that a terminator takes, behind the range or as its end.
        var terminator: Range<Int>
        var content: ArraySlice<UInt8>
    }

    func take(_ limits: ByteLimits, _ place: Place) throws(DataError) -> Taken {
        streams[place.stream].align()
        let start = streams[place.stream].index
        var taken: Taken
        switch limits.extent {
        case .size(let expression):
            let value = try evaluate(expression, context(place))
            guard case .integer(let number) = value else { throw DataError(.expression, "the size is \(value.kind)") }
            guard !number.isNegative else { throw DataError(.expression, "the size is \(number)") }
            guard let size = number.int else { throw ByteStream.missing(.max, left: streams[place.stream].left) }
            let raw = try noting(place, start) { () throws(DataError) in try streams[place.stream].take(size) }
            taken = try trimmed(raw, limits, place)
        case .toEnd:
            let left = streams[place.stream].left
            let raw = try noting(place, start) { () throws(DataError) in try streams[place.stream].take(left) }
            taken = try trimmed(raw, limits, place)
        case .terminated: taken = try terminated(limits, place)
        }
        if let process = limits.process {
            try countCopied(taken.content.count)
            do throws(DataError) { taken.content = try self.process(taken.content, process, place) } catch {
                note(place, taken.raw, .bytes(taken.content), kind: .processed)
                throw error
            }
        }
        return taken
    }

    /// Takes the padding away, and what begins with the terminator.
    func trimmed(_ raw: Range<Int>, _ limits: ByteLimits, _ place: Place) throws(DataError) -> Taken {
        let bytes = streams[place.stream].bytes
        var range = raw
        if let padding = limits.padding, limits.terminator != [padding] {
            try countCopied(raw.count / 16)
            while range.upperBound > range.lowerBound, bytes[range.upperBound - 1] == padding {
                range = range.lowerBound..<range.upperBound - 1
            }
        }
        var terminator = range.upperBound..<range.upperBound
        if !limits.terminator.isEmpty, let found = try find(limits.terminator, range, bytes) {
            terminator = found..<found + limits.terminator.count
            range = range.lowerBound..<(limits.includesTerminator ? terminator.upperBound : found)
        }
        return Taken(raw: raw, range: range, terminator: terminator, content: bytes[range])
    }

    func terminated(_ limits: ByteLimits, _ place: Place) throws(DataError) -> Taken {
        let stream = streams[place.stream]
        let start = stream.index
        if let found = try find(limits.terminator, start..<max(stream.available, start), stream.bytes) {
            let behind = found + limits.terminator.count
            let range = start..<(limits.includesTerminator ? behind : found)
            let used = limits.consumesTerminator ? behind : found
            _ = try streams[place.stream].take(used - start)
            // A terminator that is not consumed is the next field's, even if it is part of this value.
            return Taken(raw: start..<used, range: range, terminator: found..<used, content: stream.bytes[range])
        }
        let left = stream.left
        guard stream.available >= stream.end, !limits.needsTerminator else {
            let isCut = stream.available < stream.end
            note(
                place,
                start..<max(stream.available, start),
                .bytes(stream.bytes[start..<max(stream.available, start)])
            )
            throw isCut
                ? DataError(.cut, "ends with \(hex(limits.terminator[...])), and the message is cut before that")
                : DataError(
                    .endOfStream,
                    "ends with \(hex(limits.terminator[...])), which is not in the \(left) byte\(left == 1 ? "" : "s") that are left"
                )
        }
        let raw = try streams[place.stream].take(left)
        return Taken(raw: raw, range: raw, terminator: raw.upperBound..<raw.upperBound, content: stream.bytes[raw])
    }

    /// The first place of a terminator, which stands at a multiple of its own length.
    func find(_ terminator: [UInt8], _ range: Range<Int>, _ bytes: [UInt8]) throws(DataError) -> Int? {
        var index = range.lowerBound
        let first = terminator[0]
        while index <= range.upperBound - terminator.count {
            if bytes[index] == first, bytes[index..<index + terminator.count].elementsEqual(terminator) { break }
            index += terminator.count
        }
        try countCopied((index - range.lowerBound) / 4)
        return index <= range.upperBound - terminator.count ? index : nil
    }

    func process(_ content: ArraySlice<UInt8>, _ process: ByteLimits.Process, _ place: Place) throws(DataError)
        -> ArraySlice<UInt8>
    {
        switch process {
        case .zlib:
            do throws(Inflate.Failure) {
                let result = try Inflate.bytes(content, limit: limits.inflatedBytes)[...]
                try charge(result.count)
                return result
            } catch {
                switch error {
                case .damaged(let reason): throw DataError(.expression, "zlib: \(reason)")
                case .tooLong:
                    throw DataError(
                        .limit,
                        "zlib makes more than \(limits.inflatedBytes) bytes of it, or too many in all"
                    )
                }
            }
        case .xor(let expression):
            let key: ArraySlice<UInt8>
            switch try evaluate(expression, context(place)) {
            case .integer(let number): key = [UInt8(truncatingIfNeeded: number.bits)]
            case .bytes(let bytes): key = bytes
            case .array(let items):
                var bytes: [UInt8] = []
                for item in items {
                    if case .integer(let number) = item { bytes.append(UInt8(truncatingIfNeeded: number.bits)) }
                }
                key = bytes[...]
            case let other: throw DataError(.expression, "the key of xor is \(other.kind)")
            }
            guard !key.isEmpty else { return content }
            var result = Array(content)
            var index = key.startIndex
            for position in result.indices {
                result[position] ^= key[index]
                index = index + 1 < key.endIndex ? index + 1 : key.startIndex
            }
            return result[...]
        case .rotateLeft(let expression), .rotateRight(let expression):
            let value = try evaluate(expression, context(place))
            guard case .integer(let number) = value, let count = number.modulo(WideInteger(8))?.int else {
                throw DataError(.expression, "how far to rotate is \(value.kind)")
            }
            var left = UInt8(count)
            if case .rotateRight = process { left = (8 - left) & 7 }
            return content.map { left == 0 ? $0 : $0 << left | $0 >> (8 - left) }[...]
        }
    }

    func charge(_ count: Int) throws(Inflate.Failure) {
        copiedBytes += count
        if copiedBytes > limits.copiedBytes { throw .tooLong }
    }
}
