import NetworkStack

/// A value that a message has.
enum FilterValue {
    /// A number, and what it means (`0 = Succeed`) if that is known.
    case number(FilterNumber, meaning: String)
    case boolean(Bool)
    case text([UInt8])
    case bytes([UInt8])
    /// Nanoseconds since 1970-01-01 UTC.
    case time(Int64)
    /// Milliseconds since 1970-01-01 of the clock that the sender looked at.
    case date(Int64)
    case endpoint(Endpoint)
    case host(Endpoint)

    /// Its bytes, if it is text or bytes; an address as it is written.
    var octets: [UInt8]? {
        switch self {
        case .text(let bytes), .bytes(let bytes): bytes
        case .endpoint(let endpoint): Array(endpoint.description.utf8)
        case .host(let endpoint): Array(endpoint.address.utf8)
        case .number, .boolean, .time, .date: nil
        }
    }
}

/// All that a word or a string in a filter can mean; what it is compared with chooses.
struct FilterConstant: Sendable {
    var number: FilterNumber?
    var boolean: Bool?
    /// Of text, or written in hex.
    var bytes: [UInt8]?
    /// Nanoseconds since 1970-01-01 UTC.
    var time: Int64?
    /// Milliseconds since 1970-01-01; a date without a zone is taken as it stands.
    var date: Int64?
    var address: FilterAddress?
    /// The name of a value, in lower case.
    var name: String?
    /// The name that is shown in its place, in lower case, if there is one.
    var shownName: String?
    /// What values of that name a known field has.
    var named: [Int64] = []
    /// For `contains`.
    var search: ByteSearch?
    /// For text, and for bytes.
    var textPattern: FilterPattern?
    var bytePattern: FilterPattern?
}

extension FilterValue {
    /// Less than 0, 0 or more; `nil` if the two have nothing in common.
    func compared(to constant: FilterConstant) -> Int? {
        switch self {
        case .number(let number, _): return constant.number.flatMap { number.compared(to: $0) }
        case .boolean(let value):
            let number = FilterNumber.integer(value ? 1 : 0)
            if let boolean = constant.boolean { return number.compared(to: .integer(boolean ? 1 : 0)) }
            return constant.number.flatMap { number.compared(to: $0) }
        case .text(let bytes), .bytes(let bytes): return constant.bytes.map { Self.order(bytes, $0) }
        case .time(let time): return constant.time.map { time < $0 ? -1 : time == $0 ? 0 : 1 }
        case .date(let date):
            if let other = constant.date { return date < other ? -1 : date == other ? 0 : 1 }
            return constant.number.flatMap { FilterNumber.integer(date).compared(to: $0) }
        case .endpoint, .host: return nil
        }
    }

    func isEqual(_ constant: FilterConstant) -> Bool {
        switch self {
        case .endpoint(let endpoint), .host(let endpoint): return constant.address?.matches(endpoint) ?? false
        case .number(let number, let meaning):
            if let name = constant.name {
                // `0 = Succeed`: what the message itself says. A name of another body's value means nothing here.
                if let sign = meaning.firstIndex(of: "=") {
                    let own = meaning[meaning.index(after: sign)...].drop { $0 == " " }.lowercased()
                    return own == name || own == constant.shownName
                }
                return constant.named.contains { number == .integer($0) }
            }
            return compared(to: constant) == 0
        default: return compared(to: constant) == 0
        }
    }

    /// The same for a value of the message on the other side.
    func compared(to other: FilterValue) -> Int? {
        switch (self, other) {
        case (.number(let left, _), .number(let right, _)): return left.compared(to: right)
        case (.boolean(let left), .boolean(let right)): return left == right ? 0 : left ? 1 : -1
        case (.time(let left), .time(let right)), (.date(let left), .date(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.endpoint(let left), .endpoint(let right)):
            return left == right ? 0 : Self.order(octets ?? [], other.octets ?? [])
        default:
            guard let left = octets, let right = other.octets else { return nil }
            return Self.order(left, right)
        }
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
}

extension FilterComparison.Relation {
    /// Whether it holds for values of that order.
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .contains, .matches: false
        }
    }
}
