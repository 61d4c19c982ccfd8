import ESProtocol

/// The bodies of an application's own messages, described by a file: names of message types, and the types that say
/// `-esdump-message-type` or `-esdump-information-type`.
package struct DescribedBodies: ApplicationBodies {
    private let file: DescriptionFile
    private let bindings: [Binding]
    package let messageTypeNames: [UInt16: String]
    package let informationTypeNames: [Int32: String]
    package let hasSecrets: Bool
    package let knownFields: [KnownBodyField]

    private final class Binding: Sendable {
        let binding: BodyBinding
        let versions: ProtocolVersions?
        let title: String
        /// What each parameter of the type is given.
        let parameters: [Parameter]
        /// For each name that the whole may have, the quick way to read it.
        let plans: [(name: String, plan: SharedPlan)]

        init(
            _ binding: BodyBinding,
            versions: ProtocolVersions?,
            title: String,
            parameters: [Parameter],
            plans: [(name: String, plan: SharedPlan)]
        ) {
            self.binding = binding
            self.versions = versions
            self.title = title
            self.parameters = parameters
            self.plans = plans
        }
    }

    /// What a description can ask of the message around a body: its parameters have these names.
    enum Parameter: String, CaseIterable, Sendable {
        case messageType = "message_type"
        case messageID = "message_id"
        case bodyLength = "body_length"
        case clientType = "client_type"
        case informationType = "information_type"
        case isRequest = "is_request"
    }

    /// - Throws: if the file names no message type and describes no body, or a body has a parameter that nobody gives.
    package init(_ file: DescriptionFile) throws(DescriptionError) { try self.init(file, usesPlans: true) }

    /// - Parameter usesPlans: Bodies whose fields follow one another are read without the interpreter.
    package init(_ file: DescriptionFile, usesPlans: Bool) throws(DescriptionError) {
        self.file = file
        messageTypeNames = Self.names(file, "message_type") { UInt16(exactly: $0) }
        informationTypeNames = Self.names(file, "information_type") { Int32(exactly: $0) }
        hasSecrets = file.program.types.contains { $0.slots.contains { $0.isSecret } }
        var bindings: [Binding] = []
        for binding in file.bindings {
            let type = file.program.types[binding.type]
            var parameters: [Parameter] = []
            for slot in type.parameters {
                guard let parameter = Parameter(rawValue: type.slots[slot].name) else {
                    let known = Parameter.allCases.map(\.rawValue).joined(separator: ", ")
                    throw DescriptionError(
                        file.name,
                        nil,
                        "the type \"\(type.name)\" is a body, and nothing gives its parameter \"\(type.slots[slot].name)\"; there are \(known)"
                    )
                }
                parameters.append(parameter)
            }
            let versions = ProtocolVersion.allCases.filter { binding.versions.contains($0.name) }
            bindings.append(
                Binding(
                    binding,
                    versions: versions.isEmpty ? nil : versions.reduce(into: []) { $0.formUnion(ProtocolVersions($1)) },
                    title: binding.title ?? type.name,
                    parameters: parameters,
                    plans: usesPlans
                        ? Self.names(binding).compactMap { name in
                            SequencePlanner.plan(file.program, type: binding.type, name: name)
                                .map { (name, SharedPlan($0)) }
                        } : []
                )
            )
        }
        self.bindings = bindings
        knownFields = Self.fields(file)
        guard !bindings.isEmpty || !messageTypeNames.isEmpty || !informationTypeNames.isEmpty else {
            throw DescriptionError(
                file.name,
                nil,
                "says of no message which body it has: put `-esdump-message-type` or `-esdump-information-type` into a type, or name message types in an enum `message_type`"
            )
        }
    }

    /// The names of the fields of all bodies, and of the values of types of messages and information.
    private static func fields(_ file: DescriptionFile) -> [KnownBodyField] {
        var names = DescribedNames(file.program)
        for binding in file.bindings {
            let messageTypes = binding.messageTypes.map { Set($0) }
            guard binding.informationTypes != nil else {
                names.add(type: binding.type, prefix: "es.body", messageTypes: messageTypes)
                continue
            }
            let carriers = messageTypes?.isEmpty == true ? nil : messageTypes
            for prefix in Self.names(binding) {
                names.add(type: binding.type, prefix: prefix, messageTypes: carriers)
            }
        }
        for (field, name) in [("es.message_type", "message_type"), ("es.body.information_type", "information_type")] {
            if let index = file.enums[name] { names.add(values: index, of: field) }
        }
        return Array(names.fields.values)
    }

    /// The names that what a type describes has: the whole body, or the content in one.
    private static func names(_ binding: BodyBinding) -> [String] {
        binding.informationTypes == nil
            ? ["es.body"] : ["es.body.content", "es.body.fragment.content.message", "es.body.fragment"]
    }

    /// The labels of an enum of the file's own type.
    private static func names<Number: Hashable>(
        _ file: DescriptionFile,
        _ name: String,
        _ number: (Int) -> Number?
    ) -> [Number: String] {
        guard let index = file.enums[name] else { return [:] }
        var result: [Number: String] = [:]
        let described = file.program.enums[index]
        for (value, label) in described.labels {
            guard let key = value.int.flatMap(number) else { continue }
            result[key] = described.originalNames[value] ?? label
        }
        return result
    }

    /// The file, as it was named.
    package var name: String { file.name }

    // MARK: - ApplicationBodies

    package func describe(
        body: RawSpan,
        bodyOffset: Int,
        header: MessageHeader,
        isRequest: Bool,
        versions: ProtocolVersions,
        maximumFields: Int
    ) -> BodyDescription? {
        let found = best(isRequest, versions) { candidate in
            guard candidate.binding.informationTypes == nil else { return nil }
            guard let types = candidate.binding.messageTypes else { return false }
            return types.contains(header.messageType) ? true : nil
        }
        guard let found else { return nil }
        return describe(
            found,
            body,
            declared: max(Int(header.bodyLength), 0),
            offset: bodyOffset,
            name: "es.body",
            depth: 1,
            header,
            informationType: nil,
            isRequest,
            versions,
            maximumFields
        )
    }

    package func describe(
        content: RawSpan,
        contentOffset: Int,
        name: String,
        depth: Int,
        informationType: Int32,
        header: MessageHeader,
        isRequest: Bool,
        versions: ProtocolVersions,
        maximumFields: Int
    ) -> BodyDescription? {
        let found = best(isRequest, versions) { candidate in
            guard let types = candidate.binding.informationTypes else { return nil }
            if let messageTypes = candidate.binding.messageTypes, !messageTypes.isEmpty,
                !messageTypes.contains(header.messageType)
            {
                return nil
            }
            if types.contains(informationType) { return true }
            return candidate.binding.isForAnyInformation ? false : nil
        }
        guard let found else { return nil }
        return describe(
            found,
            content,
            declared: content.byteCount,
            offset: contentOffset,
            name: name,
            depth: depth + 1,
            header,
            informationType: informationType,
            isRequest,
            versions,
            maximumFields
        )
    }

    /// The first that names the number; else the first that takes all others.
    private func best(_ isRequest: Bool, _ versions: ProtocolVersions, _ fits: (Binding) -> Bool?) -> Binding? {
        var other: Binding?
        for candidate in bindings {
            guard candidate.binding.isRequest ?? isRequest == isRequest,
                candidate.versions.map({ !$0.isDisjoint(with: versions) }) ?? true,
                let isNamed = fits(candidate)
            else { continue }
            if isNamed { return candidate }
            if other == nil { other = candidate }
        }
        return other
    }

    private func describe(
        _ binding: Binding,
        _ bytes: RawSpan,
        declared: Int,
        offset: Int,
        name: String,
        depth: Int,
        _ header: MessageHeader,
        informationType: Int32?,
        _ isRequest: Bool,
        _ versions: ProtocolVersions,
        _ maximumFields: Int
    ) -> BodyDescription {
        if declared == bytes.byteCount, let plan = binding.plans.first(where: { $0.name == name })?.plan {
            let parameters = binding.parameters.map {
                Self.number($0, header, informationType: informationType, isRequest)
            }
            let fields = bytes.withUnsafeBytes {
                SequenceReader.fields(
                    plan,
                    $0,
                    offset: offset,
                    depth: depth,
                    maximumFields: maximumFields,
                    parameters: parameters
                )
            }
            if let fields {
                return BodyDescription(
                    title: binding.title,
                    fields: fields,
                    isExact: true,
                    isGuess: false,
                    versions: versions
                )
            }
        }
        var limits = DescriptionLimits()
        limits.values = maximumFields
        limits.steps = 2_000_000
        limits.inflatedBytes = 16 << 20
        limits.copiedBytes = 64 << 20
        let copy = bytes.withUnsafeBytes { Array($0) }
        let interpreter = Interpreter(file.program, bytes: copy, declared: declared, limits: limits, notesLeaves: true)
        let arguments = binding.parameters.map { Self.value($0, header, informationType: informationType, isRequest) }
        let (_, error) = interpreter.readRoot(binding.binding.type, arguments: arguments)
        let later = interpreter.computeInstances()
        var reason = ""
        if let error, error.kind != .cut { reason = DescribedError(error).description }
        var builder = FieldBuilder(
            interpreter,
            offset: offset,
            count: copy.count,
            name: name,
            depth: depth,
            maximumFields: maximumFields
        )
        let restReason = error.map { $0.kind == .cut ? BodyWords.firstBytes(copy.count, of: declared) : reason } ?? ""
        let (fields, isComplete) = builder.fields(reason: restReason)
        var title = binding.title
        if let problem = reason.isEmpty ? later.map({ DescribedError($0).description }) : reason {
            title += " (\(problem))"
        }
        return BodyDescription(
            title: title,
            fields: fields,
            isExact: reason.isEmpty && (isComplete || error?.kind == .cut),
            isGuess: false,
            versions: versions
        )
    }

    private static func value(
        _ parameter: Parameter,
        _ header: MessageHeader,
        informationType: Int32?,
        _ isRequest: Bool
    ) -> Value {
        if parameter == .isRequest { return .boolean(isRequest) }
        let number = number(parameter, header, informationType: informationType, isRequest)
        return number.map { .integer(WideInteger($0)) } ?? .null
    }

    private static func number(
        _ parameter: Parameter,
        _ header: MessageHeader,
        informationType: Int32?,
        _ isRequest: Bool
    ) -> Int64? {
        switch parameter {
        case .messageType: Int64(header.messageType)
        case .messageID: Int64(header.messageID)
        case .bodyLength: Int64(header.bodyLength)
        case .clientType: header.clientType.map { Int64($0) }
        case .informationType: informationType.map { Int64($0) }
        case .isRequest: isRequest ? 1 : 0
        }
    }
}

extension DescribedBodies: Equatable {
    /// Two are the same if they come from the same file.
    package static func == (a: DescribedBodies, b: DescribedBodies) -> Bool { a.name == b.name }
}
