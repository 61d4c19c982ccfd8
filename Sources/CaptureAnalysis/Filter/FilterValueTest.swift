import ESProtocol
import MessageFormat
import NetworkStack

/// Where values come from.
indirect enum FilterSource: Sendable {
    case field(MessageFieldName)
    case slice(FilterSource, FilterSlice)
    case call(FilterFunction, FilterSource)

    /// Whether the bytes of the body are needed.
    var needsBodies: Bool {
        switch self {
        case .field(let name):
            switch name {
            case .body, .bodyBytes: true
            case .property, .header, .typeName, .headerBytes: false
            }
        case .slice(let source, _), .call(_, let source): source.needsBodies
        }
    }
}

/// A question about values that are collected from the message first: those of bodies, slices, lengths, two fields.
struct FilterValueTest: Sendable {
    enum Check: Sendable {
        case present
        case constant(FilterComparison.Relation, isForAll: Bool, FilterConstant)
        case other(FilterComparison.Relation, isForAll: Bool, FilterSource)
        /// In a set; the high end is there for a range.
        case set([(low: FilterConstant, high: FilterConstant?)], isNegated: Bool)
    }

    var source: FilterSource
    var check: Check

    var needsBodies: Bool {
        if case .other(_, _, let other) = check, other.needsBodies { return true }
        return source.needsBodies
    }

    /// - Parameter fields: the fields of the body, once they are known.
    func matches(
        _ subject: FilterSubject,
        _ bytes: RawSpan,
        _ fields: inout [Field]?,
        _ state: inout FilterState
    ) -> Bool {
        if case .present = check { return isPresent(source, subject, bytes, &fields) }
        let values = Self.values(of: source, subject, bytes, &fields)
        guard !values.isEmpty else { return false }
        switch check {
        case .present: return true
        case .constant(let relation, let isForAll, let constant):
            return Self.holds(isForAll: isForAll, values) { Self.holds($0, relation, constant, &state) }
        case .other(let relation, let isForAll, let source):
            let others = Self.values(of: source, subject, bytes, &fields)
            guard !others.isEmpty else { return false }
            return Self.holds(isForAll: isForAll, values) { value in
                Self.holds(isForAll: isForAll, others) { Self.holds(value, relation, $0) }
            }
        case .set(let elements, let isNegated):
            return Self.holds(isForAll: isNegated, values) { value in
                elements.contains { Self.isIn(value, $0.low, $0.high) } != isNegated
            }
        }
    }

    private static func holds<Value>(isForAll: Bool, _ values: [Value], _ check: (Value) -> Bool) -> Bool {
        isForAll ? values.allSatisfy(check) : values.contains(where: check)
    }

    private static func holds(
        _ value: FilterValue,
        _ relation: FilterComparison.Relation,
        _ constant: FilterConstant,
        _ state: inout FilterState
    ) -> Bool {
        switch relation {
        case .equal: return value.isEqual(constant)
        case .notEqual: return !value.isEqual(constant)
        case .contains:
            guard let search = constant.search, let bytes = value.octets else { return false }
            return bytes.withUnsafeBytes { search.isIn($0) }
        case .matches:
            guard let bytes = value.octets else { return false }
            var pattern = constant.textPattern
            if case .bytes = value { pattern = constant.bytePattern }
            return state.note(bytes.withUnsafeBytes { pattern?.match($0) })
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return value.compared(to: constant).map { relation.holds($0) } ?? false
        }
    }

    private static func holds(
        _ value: FilterValue,
        _ relation: FilterComparison.Relation,
        _ other: FilterValue
    ) -> Bool {
        if relation == .contains {
            guard let bytes = value.octets, let other = other.octets else { return false }
            return bytes.withUnsafeBytes { ByteSearch(other).isIn($0) }
        }
        guard let order = value.compared(to: other) else { return relation == .notEqual }
        return relation.holds(order)
    }

    private static func isIn(_ value: FilterValue, _ low: FilterConstant, _ high: FilterConstant?) -> Bool {
        guard let high else { return value.isEqual(low) }
        guard let first = value.compared(to: low), let last = value.compared(to: high) else { return false }
        return first >= 0 && last <= 0
    }

    // MARK: - Values

    private static func fields(_ subject: FilterSubject, _ bytes: RawSpan, _ fields: inout [Field]?) -> [Field] {
        if let fields { return fields }
        let found = subject.report.bodyFields(
            in: bytes,
            describer: BodyDescriber(application: subject.application)
        )
        fields = found
        return found
    }

    private func isPresent(
        _ source: FilterSource,
        _ subject: FilterSubject,
        _ bytes: RawSpan,
        _ fields: inout [Field]?
    ) -> Bool {
        guard case .field(.body(let name)) = source else {
            return !Self.values(of: source, subject, bytes, &fields).isEmpty
        }
        return Self.fields(subject, bytes, &fields).contains { field in
            switch name.relation(to: field.name) {
            case .same: field.value != .none
            // That something is null is all that a length of -1 says.
            case .inside: field.value != .none && field.value != .integer(-1)
            case .other: false
            }
        }
    }

