import ESProtocol
import MessageFormat

/// A field that differs, or that one of two messages does not have.
package struct FieldChange: Sendable {
    package var a: Field?
    package var b: Field?
    /// Which bytes of the messages differ: offsets within each. May be empty in one, if bytes were put in.
    package var bytesA: Range<Int>
    package var bytesB: Range<Int>

    package var isSecret: Bool { a?.isSecret == true || b?.isSecret == true }
    package var name: String { a?.name ?? b?.name ?? "" }
    package var label: String { a?.label ?? b?.label ?? "" }
}

/// Compares the fields of two messages that correspond.
struct FieldComparison {
    struct Result {
        var changes: [FieldChange] = []
        /// Names of fields that differ, but may.
        var allowed: [String] = []
    }

    let context: AlignmentContext
    let options: ComparisonOptions
    let describer: BodyDescriber
    private var roles: FieldRoles

    init(_ context: AlignmentContext, _ options: ComparisonOptions, _ describer: BodyDescriber) {
        self.context = context
        self.options = options
        self.describer = describer
        roles = FieldRoles(options)
    }

    /// - Parameter isIDUnexplained: The message ids differ, and no renumbering explains it.
    mutating func compare(_ a: Int, _ b: Int, isIDUnexplained: Bool) -> Result {
        if !isIDUnexplained, isPlainlySame(a, b) { return Result() }
        let reportA = context.a.report(of: a)
        let reportB = context.b.report(of: b)
        let (bytesA, bytesB) = (context.a.bytes(of: a), context.b.bytes(of: b))
        let fieldsA = reportA.fields(in: bytesA.span.bytes, describer: describer)
        let fieldsB = reportB.fields(in: bytesB.span.bytes, describer: describer)
        var result = Result()
        var derived: [FieldChange] = []
        // Other versions have other fields; a longer slot alone excuses nothing.
        let layoutsDiffer = reportA.header.layout.startToken != reportB.header.layout.startToken
        /// Lengths follow from what is longer or shorter.
        var isExplained = layoutsDiffer
        for (first, second) in Self.correspondence(fieldsA, fieldsB) {
            let role = roles.role(of: first.map { fieldsA[$0] } ?? fieldsB[second!])
            if role == .ignored {
                let lengthA = first.map { Self.contentLength(fieldsA[$0]) }
                let lengthB = second.map { Self.contentLength(fieldsB[$0]) }
                if lengthA != lengthB { isExplained = true }
                continue
            }
            guard let first, let second else {
                // Another version has other fields.
                if layoutsDiffer {
                    result.allowed.append(first.map { fieldsA[$0].name } ?? fieldsB[second!].name)
                    continue
                }
                let change = Self.change(first.map { fieldsA[$0] }, second.map { fieldsB[$0] })
                if role == .derived {
                    derived.append(change)
                } else {
                    result.changes.append(change)
                    isExplained = true
                }
                continue
            }
            let (fieldA, fieldB) = (fieldsA[first], fieldsB[second])
            let rangeA = bytesThere(of: fieldA, reportA, bytesA.span.bytes)
            let rangeB = bytesThere(of: fieldB, reportB, bytesB.span.bytes)
            if role != .derived, Self.contentLength(fieldA) != Self.contentLength(fieldB) { isExplained = true }
            let verdict = verdict(
                role,
                fieldA,
                fieldB,
                bytesA[rangeA],
                bytesB[rangeB],
                reportA.header,
                reportB.header,
                isIDUnexplained: isIDUnexplained,
                isFromServer: fieldsA.contains { $0.name == "es.user_id" && $0.value == .text("_0") }
            )
            switch verdict {
            case .same, .explained: break
            case .allowed: result.allowed.append(fieldA.name)
            case .different:
                var change = Self.change(fieldA, fieldB)
                let ends = commonEnds(
                    bytesA.span.bytes.extracting(rangeA),
                    bytesB.span.bytes.extracting(rangeB)
                )
                change.bytesA = fieldA.offset + ends.prefix..<fieldA.offset + rangeA.count - ends.suffix
                change.bytesB = fieldB.offset + ends.prefix..<fieldB.offset + rangeB.count - ends.suffix
                if role == .derived { derived.append(change) } else { result.changes.append(change) }
            }
        }
        if let change = Self.statusChange(reportA, reportB) { result.changes.insert(change, at: 0) }
        if !isExplained {
            // Null or empty: its length is different, and it is told already.
            let told = Set(result.changes.map(\.name))
            result.changes += derived.filter { change in
                let parts = change.name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                return !told.contains(parts.dropLast().map { String(Substring($0)) }.joined(separator: "."))
            }
        }
        return result
    }

