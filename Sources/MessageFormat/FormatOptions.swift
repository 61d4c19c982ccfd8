import ESProtocol

/// What the reader wants to see, and on what.
package struct FormatOptions {
    /// `-x`, `-X`: what follows each line of the summary.
    package enum HexDump: Sendable { case none, hex, hexAndText }

    /// Shows passwords.
    package var showSecrets = false
    /// How often `-v` was given. From 1 on bodies are shown whole, and JSON has `fields`.
    package var verbosity = 0
    /// `-q`: shorter lines; the breakdown leaves the fields of the header out, whose contents the heading has.
    package var isQuiet = false
    package var hexDump = HexDump.none
    /// ANSI colours.
    package var color = false
    /// Columns of the terminal; `nil` if there is none: then nothing is wrapped.
    package var width: Int?
    package var timeStyle = TimeStyle.clock
    package var isUTC = false
    /// Bytes of a body that the breakdown shows unless it is verbose.
    package var maximumBodyBytes = 256
    /// JSON's `file`, if there are several inputs.
    package var file: String?
    /// Turns bytes into text, for `--encoding`: `nil` if they are not wholly text of that encoding. Without it text is UTF-8.
    /// Bodies and the text column are read with it; ids are UTF-8 if they can be.
    package var decodeText: ((UnsafeRawBufferPointer) -> String?)?

    /// What a user's description says of an application's bodies.
    package var application: (any ApplicationBodies)?

    package init() {}
}
