/// Bytes that were found in a text, in order, and what the text was taken for.
package struct Dump: Equatable, Sendable {
    /// What a text is, as far as reading it goes.
    package enum Form: String, CaseIterable, Sendable {
        /// Hex digits in any spacing.
        case hex
        /// Rows that begin with an offset: xxd, hexdump, od, tcpdump, Wireshark, SmartSniff, esdump itself.
        case rows
        /// Numbers as in the source of a program: `0xff, 0x00`.
        case list
        /// A string of C, Python, Java …: `\xff\x00p`.
        case escapes
        case base64
        /// Objects that `esdump --format json` prints.
        case json
        /// No text at all: the bytes as they are.
        case raw
    }

    /// Which way bytes went, if the text says so.
    package enum Direction: String, Sendable {
        case clientToServer = "c2s"
        case serverToClient = "s2c"
    }

    /// A run of bytes, or a hole where the text says that there are bytes and does not have them.
    package enum Chunk: Equatable, Sendable {
        case bytes([UInt8])
        case missing(Int, Reason)
    }

    package enum Reason: String, Sendable {
        case notInTheText = "the offsets go on behind them, but the text does not have them"
        case hidden = "hidden in the text"
    }

    /// Where bytes came from.
    package struct Place: Equatable, Sendable {
        /// Of the first byte, from the start of the piece; holes count.
        package var offset: Int
        /// From 1.
        package var line: Int
        package var column: Int

        package init(offset: Int, line: Int, column: Int) {
            self.offset = offset
            self.line = line
            self.column = column
        }
    }

    /// Bytes that follow one another: a packet, an array, or all of a text.
    package struct Piece: Equatable, Sendable {
        package var chunks: [Chunk] = []
        /// The offset that the text gives its first byte.
        package var firstOffset = 0
        /// 0, or 1 for the other side, where the text tells two sides apart without saying which is the client.
        package var side = 0
        package var direction: Direction?
        /// One for each row, in order.
        package var places: [Place] = []

        package init() {}

        /// Bytes and holes.
        package var length: Int { chunks.reduce(0) { $0 + $1.length } }
        /// The bytes that are there.
        package var bytes: [UInt8] {
            var all: [UInt8] = []
            for case .bytes(let bytes) in chunks { all += bytes }
            return all
        }
        /// How many bytes are not there.
        package var missing: Int {
            chunks.reduce(0) { sum, chunk in if case .missing(let count, _) = chunk { sum + count } else { sum } }
        }

        /// The line and column of a byte, as near as is known: of the row that it stands in.
        package func place(of offset: Int) -> Place? {
            var low = 0
            var high = places.count
            while low < high {
                let middle = (low + high) / 2
                if places[middle].offset <= offset { low = middle + 1 } else { high = middle }
            }
            return low > 0 ? places[low - 1] : nil
        }

        mutating func append(_ bytes: some Collection<UInt8>) {
            guard !bytes.isEmpty else { return }
            if case .bytes(var last)? = chunks.last {
                // Taken out, so that it is appended to in place.
                chunks.removeLast()
                last += bytes
                chunks.append(.bytes(last))
            } else {
                chunks.append(.bytes(Array(bytes)))
            }
        }

        mutating func appendMissing(_ count: Int, _ reason: Reason) {
            guard count > 0 else { return }
            if case .missing(let before, reason)? = chunks.last {
                chunks[chunks.count - 1] = .missing(before + count, reason)
            } else {
                chunks.append(.missing(count, reason))
            }
        }
    }

    package var form: Form
    /// What it was taken for, in words: `a hex dump with offsets, as xxd prints it`.
    package var description: String
    package var pieces: [Piece] = []
    /// What was left out, or is to be said otherwise.
    package var notes: [String] = []

    package init(form: Form, description: String) {
        self.form = form
        self.description = description
    }

    /// Bytes that are there, in all pieces.
    package var byteCount: Int {
        pieces.reduce(0) { $0 + $1.length - $1.missing }
    }
}

extension Dump.Chunk {
    package var length: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .missing(let count, _): count
        }
    }
}

/// Why a text cannot be read as bytes, and where.
package struct DumpError: Error, Equatable, Sendable {
    /// From 1; `nil` if it is about the text as a whole.
    package var line: Int?
    package var column: Int?
    package var reason: String

    package init(line: Int? = nil, column: Int? = nil, _ reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    package var description: String {
        guard let line else { return reason }
        return column.map { "line \(line), column \($0): \(reason)" } ?? "line \(line): \(reason)"
    }
}
