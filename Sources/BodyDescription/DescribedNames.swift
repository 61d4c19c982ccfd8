import ESProtocol

/// Collects the names that the fields of described bodies can have, and what is known of their values before any is read.
struct DescribedNames {
    private let program: DescriptionProgram
    private(set) var fields: [String: KnownBodyField] = [:]
    /// The messages whose bodies are looked at; `nil`: all.
    private var messageTypes: Set<UInt16>?
    private var visits = 0

    /// A type may contain itself; such names end somewhere.
    private static let maximumDepth = 8
    private static let maximumVisits = 5_000

    init(_ program: DescriptionProgram) { self.program = program }

    /// Adds the names of a body, or of a part of one.
    /// - Parameters:
    ///   - prefix: `es.body`
    ///   - messageTypes: That can have it; `nil`: all.
    mutating func add(type: Int, prefix: String, messageTypes: Set<UInt16>?) {
        self.messageTypes = messageTypes
        visits = 0
        visit(type, prefix, depth: 0)
        add(prefix + ".rest", .bytes)
    }

    /// Adds the names of a field's values, beside the field of the framework with that name.
    mutating func add(values: Int, of name: String) {
        messageTypes = []
        add(name, .integer, values: values)
    }

    private mutating func add(
        _ name: String,
        _ kinds: KnownBodyField.Kinds,
        values: Int? = nil,
        isSecret: Bool = false
    ) {
        var valueNames: [(name: String, value: Int64)] = []
        var shownNames: [String: String] = [:]
        if let values {
            let described = program.enums[values]
            for (number, label) in described.labels.sorted(by: { $0.key < $1.key }) {
                guard let value = number.signed else { continue }
                valueNames.append((label, value))
                guard let original = described.originalNames[number] else { continue }
                if original != label { valueNames.append((original, value)) }
                shownNames[label.lowercased()] = original
            }
        }
        let field = KnownBodyField(
            name: name,
            kinds: kinds,
            messageTypes: messageTypes,
            valueNames: valueNames,
            shownNames: shownNames,
            isSecret: isSecret
        )
        if fields[name]?.add(field) == nil { fields[name] = field }
    }

    private mutating func visit(_ index: Int, _ prefix: String, depth: Int) {
        visits += 1
        guard depth <= Self.maximumDepth, visits <= Self.maximumVisits else { return }
        let type = program.types[index]
        for slot in type.slots[type.seq.lowerBound...] {
            let name = slot.fieldName.isEmpty ? prefix : prefix + "." + slot.fieldName
            switch slot.content {
            case .parameter: break
            case .field(let field), .placed(let field, _, _):
                let isDate = field.dates != nil
                add(field.form, name, isSecret: slot.isSecret, isDate: isDate, depth: depth)
            case .computed: add(slot.valueType, name, isSecret: slot.isSecret)
            }
        }
    }

    private mutating func add(_ form: FieldForm, _ name: String, isSecret: Bool, isDate: Bool, depth: Int) {
        switch form {
        case .integer: add(name, isDate ? [.date, .integer] : .integer, isSecret: isSecret)
        case .real: add(name, .real, isSecret: isSecret)
        case .bits: add(name, .integer, isSecret: isSecret)
        case .flag: add(name, .boolean, isSecret: isSecret)
        case .enumerated(_, let values): add(name, .integer, values: values, isSecret: isSecret)
        case .bytes(let limits):
            add(name, .bytes, isSecret: isSecret)
            addEnds(limits, name)
        case .text(let limits, _):
            add(name, .text, isSecret: isSecret)
            addEnds(limits, name)
        case .contents: add(name, .bytes, isSecret: isSecret)
        case .object(let object):
            if object.limits?.process != nil {
                add(name, .bytes, isSecret: isSecret)
            } else {
                add(name, .container)
            }
            if let limits = object.limits {
                addEnds(limits, name)
                add(name + ".rest", .bytes)
            }
            visit(object.type, name, depth: depth + 1)
        case .choice(_, let cases, let otherwise):
            for item in cases { add(item.1, name, isSecret: isSecret, isDate: isDate, depth: depth) }
            if let otherwise { add(otherwise, name, isSecret: isSecret, isDate: isDate, depth: depth) }
        }
    }

    private mutating func addEnds(_ limits: ByteLimits, _ name: String) {
        if limits.process != nil { return }
        if !limits.terminator.isEmpty { add(name + ".terminator", .bytes) }
        if limits.padding != nil || !limits.terminator.isEmpty { add(name + ".padding", .bytes) }
    }

    private mutating func add(_ type: StaticType, _ name: String, isSecret: Bool) {
        switch type {
        case .any: add(name, [.boolean, .integer, .real, .text, .bytes], isSecret: isSecret)
        case .integer: add(name, .integer, isSecret: isSecret)
        case .real: add(name, .real, isSecret: isSecret)
        case .boolean: add(name, .boolean, isSecret: isSecret)
        case .text: add(name, .text, isSecret: isSecret)
        case .bytes: add(name, .bytes, isSecret: isSecret)
        case .enumeration(let values): add(name, .integer, values: values, isSecret: isSecret)
        case .array(let element): add(element, name, isSecret: isSecret)
        // What is only referred to has its names where it stands.
        case .user, .structure, .stream: break
        }
    }
}
