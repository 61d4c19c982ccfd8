import ESProtocol

/// The names by which fields and values can be asked for: those of the framework, and those that a user's files give.
package struct MessageNames: Sendable {
    /// A name of a value, with the start tokens of the versions that use it.
    package struct Value: Equatable, Sendable {
        package var name: String
        package var value: Int64
        /// A bit for each of ``HeaderLayout/StartToken``.
        package var tokens: UInt8

        package init(name: String, value: Int64, tokens: UInt8 = 0xFF) {
            self.name = name
            self.value = value
            self.tokens = tokens
        }
    }

    /// What a user's description knows of fields, without the numbers of elements in their names.
    private let described: [String: KnownBodyField]
    /// The framework's types whose bodies messages of other numbers have, by a user's profile.
    private let bodyTypes: [UInt16: Set<UInt16>]
    package let messageTypes: [Value]
    package let clientTypes: [Value]
    /// Names of the framework that a user's files replace, in lower case, with what is called so now.
    package let replaced: [String: String]
    /// Those of the framework.
    package static let framework = MessageNames(application: nil, custom: nil)

    /// - Parameters:
    ///   - application: A user's description of bodies.
    ///   - custom: A user's profile.
    package init(application: (any ApplicationBodies)?, custom: CustomProfile?) {
        let fields = application?.knownFields ?? []
        described = Dictionary(fields.map { ($0.name, $0) }) { first, second in
            var both = first
            both.add(second)
            return both
        }
        var bodyTypes: [UInt16: Set<UInt16>] = [:]
        for (number, type) in custom?.types ?? [:] {
            if let bodyType = type.bodyType { bodyTypes[bodyType, default: []].insert(number) }
        }
        self.bodyTypes = bodyTypes

        var own: [UInt16: String] = custom?.types.mapValues(\.name) ?? [:]
        own.merge(application?.messageTypeNames ?? [:]) { _, described in described }
        var values = own.map { Value(name: $1, value: Int64($0)) }
        for (name, value) in described["es.message_type"]?.valueNames ?? []
        where !values.contains(where: { $0.name == name && $0.value == value }) {
            values.append(Value(name: name, value: value))
        }
        let taken = Set(values.map { $0.name.lowercased() })
        var replaced: [String: String] = [:]
        for type in MessageTypeDescription.all {
            if let name = own[type.number] { replaced[type.name.lowercased()] = name }
            guard own[type.number] == nil, !taken.contains(type.name.lowercased()) else { continue }
            values.append(
                Value(name: type.name, value: Int64(type.number), tokens: Self.tokens(of: type.versions))
            )
        }
        messageTypes = values.sorted { ($0.value, $0.name) < ($1.value, $1.name) }
        self.replaced = replaced.filter { name, new in name != new.lowercased() }

        let ownClients = custom?.clientTypes.map { Value(name: $1, value: Int64($0)) } ?? []
        clientTypes =
            ownClients
            + Self.frameworkClientTypes.filter { known in
                !ownClients.contains { $0.value == known.value || $0.name.lowercased() == known.name.lowercased() }
            }
    }

    /// All names of fields, in order. To collect them takes longer than to explain a small capture, and they are asked for only
    /// where a name is not known.
    package var all: [String] {
        let further = described.keys.filter { $0.hasPrefix("es.body.") && KnownBodyField.all[$0] == nil }
        return further.isEmpty ? MessageFieldName.allNames : MessageFieldName.allNames + further.sorted()
    }

    private static let frameworkClientTypes: [Value] = Profile.all.flatMap { profile in
        (0...UInt8.max).compactMap { value in
            profile.clientTypeName(value).map {
                Value(name: $0, value: Int64(value), tokens: tokens(of: profile.versions))
            }
        }
    }

    private static func tokens(of versions: ProtocolVersions) -> UInt8 {
        HeaderLayout.StartToken.allCases.reduce(0) { bits, token in
            versions.isDisjoint(with: ProtocolVersions(startToken: token)) ? bits : bits | 1 << token.rawValue
        }
    }

    /// What is known of a field, of the framework's and of described bodies together; `nil` if neither has it.
    package func known(_ name: BodyFieldName) -> KnownBodyField? {
        let plain = BodyFieldName.withoutIndices(name.text)
        var known = KnownBodyField.all[plain]
        if var field = known, !bodyTypes.isEmpty {
            field.addMessageTypes(Set(field.messageTypes.flatMap { bodyTypes[$0] ?? [] }))
            known = field
        }
        guard let own = described[plain] else { return known }
        known?.add(own)
        return known ?? own
    }

    /// The known name that was probably meant.
    package func nearest(to name: String) -> String? {
        let plain = BodyFieldName.withoutIndices(name)
        let all = all
        if let near = MessageFormat.nearest(to: plain, among: all) { return near }
        // `user_id` for `es.user_id`, `password` for `es.body.password`.
        for prefix in ["es.", "es.body."] where all.contains(prefix + plain) { return prefix + plain }
        return nil
    }
}
