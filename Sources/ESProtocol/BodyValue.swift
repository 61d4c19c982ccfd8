/// A body's contents as a value, made by ``BodyReader`` and written by ``BodyWriter``.
public indirect enum BodyValue: Equatable, Sendable {
    public struct Property: Equatable, Sendable {
        public var name: String
        public var value: BodyValue

        public init(_ name: String, _ value: BodyValue) {
            self.name = name
            self.value = value
        }
    }
    public struct Entry: Equatable, Sendable {
        public var key: BodyValue
        public var value: BodyValue

        public init(key: BodyValue, value: BodyValue) {
            self.key = key
            self.value = value
        }
    }

    case null
    case boolean(Bool)
    /// Signed integers and enums.
    case integer(Int64)
    /// Unsigned integers and characters.
    case unsigned(UInt64)
    case float(Float)
    case double(Double)
    case date(BodyDate)
    case string(String)
    /// Bytes, and a string that is not UTF-8.
    case bytes([UInt8])
    case list([BodyValue])
    case dictionary([Entry])
    case object([Property])

    /// The value of an object's property.
    public subscript(_ name: String) -> BodyValue? {
        guard case .object(let properties) = self else { return nil }
        return properties.first { $0.name == name }?.value
    }

    /// The text of a string.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number of an integer of any kind.
    public var number: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int64(exactly: value)
        default: nil
        }
    }
}

/// A `DateTime`, with its eight bytes as they are.
public struct BodyDate: Hashable, Sendable {
    public enum Encoding: UInt8, Hashable, Sendable {
        /// 4.7: .NET's `DateTime.ToBinary`, 100-ns ticks since year 1 with the kind in the top two bits.
        case ticks
        /// 6.5 and 7.2: milliseconds since 1970-01-01 of the clock as the sender read it.
        case milliseconds
    }

    public var raw: Int64
    public var encoding: Encoding

    public init(raw: Int64, encoding: Encoding) {
        self.raw = raw
        self.encoding = encoding
    }

    private static let ticksTo1970: Int64 = 621_355_968_000_000_000
    private static let maximumTicks: Int64 = 3_155_378_975_999_999_999
    /// Year 1 and the end of year 9999.
    private static let millisecondRange: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// The kind that the encoding of 4.7 keeps.
    public enum Kind: UInt8, Sendable { case unspecified, utc, local }

    public var kind: Kind {
        guard encoding == .ticks else { return .unspecified }
        return raw < 0 ? .local : raw & 0x4000_0000_0000_0000 != 0 ? .utc : .unspecified
    }

    private var ticks: Int64? {
        var ticks = raw & 0x3FFF_FFFF_FFFF_FFFF
        // A local time near year 1 can lie before it in UTC; .NET writes that as a negative number of 62 bits.
        if raw < 0, ticks > 0x4000_0000_0000_0000 - 864_000_000_000 { ticks -= 0x4000_0000_0000_0000 }
        return ticks <= Self.maximumTicks ? ticks : nil
    }

    /// Milliseconds since 1970-01-01; `nil` if the bytes are no date. Of a local time of 4.7 these are of UTC, otherwise
    /// of the clock that the sender read.
    public var milliseconds: Int64? {
        switch encoding {
        case .milliseconds: Self.millisecondRange.contains(raw) ? raw : nil
        case .ticks: ticks.map { floorDivide($0 - Self.ticksTo1970, 10_000) }
        }
    }

    /// A date that somebody meant: the one that was never set, or one since 1900.
    ///
    /// Tells the encodings from each other: the one's bytes read as the other are no date or one soon after year 1.
    var isPlausible: Bool {
        guard let milliseconds else { return false }
        return milliseconds >= -2_208_988_800_000 || milliseconds == -62_135_596_800_000
    }

    /// `2026-11-30 11:04:05.250`, with the kind where it is known.
    public var description: String {
        guard let milliseconds else { return "not a date" }
        let date = calendarText(milliseconds: milliseconds)
        if milliseconds == Self.millisecondRange.lowerBound { return date + ", never set" }
        return switch kind {
        case .unspecified: date
        case .utc: date + " UTC"
        case .local: date + " UTC, a local time"
        }
    }
}

private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

/// `2026-11-30 11:04:05.250` in the Gregorian calendar, without a zone.
func calendarText(milliseconds: Int64) -> String {
    let days = floorDivide(milliseconds, 86_400_000)
    let ofDay = milliseconds - days * 86_400_000
    // Years from March on, in eras of 400 years (the usual algorithm).
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)

    return String(unsafeUninitializedCapacity: 23) { buffer in
        func put(_ value: Int64, at offset: Int, digits: Int) {
            var rest = value
            for index in stride(from: offset + digits - 1, through: offset, by: -1) {
                buffer[index] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        put(year, at: 0, digits: 4)
        put(month, at: 5, digits: 2)
        put(day, at: 8, digits: 2)
        put(ofDay / 3_600_000, at: 11, digits: 2)
        put(ofDay / 60_000 % 60, at: 14, digits: 2)
        put(ofDay / 1000 % 60, at: 17, digits: 2)
        put(ofDay % 1000, at: 20, digits: 3)
        buffer[4] = 45
        buffer[7] = 45
        buffer[10] = 32
        buffer[13] = 58
        buffer[16] = 58
        buffer[19] = 46
        return 23
    }
}
