// Where libFuzzer comes in. Built once for each target.
import FuzzChecks

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if FUZZ_reader
    let name = "reader"
#elseif FUZZ_decoder
    let name = "decoder"
#elseif FUZZ_reassembler
    let name = "reassembler"
#elseif FUZZ_framer
    let name = "framer"
#elseif FUZZ_bodies
    let name = "bodies"
#elseif FUZZ_dumps
    let name = "dumps"
#elseif FUZZ_filters
    let name = "filters"
#elseif FUZZ_descriptions
    let name = "descriptions"
#else
    let name = "formats"
#endif

private let target = FuzzTarget.all.first { $0.name == name }!

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(Finding) {
        try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        let text = Array("\(name): \(error)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
        abort()
    }
    return 0
}
