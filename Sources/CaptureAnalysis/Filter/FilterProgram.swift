import ESProtocol
import MessageFormat
import NetworkStack

/// A number that a message has without a look into its body.
enum FilterNumberSource: UInt8, Sendable {
    case startToken, clientType, messageType, messageID, bodyLength, userIDLength, destUserIDLength
    case time, packet, conversation, transport, direction, streamOffset, length, status, missing, gaps
    case sourcePort, destinationPort
}

/// Bytes that a message has without a look into its body's fields.
enum FilterByteSource: UInt8, Sendable {
    case userID, destUserID, typeName, headerBytes, bodyBytes
}

/// Whole numbers from `low` to `high`, in messages with certain start tokens.
struct FilterRange: Equatable, Sendable {
    var low: Int64
    var high: Int64
    /// A bit for each of ``HeaderLayout/StartToken``: numbers of types mean different things in different versions.
    var tokens: UInt8 = 0xFF
}

/// What is asked of bytes.
enum FilterByteCheck: Sendable {
    case equal
    /// None of them is equal.
    case notEqual
    case ordered(FilterComparison.Relation)
    case contains
    case matches
    case present
}

struct FilterByteTest: Sendable {
    var source: FilterByteSource
    var check: FilterByteCheck
    var constants: [FilterConstant]
}

/// A question about one message.
enum FilterTest: Sendable {
    case constant(Bool)
    /// The number is there, and (not) in one of the ranges.
    case number(FilterNumberSource, Range<Int32>, isIn: Bool)
    case bytes(Int32)
    /// An address and port is (not) one of some.
    case endpoint(isSource: Bool, Range<Int32>, isIn: Bool)
    /// Values that must be collected first.
    case values(Int32)
}

/// Tests in a row: each says where to go on.
struct FilterInstruction: Sendable {
    var test: FilterTest
    var whenTrue: Int32
    var whenFalse: Int32

    static let accept: Int32 = -1
    static let reject: Int32 = -2
}

/// A filter ready to be asked: nothing in it depends on how it was written.
struct FilterProgram: Sendable {
    var instructions: ContiguousArray<FilterInstruction> = []
    var start = FilterInstruction.accept
    var ranges: ContiguousArray<FilterRange> = []
    var byteTests: ContiguousArray<FilterByteTest> = []
    var addresses: ContiguousArray<FilterAddress> = []
    var valueTests: ContiguousArray<FilterValueTest> = []

    /// Whether bytes of bodies are looked at.
    var needsBodies: Bool {
        byteTests.contains { $0.source == .bodyBytes } || valueTests.contains { $0.needsBodies }
    }

    /// Whether it asks for numbers and endpoints only.
    var asksNumbersOnly: Bool { byteTests.isEmpty && valueTests.isEmpty }

    /// Whether all that it asks for is known with the header: not when, or how, a message ends.
    var asksHeadersOnly: Bool {
        asksNumbersOnly
            && instructions.allSatisfy {
                guard case .number(let source, _, _) = $0.test else { return true }
                return switch source {
                case .startToken, .clientType, .messageType, .messageID, .bodyLength, .userIDLength, .destUserIDLength,
                    .conversation, .transport, .direction, .streamOffset, .length, .sourcePort, .destinationPort:
                    true
                case .time, .packet, .status, .missing, .gaps: false
                }
            }
    }

    /// Whether it asks which conversation a message is of.
    var asksForConversation: Bool {
        instructions.contains {
            switch $0.test {
            case .endpoint: true
            case .number(let source, _, _):
                source == .conversation || source == .sourcePort || source == .destinationPort
            case .constant, .bytes, .values: false
            }
        }
    }
}

extension FilterProgram {
    /// The same for a program that asks for numbers only (``asksNumbersOnly``).
    func matches(_ numbers: FilterNumbers) -> Bool {
        var next = start
        while next >= 0 {
            let instruction = instructions[Int(next)]
            let holds =
                switch instruction.test {
                case .constant(let value): value
                case .number(let source, let range, let isIn): isNumber(source, of: numbers, range, isIn)
                case .endpoint(let isSource, let range, let isIn):
                    isEndpoint(isSource ? numbers.source : numbers.destination, range) == isIn
                case .bytes, .values: false
                }
            next = holds ? instruction.whenTrue : instruction.whenFalse
        }
        return next == FilterInstruction.accept
    }

