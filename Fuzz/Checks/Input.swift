/// What a check found wrong.
package struct Finding: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}

/// - Throws: a finding, unless the condition holds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(Finding) {
    if !condition { throw Finding(what()) }
}

/// Takes numbers and bytes from the front of a fuzzer's input. At its end all numbers are 0.
struct Input {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isEmpty: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        position += 1
        return bytes[position - 1]
    }

    mutating func uint16() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }
    mutating func uint32() -> UInt32 { UInt32(uint16()) | UInt32(uint16()) << 16 }

    /// At most so many bytes; fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(position + max(count, 0), bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }

    mutating func rest() -> [UInt8] { bytes(bytes.count - position) }
}

/// Lends the bytes in memory of just their size, so that the address sanitizer sees a read beyond them.
func withExactCopy<Result, Failure: Error>(
    _ bytes: ArraySlice<UInt8>,
    _ body: (RawSpan) throws(Failure) -> Result
) throws(Failure) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(copy)))
}

func withExactCopy<Result, Failure: Error>(
    _ bytes: [UInt8],
    _ body: (RawSpan) throws(Failure) -> Result
) throws(Failure) -> Result {
    try withExactCopy(bytes[...], body)
}

extension RawSpan {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// What is fuzzed: a name, and a function that takes any bytes and throws where something does not hold.
package struct FuzzTarget: Sendable {
    package let name: String
    package let check: @Sendable ([UInt8]) throws(Finding) -> Void

    package static let all = [
        FuzzTarget(name: "reader", check: checkReader),
        FuzzTarget(name: "decoder", check: checkDecoder),
        FuzzTarget(name: "reassembler", check: checkReassembler),
        FuzzTarget(name: "framer", check: checkFramer),
        FuzzTarget(name: "bodies", check: checkBodies),
        FuzzTarget(name: "formats", check: checkFormats),
        FuzzTarget(name: "dumps", check: checkDumps),
        FuzzTarget(name: "filters", check: checkFilters),
        FuzzTarget(name: "descriptions", check: checkDescriptions),
    ]
}
