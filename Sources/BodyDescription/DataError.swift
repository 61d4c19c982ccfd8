/// Why data does not fit a description.
struct DataError: Error {
    enum Kind: Sendable {
        /// More bytes are needed than the stream has.
        case endOfStream
        /// The bytes are not there because the capture or the message was cut.
        case cut
        /// A value is not what `valid` or `contents` says.
        case validation
        /// An expression cannot be computed.
        case expression
        /// A limit of the interpreter.
        case limit
    }

    var kind: Kind
    var message: String
    /// The field, with those around it; `nil` until it is known.
    var path: String?
    /// Where the field begins in its stream.
    var offset: Int?

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// How much an interpreter does before it gives up: what comes from outside must not cost without bound.
package struct DescriptionLimits: Sendable {
    /// Fields and parts of expressions.
    package var steps = 20_000_000
    /// Values that are kept.
    package var values = 1_000_000
    /// Objects, instances and expressions inside each other.
    package var depth = 250
    /// Elements of a `repeat` that take no byte.
    package var emptyElements = 10_000
    /// Bytes that come out of one `process: zlib`.
    package var inflatedBytes = 64 << 20
    /// Bytes of texts and copies that are made, or searched through, over all.
    package var copiedBytes = 512 << 20

    package init() {}
}
