/// What a piece of text is, for its colour.
enum Style {
    case toServer, toClient, number, offset, token, length, identifier, type, label, body, damage, hidden, quiet

    /// Parameters of ANSI's "select graphic rendition": colours of the basic sixteen only, which every theme has made readable.
    /// `nil`: the terminal's own.
    var code: String? {
        switch self {
        case .toServer: "36"
        case .toClient: "35"
        case .number: "1"
        case .offset, .quiet: "2"
        case .token: "34"
        case .length: "33"
        case .identifier: "32"
        case .type: "1"
        case .label, .body: nil
        case .damage: "31"
        case .hidden: "2"
        }
    }

    static func of(_ direction: Direction) -> Style { direction == .clientToServer ? .toServer : .toClient }
}

extension OutputBuffer {
    /// Appends in a colour what `body` appends, if `isOn`.
    @inline(__always)
    mutating func styled(_ style: Style, _ isOn: Bool, _ body: (inout OutputBuffer) -> Void) {
        begin(style, isOn)
        body(&self)
        end(style, isOn)
    }

    /// Begins a colour, if `isOn`; the same as ``styled(_:_:_:)`` in two steps, for what is written for each message.
    @inline(__always)
    mutating func begin(_ style: Style, _ isOn: Bool) { if isOn { append(beginOf: style) } }

    @inline(__always)
    mutating func end(_ style: Style, _ isOn: Bool) { if isOn { append(endOf: style) } }

    private mutating func append(beginOf style: Style) {
        guard let code = style.code else { return }
        append(literal: "\u{1B}[")
        append(code)
        append(0x6D)
    }

    private mutating func append(endOf style: Style) {
        if style.code != nil { append(literal: "\u{1B}[0m") }
    }
}
