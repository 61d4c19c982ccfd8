/// A body whose fields follow one another, ready to be read in one pass: what most descriptions say, in a tenth of the time
/// that ``Interpreter`` takes, and with the same fields.
///
/// It has only what needs no objects: numbers in slots, objects inside each other, rooms, choices, one level of lists, and
/// expressions over whole numbers. What does not fit the plan, or bytes that do not fit it, is the interpreter's.
struct SequencePlan: Sendable {
    /// A value of a whole number, a boolean or an enum.
    indirect enum Number: Sendable {
        case constant(Int64)
        case slot(Int)
        /// `_index`
        case index
        case position
        case size
        case isAtEnd
        /// Whether the text in a slot is this one.
        case isText(Int, [UInt8])
        case unary(UnaryOperator, Number)
        case binary(BinaryOperator, Number, Number)
        case conditional(Number, Number, Number)
    }

    /// Text with the number of an element in it, or none. Those of the first elements are made before.
    struct IndexedText: Sendable {
        private let before: String
        private let after: String
        /// That of the first element, or of what is no element.
        private let first: String
        private let made: [String]
        let hasIndex: Bool

        init(_ before: String, hasIndex: Bool = false, _ after: String = "") {
            self.before = before
            self.after = after
            self.hasIndex = hasIndex
            made = hasIndex ? (0..<32).map { "\(before)[\($0)]\(after)" } : []
            first = made.first ?? before + after
        }

        @inline(__always)
        func text(_ index: Int) -> String {
            if !hasIndex { return first }
            return index < made.count ? made[index] : "\(before)[\(index)]\(after)"
        }

        func appending(_ more: String) -> IndexedText { IndexedText(before, hasIndex: hasIndex, after + more) }
    }

    /// How a field is shown.
    struct Look: Sendable {
        var name: IndexedText
        var label: IndexedText
        var isSecret: Bool
        /// Beside the depth of the whole.
        var depth: Int
    }

    enum Extent: Sendable {
        case size(Number)
        case toEnd
        case terminated
    }

    /// Where bytes end.
    struct Ends: Sendable {
        var extent: Extent
        var terminator: UInt8?
        var includesTerminator = false
        var padding: UInt8?
    }

    enum Kind: Sendable {
        /// What is left of a byte of bits is passed over.
        case align
        case integer(width: Int, isSigned: Bool, isLittle: Bool, names: Int?, DateEncoding?)
        case real(width: Int, isLittle: Bool)
        case bits(count: Int, isLittle: Bool, names: Int?)
        case flag(isLittle: Bool)
        case bytes(Ends)
        case text(Ends, isASCII: Bool)
        case contents([UInt8])
        /// An object.
        case block(Range<Int>)
        /// An object in a room of its own, which it fills.
        case room(Extent, Range<Int>)
        /// Elements: so many, to the end, or until one fulfils a condition. The steps of each, and the slots
        /// that each has for itself.
        case loop(Loop, Range<Int>, slots: Range<Int>)
        case choice(on: Number, cases: [(value: Int64, steps: Range<Int>)], otherwise: Range<Int>?)
    }

    enum Loop: Sendable {
        case count(Number)
        case toEnd
        case until(Number)
    }

    enum Check: Sendable {
        case equal(Number)
        case range(least: Number?, most: Number?)
        case anyOf([Number])
        case inEnum(Int)
        case holds(Number)
    }

    struct Step: Sendable {
        var kind: Kind
        /// Which of ``SequencePlan/looks``.
        var look = 0
        /// Where its value is kept.
        var slot = 0
        var condition: Number?
        var check: Check?
    }

    struct Computed: Sendable {
        var look: Int
        var value: Number
        var condition: Number?
        var check: Check?
        var isBoolean: Bool
        var names: Int?
    }

    var steps: [Step] = []
    var looks: [Look] = []
    var slotCount = 0
    /// The steps of the whole body.
    var root = 0..<0
    /// Instances, which stand behind the last field.
    var computed: [Computed] = []
    /// What numbers of enums mean; steps name them by their places here.
    var meanings: [Meanings] = []
}

extension SequencePlan {
    /// What the numbers of an enum mean.
    struct Meanings: Sendable {
        let names: DescribedEnum
        /// Of small numbers; empty where there is none.
        private let small: [String]
        private let others: [Int64: String]

        init(_ names: DescribedEnum) {
            self.names = names
            var small: [String] = []
            var others: [Int64: String] = [:]
            for number in names.labels.keys {
                guard let value = number.signed else { continue }
                let meaning = FieldBuilder.meaning(of: number, names)
                if value >= 0, value < 256 {
                    let missing = Int(value) + 1 - small.count
                    if missing > 0 { small += [String](repeating: "", count: missing) }
                    small[Int(value)] = meaning
                } else {
                    others[value] = meaning
                }
            }
            self.small = small
            self.others = others
        }

        func known(_ value: Int64) -> String? {
            guard value >= 0, value < 256 else { return others[value] }
            guard value < Int64(small.count), !small[Int(value)].isEmpty else { return nil }
            return small[Int(value)]
        }

        func meaning(_ value: Int64) -> String {
            known(value) ?? FieldBuilder.meaning(of: WideInteger(value), names)
        }
    }
}

/// A plan in one place, which is not copied when it is handed on.
final class SharedPlan: Sendable {
    let plan: SequencePlan

    init(_ plan: SequencePlan) { self.plan = plan }
}