    /// Of an id in the header without its padding.
    private static func contentLength(_ field: Field) -> Int {
        if case .text(let text) = field.value, field.name == "es.user_id" || field.name == "es.dest_user_id" {
            return text.utf8.count
        }
        return field.length
    }

    private enum Verdict {
        case same
        /// It differs, and may.
        case allowed
        /// It differs as a renaming, or the layouts, say: that is told once.
        case explained
        case different
    }

    /// Whether two messages have the same bytes but for their ids: then nothing else needs to be asked.
    private func isPlainlySame(_ a: Int, _ b: Int) -> Bool {
        let (first, second) = (context.messagesA[a], context.messagesB[b])
        guard first.status == .complete, second.status == .complete, first.header.layout == second.header.layout,
            first.byteCount == second.byteCount, context.map.targets.isEmpty
        else { return false }
        return context.a.withBytes(of: a) { left in
            context.b.withBytes(of: b) { right in
                left.withUnsafeBytes { left in
                    right.withUnsafeBytes { right in
                        left.count >= 8 && left[..<4].elementsEqual(right[..<4])
                            && left[8...].elementsEqual(right[8...])
                    }
                }
            }
        }
    }

    private func verdict(
        _ role: FieldRole,
        _ a: Field,
        _ b: Field,
        _ bytesA: ArraySlice<UInt8>,
        _ bytesB: ArraySlice<UInt8>,
        _ headerA: MessageHeader,
        _ headerB: MessageHeader,
        isIDUnexplained: Bool,
        isFromServer: Bool
    ) -> Verdict {
        let layoutsDiffer = headerA.layout.startToken != headerB.layout.startToken
        let isSame =
            bytesA == bytesB && (a.value == .none) == (b.value == .none)
            && (a.length != 0 || b.length != 0 || a.isSame(as: b))
        switch role {
        case .ignored: return .same
        case .layout: return isSame || layoutsDiffer ? .same : .different
        case .value, .derived: return isSame ? .same : .different
        case .messageID: return isSame ? .same : isIDUnexplained ? .different : .explained
        case .date:
            if isSame { return .same }
            // A date that nobody can have meant is none.
            if case .date = a.value, case .date = b.value { return .allowed }
            return .different
        case .datedText:
            return Self.withoutDate(bytesA, headerA) == Self.withoutDate(bytesB, headerB)
                && (a.value == .none) == (b.value == .none)
                ? (isSame ? .same : .allowed) : .different
        case .identity(.clientType):
            if isSame, context.map.targets.isEmpty { return .same }
            if layoutsDiffer { return .explained }
            if isFromServer { return isSame ? .same : .different }
            return names(a, b, .clientType, headerA, headerB)
        case .identity(let kind):
            if !layoutsDiffer, !isSame, kind == .user, !samePadding(a, b, bytesA, bytesB, headerA, headerB) {
                return .different
            }
            return names(a, b, kind, headerA, headerB)
        }
    }

    private static func withoutDate(_ bytes: ArraySlice<UInt8>, _ header: MessageHeader) -> ArraySlice<UInt8> {
        header.layout.startToken == .zeroF && hasDateInFront(bytes.span.bytes) ? bytes.dropFirst(8) : bytes
    }