    func matches(_ subject: FilterSubject, bytes: RawSpan, state: inout FilterState) -> Bool {
        var next = start
        var fields: [Field]?
        // Each instruction leads only to later ones of the order in which they are asked: it ends.
        while next >= 0 {
            let instruction = instructions[Int(next)]
            let holds =
                switch instruction.test {
                case .constant(let value): value
                case .number(let source, let range, let isIn): isNumber(source, of: subject.numbers, range, isIn)
                case .bytes(let index): matches(byteTests[Int(index)], subject, bytes, &state)
                case .endpoint(let isSource, let range, let isIn):
                    isEndpoint(isSource ? subject.source : subject.destination, range) == isIn
                case .values(let index): valueTests[Int(index)].matches(subject, bytes, &fields, &state)
                }
            next = holds ? instruction.whenTrue : instruction.whenFalse
        }
        return next == FilterInstruction.accept
    }

    @inline(__always)
    private func isNumber(
        _ source: FilterNumberSource,
        of numbers: FilterNumbers,
        _ range: Range<Int32>,
        _ isIn: Bool
    ) -> Bool {
        guard let number = numbers.number(source) else { return false }
        let token = UInt8(1) &<< numbers.header.layout.startToken.rawValue
        for index in range {
            let range = ranges[Int(index)]
            if number >= range.low, number <= range.high, range.tokens & token != 0 { return isIn }
        }
        return !isIn
    }

    private func isEndpoint(_ endpoint: Endpoint, _ range: Range<Int32>) -> Bool {
        for index in range where addresses[Int(index)].matches(endpoint) { return true }
        return false
    }

    private func matches(
        _ test: FilterByteTest,
        _ subject: FilterSubject,
        _ bytes: RawSpan,
        _ state: inout FilterState
    ) -> Bool {
        switch test.source {
        case .typeName:
            guard
                var name = subject.profile.messageTypeName(subject.header.messageType)
            else { return false }
            return name.withUTF8 { Self.check(test, UnsafeRawBufferPointer($0), isText: true, &state) }
        case .userID, .destUserID, .headerBytes, .bodyBytes:
            let range = subject.range(of: test.source, byteCount: bytes.byteCount)
            let isText = test.source == .userID || test.source == .destUserID
            return bytes.extracting(range).withUnsafeBytes { Self.check(test, $0, isText: isText, &state) }
        }
    }

    private static func check(
        _ test: FilterByteTest,
        _ bytes: UnsafeRawBufferPointer,
        isText: Bool,
        _ state: inout FilterState
    ) -> Bool {
        switch test.check {
        case .present: return test.source == .typeName || !bytes.isEmpty || isText
        case .equal: return isEqual(bytes, test.constants)
        case .notEqual: return !isEqual(bytes, test.constants)
        case .ordered(let relation):
            guard let other = test.constants[0].bytes else { return false }
            let isSmaller = bytes.lexicographicallyPrecedes(other)
            return relation.holds(isSmaller ? -1 : bytes.elementsEqual(other) ? 0 : 1)
        case .contains: return test.constants[0].search?.isIn(bytes) ?? false
        case .matches:
            let constant = test.constants[0]
            return state.note((isText ? constant.textPattern : constant.bytePattern)?.match(bytes))
        }
    }

    /// Whether the bytes are one of the constants, or between the two of a pair.
    private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ constants: [FilterConstant]) -> Bool {
        for constant in constants {
            guard let other = constant.bytes, other.count == bytes.count else { continue }
            if bytes.elementsEqual(other) { return true }
        }
        return false
    }
}

/// What is noticed while a filter is asked.
package struct FilterState: Sendable {
    /// Matches of a regular expression that took too many steps; they count as none.
    package private(set) var givenUp = 0

    package init() {}

    /// - Returns: whether there is a match.
    mutating func note(_ outcome: FilterPattern.Outcome?) -> Bool {
        if outcome == .givenUp { givenUp += 1 }
        return outcome == .found
    }
}
