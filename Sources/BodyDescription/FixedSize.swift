/// Finds how many bits a type or a field always has: `sizeof<…>`, `_sizeof`.
struct FixedSize {
    let compiler: DescriptionCompiler
    private var visiting: Set<Int> = []

    init(_ compiler: DescriptionCompiler) { self.compiler = compiler }

    /// - Returns: `nil` if it depends on the data.
    mutating func bits(ofType index: Int) -> Int? {
        guard visiting.count < 64, visiting.insert(index).inserted else { return nil }
        defer { visiting.remove(index) }
        let type = compiler.types[index]
        var total = 0
        for slot in type.slots[type.parameterCount..<type.parameterCount + type.seqCount] {
            guard let size = bits(of: slot, in: index) else { return nil }
            if case .field(.bits) = slot.role {} else { total = (total + 7) & ~7 }
            let (sum, overflow) = total.addingReportingOverflow(size)
            guard !overflow, sum < 1 << 48 else { return nil }
            total = sum
        }
        return total
    }

    mutating func bits(of slot: SlotDeclaration, in type: Int) -> Int? {
        switch slot.role {
        case .computed: return nil
        case .parameter(let syntax): return bits(of: syntax, in: type)
        case .field(let syntax), .placed(let syntax):
            guard slot.keys["repeat"] == nil, slot.keys["if"] == nil else { return nil }
            if let contents = slot.keys["contents"] {
                return ContentsReader.bytes(contents).map { $0.count * 8 }
            }
            if let size = slot.keys["size"] {
                guard let count = size.integer?.int, count >= 0, count < 1 << 40 else { return nil }
                return count * 8
            }
            guard slot.keys["size-eos"] == nil, slot.keys["terminator"] == nil else { return nil }
            return bits(of: syntax, in: type)
        }
    }

    mutating func bits(of syntax: TypeSyntax, in type: Int) -> Int? {
        switch syntax {
        case .integer(let width, _, _): width * 8
        case .real(let width, _): width * 8
        case .bits(let count, _): count
        case .user(let reference, _, _): compiler.findType(reference, from: type).flatMap { bits(ofType: $0) }
        default: nil
        }
    }
}

/// `contents`: text, or a list of bytes and texts.
enum ContentsReader {
    /// - Returns: `nil` if it is something else.
    static func bytes(_ node: YAMLNode) -> [UInt8]? {
        switch node.content {
        case .scalar(let text, _):
            if let number = node.integer?.int { return UInt8(exactly: number).map { [$0] } }
            return Array(text.utf8)
        case .sequence(let items):
            var result: [UInt8] = []
            for item in items {
                if let number = item.integer {
                    guard let byte = number.int.flatMap({ UInt8(exactly: $0) }) else { return nil }
                    result.append(byte)
                } else if let text = item.text {
                    result.append(contentsOf: text.utf8)
                } else {
                    return nil
                }
            }
            return result
        case .mapping: return nil
        }
    }
}
