import ESProtocol
import MessageFormat

/// A message or an event with anything in it, in every format: nothing that a terminal obeys comes out, and JSON is JSON.
@Sendable func checkFormats(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    let flags = input.byte()
    let look = input.byte()
    var options = FormatOptions()
    options.showSecrets = flags & 1 != 0
    options.verbosity = Int(flags >> 1 & 3)
    options.isQuiet = flags & 8 != 0
    options.isUTC = true
    options.hexDump = [.none, .hex, .hexAndText, .none][Int(flags >> 4 & 3)]
    options.color = flags & 0x40 != 0
    options.maximumBodyBytes = flags & 0x80 != 0 ? 16 : 256
    if look & 0x3F != 0 { options.width = Int(look & 0x3F) * 3 }
    if look & 0x40 != 0 { options.file = "a\u{202E}\"b\n.pcap" }
    if look & 0x80 != 0 {
        options.decodeText = { bytes in
            bytes.contains(0) ? nil : bytes.map { String(Unicode.Scalar($0)) }.joined()
        }
    }
    let kind = input.byte()
    let styles: [TimeStyle] = [.clock, .none, .epoch, .sincePrevious, .dateAndClock, .sinceFirst]
    options.timeStyle = styles[Int(kind >> 2 & 7) % styles.count]
    let time = Int64(bitPattern: UInt64(input.uint32()) << 32 | UInt64(input.uint32()))
    if kind & 1 == 0 {
        try checkMessage(&input, kind: kind, time: time, options)
    } else {
        try checkEvent(&input, kind: kind, time: time, options)
    }
}

