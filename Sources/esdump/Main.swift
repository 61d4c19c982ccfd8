#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@main
struct Main {
    static func main() {
        Signals.ignoreBrokenPipe()
        do throws(UsageError) {
            exit(run(try OptionParser.parse(Array(CommandLine.arguments.dropFirst()))))
        } catch {
            exit(report(error))
        }
    }
}
