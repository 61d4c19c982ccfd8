import CaptureAnalysis
import ESProtocol
import MessageFormat

/// A filter as text, and what may be anything in a message: it compiles or says where it does not; asked, it ends.
///
/// The first byte is the length of the filter, times two; behind it stand settings of the message and its body.
@Sendable func checkFilters(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    let expression = String(decoding: input.bytes(2 * Int(input.byte())), as: UTF8.self)
    let filter: MessageFilter
    do throws(FilterError) { filter = try MessageFilter(compiling: expression, utc: true) } catch {
        try checkFilterError(error, expression)
        return
    }
    for hint in filter.hints { try checkFilterError(hint, expression) }

    let settings = input.byte()
    let type = input.uint16()
    let layout = HeaderLayout(
        startToken: HeaderLayout.StartToken(rawValue: (settings & 3) % 3) ?? .ff,
        idSlot: settings & 4 == 0 ? 12 : 14
    )
    let user = input.bytes(Int(input.byte() & 15))
    let body = input.rest()
    // Some messages are cut, some lack bytes in the middle.
    let missing = settings & 8 == 0 ? 0 : 5
    let header = headerBytes(
        layout,
        clientType: 9,
        type: type,
        id: 7,
        bodyLength: Int32(body.count + missing),
        user: user,
        dest: [95, 48]
    )
    let gapOffset = settings & 16 == 0 ? header.count + body.count : header.count + body.count / 2
    let report = MessageReport(
        time: 1_796_010_556_588_350_000,
        packet: 12,
        conversation: 3,
        isUDP: settings & 32 != 0,
        direction: settings & 64 == 0 ? .clientToServer : .serverToClient,
        source: "10.0.0.1:50000",
        destination: settings & 128 == 0 ? "[2001:db8::1]:4530" : "somewhere",
        streamOffset: 0,
        status: missing == 0 ? .complete : settings & 16 == 0 ? .truncated : .gap,
        header: withExactCopy(header) { MessageHeader(reading: $0, layout: layout) },
        gaps: missing == 0 ? [] : [MessageGap(offset: gapOffset, length: missing)]
    )
    let matches = withExactCopy(header + body) { filter.matches(report, bytes: $0) }
    // What is added around it turns the answer round, and back.
    guard let opposite = try? MessageFilter(compiling: "not (" + expression + ")", utc: true) else { return }
    let isOpposite = withExactCopy(header + body) { opposite.matches(report, bytes: $0) }
    try require(matches != isOpposite, "a filter and its opposite agree: \(expression)")
    if !filter.needsBodies {
        let isSame = withExactCopy(header) { filter.matches(report, bytes: $0) } == matches
        try require(isSame, "a filter looks at the body that needs none: \(expression)")
    }
}

private func checkFilterError(_ error: FilterError, _ expression: String) throws(Finding) {
    let count = expression.utf8.count
    try require(
        error.range.lowerBound >= 0 && error.range.upperBound <= count,
        "points at \(error.range) of \(count) bytes"
    )
    let lines = error.place().split(separator: "\n", omittingEmptySubsequences: false)
    try require(lines.count == 3 && lines[2].isEmpty, "the place is not two lines")
    try require(
        !error.place().unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 127 },
        "a control character comes out"
    )
}
