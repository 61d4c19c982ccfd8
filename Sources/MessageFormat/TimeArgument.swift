#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A time as people write it on a command line or in a filter.
///
/// It is written as RFC 3339 (`2026-11-30T11:04:05.25Z`), as a date and a time with a blank between them, as a time
/// alone (which is meant on the first day of the capture), or as seconds since 1970. Without a zone it is in local time,
/// or in UTC with `--utc`.
package enum TimeArgument: Equatable, Sendable {
    /// What offset from UTC a time has that does not say so itself.
    package enum Zone: Equatable, Sendable {
        case local
        /// Seconds east of Greenwich.
        case offset(Int)
    }

    /// Nanoseconds since 1970-01-01 UTC.
    case instant(Int64)
    /// Nanoseconds since midnight.
    case timeOfDay(Int64, Zone)

    /// - Parameter utc: a time without a zone is UTC, not local.
    /// - Returns: `nil` if it is not a time.
    package init?(_ text: String, utc: Bool) {
        var parser = TimeParser(text, zone: utc ? .offset(0) : .local)
        guard let time = parser.parse() else { return nil }
        self = time
    }

    /// Nanoseconds since 1970-01-01 UTC.
    /// - Parameter firstPacket: the time of the capture's first packet.
    package func instant(firstPacket: Int64) -> Int64 {
        switch self {
        case .instant(let time): return time
        case .timeOfDay(let ofDay, let zone):
            let second = (firstPacket - (firstPacket < 0 ? 999_999_999 : 0)) / 1_000_000_000
            var moment = tm()
            switch zone {
            case .local:
                var time = time_t(second)
                localtime_r(&time, &moment)
            case .offset(let offset):
                var time = time_t(second + Int64(offset))
                gmtime_r(&time, &moment)
            }
            let date = CivilTime(
                year: Int(moment.tm_year) + 1900,
                month: Int(moment.tm_mon) + 1,
                day: Int(moment.tm_mday),
                ofDay: ofDay
            )
            return date.instant(in: zone) ?? firstPacket
        }
    }
}

/// A date and a time of day in some zone.
struct CivilTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    /// Nanoseconds since midnight.
    var ofDay: Int64

    /// Nanoseconds since 1970-01-01 UTC, if they fit into 64 bits.
    func instant(in zone: TimeArgument.Zone) -> Int64? {
        let second = ofDay / 1_000_000_000
        let seconds: Int64
        switch zone {
        case .offset(let offset):
            seconds = daysSinceEpoch * 86_400 + second - Int64(offset)
        case .local:
            var moment = tm()
            moment.tm_year = Int32(year - 1900)
            moment.tm_mon = Int32(month - 1)
            moment.tm_mday = Int32(day)
            moment.tm_hour = Int32(second / 3600)
            moment.tm_min = Int32(second / 60 % 60)
            moment.tm_sec = Int32(second % 60)
            moment.tm_isdst = -1
            seconds = Int64(mktime(&moment))
        }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = product.addingReportingOverflow(ofDay % 1_000_000_000)
        return overflow || overflow2 ? nil : sum
    }

    /// Days since 1970-01-01 of the Gregorian calendar.
    private var daysSinceEpoch: Int64 {
        // Years that begin in March: the leap day is then the last of its year.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    static func daysIn(month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Reads the forms of ``TimeArgument``.
private struct TimeParser {
    private var rest: Substring
    private var zone: TimeArgument.Zone

    init(_ text: String, zone: TimeArgument.Zone) {
        rest = text[...]
        self.zone = zone
    }

    mutating func parse() -> TimeArgument? {
        if let epoch = decimalSeconds(rest) { return .instant(epoch) }
        var date: (year: Int, month: Int, day: Int)?
        if rest.dropFirst(4).first == "-" {
            guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
                let day = number(digits: 2), (1970...2261).contains(year), (1...12).contains(month),
                (1...CivilTime.daysIn(month: month, year: year)).contains(day)
            else { return nil }
            guard take("T") || take("t") || take(" ") else { return nil }
            date = (year, month, day)
        }
        guard let ofDay = timeOfDay(), readZone(), rest.isEmpty else { return nil }
        guard let date else { return .timeOfDay(ofDay, zone) }
        return CivilTime(year: date.year, month: date.month, day: date.day, ofDay: ofDay).instant(in: zone)
            .map(TimeArgument.instant)
    }

    private mutating func timeOfDay() -> Int64? {
        guard let hour = number(digits: 2), hour < 24, take(":"), let minute = number(digits: 2), minute < 60,
            take(":"),
            let second = number(digits: 2), second <= 60  // 60 is a leap second
        else { return nil }
        var fraction: Int64 = 0
        if take(".") || take(",") {
            let digits = rest.prefix(while: isDigit)
            guard !digits.isEmpty, let billionths = nanoseconds(fraction: digits) else { return nil }
            rest.removeFirst(digits.count)
            fraction = billionths
        }
        return Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + fraction
    }

    /// `Z`, `+08:00`, or nothing.
    private mutating func readZone() -> Bool {
        if take("Z") || take("z") {
            zone = .offset(0)
        } else if rest.first == "+" || rest.first == "-" {
            let sign = rest.removeFirst() == "-" ? -1 : 1
            guard let hour = number(digits: 2), hour < 24 else { return false }
            _ = take(":")
            guard let minute = number(digits: 2), minute < 60 else { return false }
            zone = .offset(sign * (hour * 3600 + minute * 60))
        }
        return true
    }

    private mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
        rest.removeFirst(digits)
        return Int(text)
    }
}

/// `12`, `12.5` or `.5` as nanoseconds; digits behind the ninth decimal are ignored.
package func decimalSeconds(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard !(parts[0].isEmpty && fraction.isEmpty), parts[0].allSatisfy(isDigit), fraction.allSatisfy(isDigit)
    else { return nil }
    guard let whole = parts[0].isEmpty ? 0 : Int64(parts[0]), let billionths = nanoseconds(fraction: fraction) else {
        return nil
    }
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = product.addingReportingOverflow(billionths)
    return overflow || overflow2 ? nil : sum
}

/// The digits behind a decimal point as billionths.
private func nanoseconds(fraction: Substring) -> Int64? {
    let digits = fraction.prefix(9)
    return Int64(String(digits) + String(repeating: "0", count: 9 - digits.count))
}

/// Whether a character is one of the ten digits of ASCII.
package func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
