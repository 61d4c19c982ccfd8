/// What the blocks of a pcapng section are read by: its byte order and its interfaces.
@usableFromInline struct PcapngSection {
    /// The numbers are in the other byte order than this machine's.
    @usableFromInline var swapped = false
    @usableFromInline var interfaces: [PcapngInterface] = []
    /// Index of the section's first interface in `CaptureNotes.interfaces`.
    @usableFromInline var firstInterface = 0
    /// Bytes of a block of no interest that are still to be passed over.
    @usableFromInline var toSkip = 0

    init() {}
}

/// An interface of a pcapng section, as needed for each of its packets.
@usableFromInline struct PcapngInterface {
    @usableFromInline var linkType: UInt16
    /// The longest packet of a simple packet block; 0: no limit.
    @usableFromInline var snapLength: UInt32
    @usableFromInline var clock = PcapngClock()
}

/// Turns an interface's time stamps into nanoseconds (if_tsresol, if_tsoffset).
@usableFromInline struct PcapngClock: Equatable {
    /// Nanoseconds in a tick, where that is a whole number that fits; otherwise 0.
    @usableFromInline var multiplier: UInt64 = 1000
    /// if_tsresol as it stands in the file: bit 7 says a power of 2, the other bits the negative exponent.
    var resolution: UInt8 = 6
    /// Nanoseconds to add.
    @usableFromInline var offset: Int64 = 0

    @usableFromInline init() {}

    /// - Parameter offset: in seconds.
    init(resolution: UInt8, offset seconds: Int64) {
        self.resolution = resolution
        multiplier = resolution <= 9 ? Self.powerOfTen(9 - Int(resolution)) : 0
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        offset = overflow ? (seconds < 0 ? .min : .max) : product
    }

    var isFinerThanMicroseconds: Bool { resolution & 0x80 == 0 ? resolution > 6 : resolution & 0x7F > 20 }

    /// - Returns: nanoseconds since 1970; `exact` is false where they do not fit and are the nearest that do.
    @inlinable func nanoseconds(_ ticks: UInt64) -> (time: Int64, exact: Bool) {
        if multiplier != 0, ticks <= UInt64(Int64.max) {
            let (product, overflow) = Int64(ticks).multipliedReportingOverflow(by: Int64(multiplier))
            if !overflow {
                let (sum, overflow) = product.addingReportingOverflow(offset)
                if !overflow { return (sum, true) }
            }
        }
        return slowly(ticks)
    }

    @usableFromInline func slowly(_ ticks: UInt64) -> (time: Int64, exact: Bool) {
        var (whole, fits): (UInt64, Bool)
        let exponent = Int(resolution & 0x7F)
        if resolution & 0x80 != 0 {
            // ticks × 10⁹ ÷ 2^exponent, in 128 bits.
            let product = ticks.multipliedFullWidth(by: 1_000_000_000)
            if exponent >= 64 {
                (whole, fits) = (product.high >> UInt64(exponent - 64), true)
            } else if exponent == 0 {
                (whole, fits) = (product.low, product.high == 0)
            } else {
                fits = product.high >> UInt64(exponent) == 0
                whole = product.high << UInt64(64 - exponent) | product.low >> UInt64(exponent)
            }
        } else if exponent <= 9 {
            let (product, overflow) = ticks.multipliedReportingOverflow(by: Self.powerOfTen(9 - exponent))
            (whole, fits) = (product, !overflow)
        } else {
            // 10¹⁹ is the largest power of ten in 64 bits; beyond it nothing is left of a 64-bit number of ticks.
            (whole, fits) = (exponent - 9 > 19 ? 0 : ticks / Self.powerOfTen(exponent - 9), true)
        }
        if !fits || whole > UInt64(Int64.max) {
            // A negative offset may bring it back into range.
            guard fits, offset < 0 else { return (.max, false) }
            let rest = whole - offset.magnitude
            return rest > UInt64(Int64.max) ? (.max, false) : (Int64(rest), true)
        }
        let (sum, overflow) = Int64(whole).addingReportingOverflow(offset)
        return overflow ? (.max, false) : (sum, true)
    }

    private static func powerOfTen(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { value, _ in value &* 10 }
    }
}