private func checkMessage(
    _ input: inout Input,
    kind: UInt8,
    time: Int64,
    _ options: FormatOptions
) throws(Finding) {
    let place = input.byte()
    let layout = HeaderLayout(
        startToken: HeaderLayout.StartToken(rawValue: (place & 3) % 3) ?? .ff,
        idSlot: place & 4 == 0 ? 12 : place & 8 == 0 ? 14 : 40
    )
    var gaps: [MessageGap] = []
    for _ in 0..<place >> 4 & 3 { gaps.append(MessageGap(offset: Int(input.byte()), length: Int(input.byte()))) }
    var there = input.rest()
    while there.count < layout.headerLength { there.append(0) }
    // The header is there whole, as the framer would have it; its numbers and ids are anything, the length fits mostly.
    there[0] = layout.startToken.firstByte
    if place & 0x40 == 0 {
        let length = UInt32(there.count - layout.headerLength + gaps.reduce(0) { $0 + $1.length })
        for index in 0..<4 { there[8 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    } else {
        there[11] &= 0x7F
    }
    let header = withExactCopy(there) { MessageHeader(reading: $0, layout: layout) }
    gaps = gaps.map { MessageGap(offset: $0.offset + layout.headerLength, length: $0.length) }
    gaps = gaps.filter { $0.length > 0 }.sorted { $0.offset < $1.offset }
    let report = MessageReport(
        time: time,
        packet: 7,
        conversation: 3,
        isUDP: kind & 0x20 != 0,
        direction: kind & 2 == 0 ? .clientToServer : .serverToClient,
        source: "10.0.0.1:50000",
        destination: "[2001:db8::1]:4530",
        streamOffset: 0,
        status: gaps.isEmpty ? .complete : kind & 0x40 == 0 ? .gap : .truncated,
        header: header,
        gaps: gaps
    )
    let bytes = there
    func write<F: ReportFormatter>(_ formatter: F, _ out: inout OutputBuffer) {
        var formatter = formatter
        for number in 1...2 {
            formatter.appendLead(number: number, time: time &* Int64(number), to: &out)
            withExactCopy(bytes) { formatter.appendMessage(report, bytes: $0, to: &out) }
        }
        formatter.appendEnd(to: &out)
    }
    try checkAll(options) { format, out in
        switch format {
        case 0: write(BreakdownFormatter(options), &out)
        case 1: write(SummaryFormatter(options), &out)
        case 2: write(HexFormatter(options), &out)
        default: write(JSONFormatter(options), &out)
        }
    }
}

private func checkEvent(
    _ input: inout Input,
    kind: UInt8,
    time: Int64,
    _ options: FormatOptions
) throws(Finding) {
    let kinds: [EventReport.Kind] = [.gap, .skipped, .truncated, .limit, .preface, .late, .layout, .notice, .notES]
    let which = input.byte()
    var event = EventReport(
        kind: kinds[Int(which & 0x0F) % kinds.count],
        time: time,
        packet: 7,
        conversation: 3,
        source: which & 0x10 == 0 ? "10.0.0.1:50000" : "",
        destination: "10.0.0.2:4530",
        streamOffset: which & 0x20 == 0 ? Int64(input.uint16()) : nil,
        length: which & 0x40 == 0 ? Int64(input.uint16()) : nil,
        looksLike: which & 0x80 == 0 ? nil : "TLS",
        direction: kind & 2 == 0 ? .clientToServer : nil
    )
    event.reason = String(decoding: input.bytes(Int(input.byte())), as: UTF8.self)
    event.firstBytes = input.bytes(16)
    event.bytes = input.rest()
    let report = event
    func write<F: ReportFormatter>(_ formatter: F, _ out: inout OutputBuffer) {
        var formatter = formatter
        formatter.appendLead(number: nil, time: time, to: &out)
        formatter.appendEvent(report, to: &out)
        formatter.appendEnd(to: &out)
    }
    try checkAll(options) { format, out in
        switch format {
        case 0: write(BreakdownFormatter(options), &out)
        case 1: write(SummaryFormatter(options), &out)
        case 2: write(HexFormatter(options), &out)
        default: write(JSONFormatter(options), &out)
        }
    }
}

private func checkAll(
    _ options: FormatOptions,
    _ write: (Int, inout OutputBuffer) -> Void
) throws(Finding) {
    for (format, name) in ["breakdown", "summary", "hex", "json"].enumerated() {
        var out = OutputBuffer(capacity: 64)
        write(format, &out)
        let bytes = out.withUnsafeBytes { Array($0) }
        try checkText(bytes, name, hasColor: options.color && name != "json")
        if name == "json" { try checkJSON(bytes) }
    }
}

/// Only what shows as itself, line ends, and the colours of our own.
private func checkText(_ bytes: [UInt8], _ name: String, hasColor: Bool) throws(Finding) {
    try require(bytes.last == 0x0A, "\(name) does not end with a line end")
    let text = String(decoding: bytes, as: UTF8.self)
    try require(text.utf8.elementsEqual(bytes), "\(name) is not UTF-8")
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
        if scalar == "\n" { continue }
        if scalar == "\u{1B}", hasColor {
            try require(scalars.next() == "[", "\(name): an escape that is no colour")
            var next = scalars.next()
            while let digit = next, digit.value >= 0x30 && digit.value <= 0x3B { next = scalars.next() }
            try require(next == "m", "\(name): an escape that is no colour")
            continue
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            throw Finding("\(name) holds U+\(String(scalar.value, radix: 16))")
        default: break
        }
    }
}

/// Each line is one object.
private func checkJSON(_ bytes: [UInt8]) throws(Finding) {
    for line in bytes.split(separator: 0x0A) {
        var reader = JSONReader(bytes: Array(line))
        guard line.first == 0x7B, reader.value(depth: 0), reader.position == line.count else {
            throw Finding("not JSON at \(reader.position): \(String(decoding: line, as: UTF8.self))")
        }
    }
}

/// Goes over JSON (RFC 8259) without keeping anything.
private struct JSONReader {
    let bytes: [UInt8]
    var position = 0

    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    mutating func value(depth: Int) -> Bool {
        guard depth < 16 else { return false }
        switch next {
        case 0x7B: return members(0x7D) { $0.string() && $0.take(0x3A) && $0.value(depth: depth + 1) }
        case 0x5B: return members(0x5D) { $0.value(depth: depth + 1) }
        case 0x22: return string()
        case 0x74: return word("true")
        case 0x66: return word("false")
        case 0x6E: return word("null")
        default: return number()
        }
    }

    private mutating func members(_ end: UInt8, _ member: (inout JSONReader) -> Bool) -> Bool {
        position += 1
        if take(end) { return true }
        repeat { if !member(&self) { return false } } while take(0x2C)
        return take(end)
    }

    private mutating func word(_ word: String) -> Bool { word.utf8.allSatisfy { take($0) } }

    private mutating func digits() -> Bool {
        let start = position
        while (0x30...0x39).contains(next) { position += 1 }
        return position > start
    }

    private mutating func number() -> Bool {
        _ = take(0x2D)
        if !take(0x30), !digits() { return false }
        if take(0x2E), !digits() { return false }
        if take(0x65) || take(0x45) {
            if !take(0x2B) { _ = take(0x2D) }
            return digits()
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take(0x22) else { return false }
        while position < bytes.count {
            let byte = next
            position += 1
            if byte == 0x22 { return true }
            if byte < 0x20 { return false }
            guard byte == 0x5C else { continue }
            let escaped = next
            position += 1
            if escaped == 0x75 {
                for _ in 0..<4 {
                    guard Character(Unicode.Scalar(next)).isHexDigit else { return false }
                    position += 1
                }
            } else if !Array("\"\\/bfnrt".utf8).contains(escaped) {
                return false
            }
        }
        return false
    }
}
