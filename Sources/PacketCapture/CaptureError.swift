#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Why packets could not be read, captured or written: what happened, where, and what to do about it.
///
/// The message may hold names from outside (files, interfaces); whoever prints it escapes it.
public struct CaptureError: Error, CustomStringConvertible {
    public enum Kind: Equatable, Sendable {
        /// The request cannot be met as it was made: an option, a combination of inputs.
        case usage
        /// The input is something else, or a kind of capture that is not read.
        case notACapture
        case noSuchFile
        case permission
        case noSuchDevice
        /// A capture filter that does not compile.
        case filter
        /// The input ends within a record; everything before it was handed on.
        case truncated
        /// The input contradicts itself; everything before the place was handed on.
        case corrupt
        /// The system failed to read what is there.
        case input
        /// The system failed to write.
        case output
        /// Whoever read the output has gone: a quiet end.
        case brokenPipe
    }

    public var kind: Kind
    public var message: String
    /// Where in the (decompressed) input the record begins that could not be read, in bytes.
    public var byteOffset: UInt64?
    /// The number of the packet that could not be read, from 1.
    public var packetNumber: UInt64?

    public init(_ kind: Kind, _ message: String, byteOffset: UInt64? = nil, packetNumber: UInt64? = nil) {
        self.kind = kind
        self.message = message
        self.byteOffset = byteOffset
        self.packetNumber = packetNumber
    }

    public var description: String { message }

    /// 0: the reader of the output has gone. 1: what is there is damaged, or could not be read or written to the end. 2: nothing could be begun.
    public var exitStatus: Int32 {
        switch kind {
        case .brokenPipe: 0
        case .truncated, .corrupt, .input, .output: 1
        case .usage, .notACapture, .noSuchFile, .permission, .noSuchDevice, .filter: 2
        }
    }
}

/// The system's text for an error number.
func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
