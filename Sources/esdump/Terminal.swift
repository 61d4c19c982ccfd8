#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is known of the terminal that a file descriptor may be.
enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Its width in columns; `nil` if it is not a terminal or does not say.
    static func width(_ descriptor: Int32 = STDOUT_FILENO) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether to write in color: as told, or else on a terminal that can, unless `NO_COLOR` is set.
    static func usesColor(
        _ choice: Options.ColorChoice,
        isTerminal: Bool,
        environment: (String) -> String? = environmentVariable
    ) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }
}

func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
