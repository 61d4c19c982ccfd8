#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How a time stands at the beginning of a line; as in tcpdump.
package enum TimeStyle: Sendable {
    /// `11:04:05.250317`
    case clock
    /// `-t`: no time.
    case none
    /// `-tt`: `1732961045.250317`, seconds since 1970.
    case epoch
    /// `-ttt`: time since the line before.
    case sincePrevious
    /// `-tttt`: `2026-11-30 11:04:05.250317`
    case dateAndClock
    /// `-ttttt`: time since the first line.
    case sinceFirst

    /// Columns of a time (of our days) in this style.
    var columns: Int {
        switch self {
        case .none: 0
        case .epoch: 17
        case .dateAndClock: 26
        case .clock, .sincePrevious, .sinceFirst: 15
        }
    }
}

/// Writes times. Any number of nanoseconds is one; none traps.
package struct TimeFormat {
    package var style: TimeStyle
    package var isUTC: Bool
    private var first: Int64?
    private var previous: Int64?
    private var offset: Int64 = 0
    /// Which quarter of an hour ``offset`` is good for: zones change their clocks at no other time.
    private var offsetQuarter: Int64?
    /// The second whose clock ``clockText`` is, as it stands in the capture: many lines are of the same one.
    private var clockSecond: Int64?
    /// `11:04:05`, the first byte at the low end.
    private var clockText: UInt64 = 0

    package init(style: TimeStyle = .clock, isUTC: Bool = false) {
        self.style = style
        self.isUTC = isUTC
    }

    /// Goes on behind lines that were formatted elsewhere.
    mutating func continueAfter(first: Int64?, previous: Int64?) {
        self.first = first
        self.previous = previous
    }

    /// Appends the time of a line.
    package mutating func append(_ time: Int64, to out: inout OutputBuffer) {
        switch style {
        case .none: return
        case .clock: appendClock(time, withDate: false, to: &out)
        case .dateAndClock: appendClock(time, withDate: true, to: &out)
        case .epoch: Self.appendSeconds(time, to: &out)
        case .sincePrevious:
            Self.appendDifference(time, previous ?? time, to: &out)
            previous = time
        case .sinceFirst:
            if first == nil { first = time }
            Self.appendDifference(time, first ?? time, to: &out)
        }
    }

    /// Appends `2026-11-30T11:04:05.250317000Z`.
    package static func appendRFC3339(_ time: Int64, to out: inout OutputBuffer) {
        let (second, nanosecond) = split(time)
        appendDate(second, separator: 0x54, to: &out)
        appendTimeOfDay(second, to: &out)
        out.append(0x2E)
        out.append(decimal: UInt64(nanosecond), zeroPaddedTo: 9)
        out.append(0x5A)
    }

    /// The same for many times that are near each other.
    package struct RFC3339: Sendable {
        /// The second whose text is kept: `2026-11-30T11:04:05.`, the first byte at the low end.
        private var second: Int64?
        private var text: (UInt64, UInt64, UInt64) = (0, 0, 0)

        package init() {}

        package mutating func append(_ time: Int64, to out: inout OutputBuffer) {
            let (second, nanosecond) = TimeFormat.split(time)
            guard second == self.second else {
                let start = out.count
                TimeFormat.appendRFC3339(time, to: &out)
                // Years have four digits unless a time is far from ours.
                if out.count - start == 30 {
                    self.second = second
                    text = (out.eight(at: start), out.eight(at: start + 8), out.eight(at: start + 16))
                }
                return
            }
            out.append(eight: text.0)
            out.append(eight: text.1)
            out.append(eight: text.2)
            out.removeAll(from: out.count - 4)
            out.append(decimal: UInt64(nanosecond), zeroPaddedTo: 9)
            out.append(0x5A)
        }
    }

    /// Seconds, rounded down, and the nanoseconds behind them.
    fileprivate static func split(_ time: Int64) -> (second: Int64, nanosecond: Int64) {
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? (quotient - 1, remainder + 1_000_000_000) : (quotient, remainder)
    }

    private mutating func appendClock(_ time: Int64, withDate: Bool, to out: inout OutputBuffer) {
        let (second, nanosecond) = Self.split(time)
        if withDate { Self.appendDate(second + zoneOffset(at: second), separator: 0x20, to: &out) }
        if second != clockSecond {
            clockText = Self.clock(second + zoneOffset(at: second))
            clockSecond = second
        }
        out.append(eight: clockText)
        Self.appendMicroseconds(nanosecond, to: &out)
    }

    private mutating func zoneOffset(at second: Int64) -> Int64 {
        if isUTC { return 0 }
        let quarter = (second - (second % 900 + 900) % 900) / 900
        if quarter == offsetQuarter { return offset }
        var moment = time_t(second)
        var local = tm()
        offset = localtime_r(&moment, &local) == nil ? 0 : Int64(local.tm_gmtoff)
        offsetQuarter = quarter
        return offset
    }

    /// The time of day of a second, as the eight bytes of its text.
    private static func clock(_ second: Int64) -> UInt64 {
        let ofDay = UInt64((second % 86_400 + 86_400) % 86_400)
        func digits(_ value: UInt64) -> UInt64 { 0x30 + value / 10 | (0x30 + value % 10) << 8 }
        return digits(ofDay / 3600) | 0x3A << 16 | digits(ofDay / 60 % 60) << 24 | 0x3A << 40 | digits(ofDay % 60) << 48
    }

    private static func appendTimeOfDay(_ second: Int64, to out: inout OutputBuffer) {
        var ofDay = second % 86_400
        if ofDay < 0 { ofDay += 86_400 }
        appendHours(UInt64(ofDay), to: &out)
    }

    /// `11:04:05`; more than 99 hours take more digits.
    private static func appendHours(_ seconds: UInt64, to out: inout OutputBuffer) {
        let hours = seconds / 3600
        if hours < 100 { out.append(decimal: hours, zeroPaddedTo: 2) } else { out.append(decimal: hours) }
        out.append(0x3A)
        out.append(decimal: seconds / 60 % 60, zeroPaddedTo: 2)
        out.append(0x3A)
        out.append(decimal: seconds % 60, zeroPaddedTo: 2)
    }

    private static func appendMicroseconds(_ nanosecond: Int64, to out: inout OutputBuffer) {
        out.append(0x2E)
        out.append(decimal: UInt64(nanosecond / 1000), zeroPaddedTo: 6)
    }

    private static func appendSeconds(_ time: Int64, to out: inout OutputBuffer) {
        if time < 0 { out.append(0x2D) }
        out.append(decimal: time.magnitude / 1_000_000_000)
        appendMicroseconds(Int64(time.magnitude % 1_000_000_000), to: &out)
    }

    private static func appendDifference(_ time: Int64, _ base: Int64, to out: inout OutputBuffer) {
        let magnitude = time >= base ? time.magnitudeOfDistance(from: base) : base.magnitudeOfDistance(from: time)
        if time < base { out.append(0x2D) }
        appendHours(magnitude / 1_000_000_000, to: &out)
        appendMicroseconds(Int64(magnitude % 1_000_000_000), to: &out)
    }

    /// `2026-11-30` and the separator, from seconds since 1970 (days are counted from March 1 of the year 0).
    private static func appendDate(_ second: Int64, separator: UInt8, to out: inout OutputBuffer) {
        var days = second / 86_400
        if second % 86_400 < 0 { days -= 1 }
        days += 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        out.append(decimal: UInt64(max(year, 0)), zeroPaddedTo: 4)
        out.append(0x2D)
        out.append(decimal: UInt64(month), zeroPaddedTo: 2)
        out.append(0x2D)
        out.append(decimal: UInt64(day), zeroPaddedTo: 2)
        out.append(separator)
    }
}

extension Int64 {
    /// `self - other` for `other <= self`; always fits.
    fileprivate func magnitudeOfDistance(from other: Int64) -> UInt64 {
        UInt64(bitPattern: self) &- UInt64(bitPattern: other)
    }
}
