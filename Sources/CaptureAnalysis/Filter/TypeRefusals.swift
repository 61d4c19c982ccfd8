import ESProtocol
import NetworkStack

/// For which messages their type alone tells that nobody wants them: for most, where few match. It is found out for each
/// type when its first message comes, and then costs a look into a table.
struct TypeRefusals {
    /// For each start token and each low type: messages of clients below this are refused, those of others are not decided.
    /// (What a client type tells of the version is looked at in each message.)
    /// Empty until the first of them is known.
    private var limits = DenseStore<UInt8>()

    private static var lowTypes: Int { 1024 }
    private static var tokens: Int { HeaderLayout.StartToken.allCases.count }

    /// Whether it is known that a message is not wanted.
    @inline(__always)
    func refuse(_ header: MessageHeader) -> Bool {
        let type = Int(header.messageType)
        let index = Self.index(header, type)
        return type < Self.lowTypes && index < limits.count && header.clientType ?? 0 < limits[index]
    }

    /// Notes that messages of this type are not wanted.
    /// - Parameter limit: of client types below this.
    mutating func note(_ header: MessageHeader, limit: UInt8) {
        let type = Int(header.messageType)
        guard type < Self.lowTypes else { return }
        if limits.count == 0 { limits = DenseStore(repeating: 0, count: Self.tokens * Self.lowTypes) }
        limits[Self.index(header, type)] = limit
    }

    /// Forgets everything: something else is asked for now.
    mutating func clear() {
        if limits.count > 0 { limits = DenseStore() }
    }

    @inline(__always)
    private static func index(_ header: MessageHeader, _ type: Int) -> Int {
        Int(header.layout.startToken.rawValue) &* lowTypes &+ type
    }
}

extension FilterProgram {
    /// Whether any message of this type, and with this start token, may match. The other numbers of the header are not
    /// looked at.
    func mayMatch(typeOf header: MessageHeader) -> Bool {
        var seen = [Bool](repeating: false, count: instructions.count)
        var open = [start]
        while let next = open.popLast() {
            if next == FilterInstruction.accept { return true }
            guard next >= 0, !seen[Int(next)] else { continue }
            seen[Int(next)] = true
            let instruction = instructions[Int(next)]
            switch holds(instruction.test, typeOf: header) {
            case true?: open.append(instruction.whenTrue)
            case false?: open.append(instruction.whenFalse)
            case nil: open += [instruction.whenTrue, instruction.whenFalse]
            }
        }
        return false
    }

    /// - Returns: `nil` if it depends on more than the type.
    private func holds(_ test: FilterTest, typeOf header: MessageHeader) -> Bool? {
        let token = header.layout.startToken
        switch test {
        case .constant(let value): return value
        case .number(.messageType, let range, let isIn):
            return contains(Int64(header.messageType), token, range) == isIn
        case .number(.startToken, let range, let isIn):
            return contains(Int64(token.value), token, range) == isIn
        case .number, .bytes, .endpoint, .values: return nil
        }
    }

    /// Whether one of the ranges has the number.
    private func contains(_ number: Int64, _ token: HeaderLayout.StartToken, _ range: Range<Int32>) -> Bool {
        let bit = UInt8(1) &<< token.rawValue
        return ranges[Int(range.lowerBound)..<Int(range.upperBound)].contains {
            number >= $0.low && number <= $0.high && $0.tokens & bit != 0
        }
    }
}