    /// An id in the header is followed by zeros; whatever else is there must be the same.
    private func samePadding(
        _ a: Field,
        _ b: Field,
        _ bytesA: ArraySlice<UInt8>,
        _ bytesB: ArraySlice<UInt8>,
        _ headerA: MessageHeader,
        _ headerB: MessageHeader
    ) -> Bool {
        guard a.offset < headerA.layout.headerLength, b.offset < headerB.layout.headerLength,
            case .text(let idA) = a.value, case .text(let idB) = b.value
        else { return true }
        let restA = bytesA.dropFirst(idA.utf8.count)
        let restB = bytesB.dropFirst(idB.utf8.count)
        return restA.allSatisfy { $0 == 0 } && restB.allSatisfy { $0 == 0 }
    }

    private func names(
        _ a: Field,
        _ b: Field,
        _ kind: IdentityKind,
        _ headerA: MessageHeader,
        _ headerB: MessageHeader
    ) -> Verdict {
        let nameA = context.signatures.identity(of: a, kind, headerA.layout)
        let nameB = context.signatures.identity(of: b, kind, headerB.layout)
        guard let numberA = context.signatures.knownNumber(of: nameA),
            let numberB = context.signatures.knownNumber(of: nameB)
        else { return nameA == nameB ? .same : .different }
        guard context.map.matches(numberA, numberB) else { return .different }
        guard kind == .user, case .text(let idA) = a.value, case .text(let idB) = b.value else {
            return numberA == numberB ? .same : .explained
        }
        let (deviceA, deviceB) = (LoginID(idA).device, LoginID(idB).device)
        if deviceA == deviceB { return .same }
        guard !options.isExact else { return .different }
        if headerA.layout.startToken != headerB.layout.startToken { return .explained }
        guard let deviceA, let deviceB else { return .allowed }
        // The kind of device is the client type of the header.
        let typeA = context.signatures.knownNumber(of: Identity(kind: .clientType, text: String(deviceA)))
        let typeB = context.signatures.knownNumber(of: Identity(kind: .clientType, text: String(deviceB)))
        guard let typeA, let typeB else { return .different }
        return context.map.matches(typeA, typeB) ? .explained : .different
    }

    private static func change(_ a: Field?, _ b: Field?) -> FieldChange {
        func range(_ field: Field?) -> Range<Int> {
            field.map { $0.offset..<$0.offset + max($0.length, 0) } ?? 0..<0
        }
        return FieldChange(a: a, b: b, bytesA: range(a), bytesB: range(b))
    }

    /// One of the messages has bytes that were never captured, or other ones than the other.
    private static func statusChange(_ a: MessageReport, _ b: MessageReport) -> FieldChange? {
        guard a.status != b.status || a.gaps != b.gaps else { return nil }
        func field(_ report: MessageReport) -> Field {
            let missing = report.missing
            let text =
                missing == 0
                ? report.status.rawValue
                : "\(report.status.rawValue), \(missing) byte\(missing == 1 ? "" : "s") missing"
            return Field(name: "status", label: "", offset: 0, length: 0, value: .text(text), meaning: text)
        }
        return FieldChange(a: field(a), b: field(b), bytesA: 0..<0, bytesB: 0..<0)
    }

    /// Which field of one is which of the other: by name, of several with the same name in their order. In the order of A,
    /// then what only B has.
    private static func correspondence(_ a: [Field], _ b: [Field]) -> [(Int?, Int?)] {
        if a.count == b.count, a.indices.allSatisfy({ a[$0].name == b[$0].name }) {
            return a.indices.map { ($0, $0) }
        }
        var places: [String: [Int]] = [:]
        for index in b.indices.reversed() { places[b[index].name, default: []].append(index) }
        var result: [(Int?, Int?)] = a.indices.map { ($0, places[a[$0].name]?.popLast()) }
        let rest = places.values.flatMap { $0 }.sorted()
        result += rest.map { (nil, $0) }
        return result
    }
}

extension Field {
    /// Of fields without bytes of their own: they hold the same.
    fileprivate func isSame(as other: Field) -> Bool {
        if case .real(let a) = value, case .real(let b) = other.value { return a.bitPattern == b.bitPattern }
        return value == other.value && (value != .bytes || meaning == other.meaning)
    }
}