    private static func values(
        of source: FilterSource,
        _ subject: FilterSubject,
        _ bytes: RawSpan,
        _ fields: inout [Field]?
    ) -> [FilterValue] {
        switch source {
        case .field(.body(let name)):
            return Self.fields(subject, bytes, &fields).compactMap { field in
                name.relation(to: field.name) == .same ? FilterValue(field, bytes) : nil
            }
        case .field(let name): return FilterValue.values(of: name, subject, bytes)
        case .slice(let inner, let slice):
            return values(of: inner, subject, bytes, &fields).compactMap { $0.part(slice) }
        case .call(let function, let inner):
            let values = values(of: inner, subject, bytes, &fields)
            switch function {
            case .count: return [.number(.integer(Int64(values.count)), meaning: "")]
            case .length:
                return values.compactMap { value in
                    value.octets.map { .number(.integer(Int64($0.count)), meaning: "") }
                }
            case .lower: return values.map { $0.mapped { $0.lowercased() } }
            case .upper: return values.map { $0.mapped { $0.uppercased() } }
            }
        }
    }
}

extension FilterValue {
    /// The value of a field; `nil` for one that stands for nothing (null).
    init?(_ field: Field, _ bytes: RawSpan) {
        let range = (field.offset..<field.offset + max(field.length, 0)).clamped(to: 0..<bytes.byteCount)
        switch field.value {
        case .none: return nil
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .number(.integer(value), meaning: field.meaning)
        case .unsigned(let value): self = .number(FilterNumber(value), meaning: field.meaning)
        case .real(let value): self = .number(.real(value), meaning: "")
        case .date(let milliseconds): self = .date(milliseconds)
        case .text(let value) where field.isTextDecoded: self = .text(Array(value.utf8))
        case .text: self = .text(bytes.extracting(range).withUnsafeBytes { Array($0) })
        case .bytes: self = .bytes(bytes.extracting(range).withUnsafeBytes { Array($0) })
        }
    }

    /// The values of what is not within a body.
    static func values(of name: MessageFieldName, _ subject: FilterSubject, _ bytes: RawSpan) -> [FilterValue] {
        func number(_ source: FilterNumberSource) -> [FilterValue] {
            subject.number(source).map { [.number(.integer($0), meaning: "")] } ?? []
        }
        func bytesOf(_ source: FilterByteSource) -> [UInt8] {
            bytes.extracting(subject.range(of: source, byteCount: bytes.byteCount)).withUnsafeBytes { Array($0) }
        }
        switch name {
        case .body: return []
        case .typeName:
            return subject.profile.messageTypeName(subject.header.messageType).map { [.text(Array($0.utf8))] } ?? []
        case .headerBytes: return [.bytes(bytesOf(.headerBytes))]
        case .bodyBytes: return [.bytes(bytesOf(.bodyBytes))].filter { $0.octets?.isEmpty == false }
        case .header(let field):
            if field == .userID { return [.text(bytesOf(.userID))] }
            if field == .destUserID { return [.text(bytesOf(.destUserID))] }
            return field.filterNumber.map(number) ?? []
        case .property(let property):
            switch property {
            case .time: return [.time(subject.time)]
            case .source: return [.endpoint(subject.source)]
            case .destination: return [.endpoint(subject.destination)]
            case .sourceHost: return [.host(subject.source)]
            case .destinationHost: return [.host(subject.destination)]
            case .host: return [.host(subject.source), .host(subject.destination)]
            case .port: return number(.sourcePort) + number(.destinationPort)
            case .transport: return [.text(Array((subject.isUDP ? "udp" : "tcp").utf8))]
            case .direction: return [.text(Array(subject.direction.name.utf8))]
            case .status: return [.text(Array(subject.status.rawValue.utf8))]
            default: return property.filterNumber.map(number) ?? []
            }
        }
    }

    /// Some of its bytes; `nil` if it has none there, or is not made of bytes.
    fileprivate func part(_ slice: FilterSlice) -> FilterValue? {
        guard let octets, slice.start < octets.count else { return nil }
        let rest = octets[slice.start...]
        return .bytes(Array(slice.length.map { rest.prefix($0) } ?? rest))
    }

    /// The same with its letters changed; anything but text stays as it is.
    fileprivate func mapped(_ change: (String) -> String) -> FilterValue {
        guard case .text(let bytes) = self else { return self }
        return .text(Array(change(String(decoding: bytes, as: UTF8.self)).utf8))
    }
}

extension HeaderField {
    /// `nil` for the ids, which are text.
    var filterNumber: FilterNumberSource? {
        switch self {
        case .startToken: .startToken
        case .clientType: .clientType
        case .messageType: .messageType
        case .messageID: .messageID
        case .bodyLength: .bodyLength
        case .userIDLength: .userIDLength
        case .destUserIDLength: .destUserIDLength
        case .userID, .destUserID: nil
        }
    }
}

extension MessageProperty {
    /// Where it is one number: that number.
    var filterNumber: FilterNumberSource? {
        switch self {
        case .time: .time
        case .packet: .packet
        case .conversation: .conversation
        case .transport: .transport
        case .direction: .direction
        case .sourcePort: .sourcePort
        case .destinationPort: .destinationPort
        case .streamOffset: .streamOffset
        case .length: .length
        case .status: .status
        case .missing: .missing
        case .gaps: .gaps
        case .source, .sourceHost, .destination, .destinationHost, .host, .port: nil
        }
    }
}
