#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Asks for a password on the terminal, where it is not shown; without a terminal it is the first line of standard input.
/// - Returns: `nil` if there is none.
func askPassword(_ prompt: String) -> String? {
    let isTerminal = Terminal.isTerminal(STDIN_FILENO)
    var settings = termios()
    var isHidden = false
    if isTerminal, tcgetattr(STDIN_FILENO, &settings) == 0 {
        writeToStandardError(prompt)
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        isHidden = tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0
    }
    defer {
        if isHidden {
            _ = tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            writeToStandardError("\n")
        }
    }
    // Byte by byte: what stands behind the line is for others.
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 4096 {
        let count = read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR, !Signals.endIsRequested { continue }
        if count <= 0 { return nil }
        if byte == 10 { break }
        line.append(byte)
    }
    if line.last == 13 { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
}
