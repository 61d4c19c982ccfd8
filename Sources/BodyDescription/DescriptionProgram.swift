/// A description file with all its imports, compiled: what ``Interpreter`` follows.
struct DescriptionProgram: Sendable {
    var types: [DescribedType] = []
    var enums: [DescribedEnum] = []
    /// Index of the type that the file describes.
    var root = 0
}

/// The names of an enum's numbers.
struct DescribedEnum: Sendable {
    var name: String
    var labels: [WideInteger: String] = [:]
    var numbers: [String: WideInteger] = [:]
    /// `-orig-id`: how the protocol itself calls them.
    var originalNames: [WideInteger: String] = [:]
}

/// A type of the description: the file itself, or one of its `types`.
struct DescribedType: Sendable {
    var name: String
    /// Which of the files it stands in; an object of another file has no parent and is its own root.
    var file: Int
    /// Slots are numbered: parameters, fields of `seq`, instances.
    var slots: [DescribedSlot] = []
    var slotOfName: [String: Int] = [:]
    var parameterCount = 0
    var seqCount = 0
    var order = ObjectOrder.none
    /// How an object is shown: `to-string`.
    var text: Expression?
    /// One of the fields has the object's own name: the object stands for a single value.
    var isSingleValue = false
    /// It, or an object in it, has a field that is a secret.
    var holdsSecrets = false

    var parameters: Range<Int> { 0..<parameterCount }
    var seq: Range<Int> { parameterCount..<parameterCount + seqCount }
    var instances: Range<Int> { parameterCount + seqCount..<slots.count }
}

/// The byte order of the numbers of an object that do not say theirs.
enum ObjectOrder: Sendable {
    case none
    case little
    case big
    /// That of the object that it is in.
    case inherited
    /// Chosen by a value.
    case chosen(on: Expression, cases: [(Expression, isLittle: Bool)], otherwise: Bool?)
}

/// A parameter, a field of `seq`, or an instance.
struct DescribedSlot: Sendable {
    enum Content: Sendable {
        /// A parameter; of an enum, if a number is given for it.
        case parameter(enumeration: Int?)
        case field(DescribedField)
        /// Read at a place: in another stream, or at a position.
        case placed(DescribedField, io: Expression?, position: Expression?)
        case computed(Expression, enumeration: Int?)
    }

    var name: String
    /// As it stands in the names of fields; empty if the field has the name of its object.
    var fieldName: String
    /// As people read it: `-orig-id`, or the name.
    var label: String
    /// `-esdump-secret`; `nil` if it does not say.
    var isMarkedSecret: Bool?
    /// Its name is that of a password.
    var isNamedSecret = false
    /// `if` of a computed instance or of a field.
    var condition: Expression?
    var validation: Validation?
    var content: Content
    /// What its value is, as far as that is known before any is read.
    var valueType = StaticType.any

    /// Text and bytes in it are hidden.
    var isSecret: Bool { isMarkedSecret ?? isNamedSecret }
}

struct DescribedField: Sendable {
    enum Repetition: Sendable {
        case none
        case toEnd
        case count(Expression)
        case until(Expression)
    }

    var repetition = Repetition.none
    var form: FieldForm
    /// The field is of bits, so that it goes on in the byte that the field before it left.
    var isBits = false
    var dates: DateEncoding?
}

/// What the number of a date counts.
enum DateEncoding: String, Sendable {
    case ticks
    case milliseconds
}

/// Whether a number's least significant byte comes first.
enum ByteOrder: Sendable {
    case little
    case big
    /// As the object says.
    case ofObject
}

/// How a field stands in the bytes.
indirect enum FieldForm: Sendable {
    case integer(width: Int, isSigned: Bool, ByteOrder)
    case real(width: Int, ByteOrder)
    case bits(count: Int, isLittle: Bool)
    /// One bit, as a boolean.
    case flag(isLittle: Bool)
    case enumerated(FieldForm, Int)
    case bytes(ByteLimits)
    case text(ByteLimits, TextCoding)
    case contents([UInt8])
    case object(ObjectForm)
    /// `nil` of a case: bytes, if there are limits, or nothing.
    case choice(on: Expression, cases: [(Expression, FieldForm)], otherwise: FieldForm?)
}

struct ObjectForm: Sendable {
    enum Parent: Sendable {
        /// The object that it is in.
        case holder
        case none
        case given(Expression)
    }

    var type: Int
    var arguments: [Expression] = []
    var parent = Parent.holder
    /// If it has a stream of its own.
    var limits: ByteLimits?
}

/// Where bytes end, and what is done with them before they are used.
struct ByteLimits: Sendable {
    enum Extent: Sendable {
        case size(Expression)
        case toEnd
        case terminated
    }

    enum Process: Sendable {
        case xor(Expression)
        case rotateLeft(Expression)
        case rotateRight(Expression)
        case zlib
    }

    var extent: Extent
    /// Empty if there is none.
    var terminator: [UInt8] = []
    var includesTerminator = false
    var consumesTerminator = true
    /// It is an error if the terminator is missing.
    var needsTerminator = true
    var padding: UInt8?
    var process: Process?
}

/// What must hold for a value.
enum Validation: Sendable {
    case equal(Expression)
    case range(least: Expression?, most: Expression?)
    case anyOf([Expression])
    case inEnum
    case holds(Expression)
}

extension DescribedSlot.Content {
    /// The types of the objects that are read for it.
    var objectTypes: [Int] {
        switch self {
        case .parameter, .computed: []
        case .field(let field), .placed(let field, _, _): field.form.objectTypes
        }
    }
}

extension FieldForm {
    var objectTypes: [Int] {
        switch self {
        case .object(let object): [object.type]
        case .choice(_, let cases, let otherwise):
            cases.flatMap(\.1.objectTypes) + (otherwise?.objectTypes ?? [])
        default: []
        }
    }
}
