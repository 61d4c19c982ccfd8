/// How many columns of a terminal text takes.
package enum DisplayWidth {
    /// Columns of one scalar: 2 for East Asian wide ones, 0 for marks that stand on the one before, otherwise 1.
    static func columns(of scalar: UInt32) -> Int {
        if scalar < 0x300 { return 1 }
        if scalar >= 0x1100 {
            if (0x2E80...0xA4CF).contains(scalar) && scalar != 0x303F {
                // Marks among the kana and the ideographs.
                return (0x302A...0x302F).contains(scalar) || scalar == 0x3099 || scalar == 0x309A ? 0 : 2
            }
            var (low, high) = (0, wide.count)
            while low < high {
                let middle = (low + high) / 2
                if scalar > wide[middle].upperBound {
                    low = middle + 1
                } else if scalar < wide[middle].lowerBound {
                    high = middle
                } else {
                    return 2
                }
            }
        }
        return scalar < 0x800 ? (TwoByteScalars.isMark(scalar) ? 0 : 1) : narrowColumns(of: scalar)
    }

    /// The same of one that is not wide, as the standard library knows it.
    static func narrowColumns(of scalar: UInt32) -> Int {
        guard let scalar = Unicode.Scalar(scalar) else { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return 1
        }
    }

    /// The same of a string.
    package static func columns(of text: String) -> Int {
        var text = text
        return text.withUTF8 { columns(of: UnsafeRawBufferPointer($0)) }
    }

    /// Columns of text that holds no control characters.
    static func columns(of text: UnsafeRawBufferPointer) -> Int {
        guard let start = text.assumingMemoryBound(to: UInt8.self).baseAddress else { return 0 }
        var total = 0
        var index = 0
        while index < text.count {
            let next = UTF8Reader.read(start + index, count: text.count - index)
            total += columns(of: next.scalar)
            index += next.length
        }
        return total
    }

    /// Wide scalars outside of U+2E80…U+A4CF (East Asian Width W and F), in order.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2630...0x2637, 0x2648...0x2653, 0x267F...0x267F, 0x268A...0x268F,
        0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE,
        0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD,
        0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755,
        0x2757...0x2757, 0x2795...0x2797, 0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50,
        0x2B55...0x2B55, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376,
        0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265,
        0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
        0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
        0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
        0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC,
        0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
        0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF,
        0x1FA70...0x1FAFF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
