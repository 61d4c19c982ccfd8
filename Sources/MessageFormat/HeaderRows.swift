import ESProtocol

/// The first rows of the header's fields as they stand in every message: blanks, and the names in their column.
struct HeaderRows {
    /// Of each field ``vectors`` times sixteen bytes.
    private let rows: ContiguousArray<SIMD16<UInt8>>
    /// Enough for the widest column of names that there is without a terminal.
    private static let vectors = 5
    /// Columns of offset and bytes in front of a name.
    private static let lead = BreakdownColumns.offset + 2 + HexRows.width(8) + 3
    /// The widest column of names for which there is room.
    static let widest = 16 * vectors - lead

    init() {
        var rows: ContiguousArray<SIMD16<UInt8>> = []
        for field in HeaderField.allCases {
            let label = Array(field.label.utf8.prefix(Self.widest))
            for part in 0..<Self.vectors {
                var text = SIMD16<UInt8>(repeating: 0x20)
                for place in 0..<16 where label.indices.contains(16 * part + place - Self.lead) {
                    text[place] = label[16 * part + place - Self.lead]
                }
                rows.append(text)
            }
        }
        self.rows = rows
    }

    /// Appends the row of a field up to its value.
    /// - Parameters:
    ///   - bytes: All of the field's; the first eight are shown.
    ///   - width: Columns of the names: at least those of the header's own and a blank, at most ``widest``.
    @inline(__always)
    func append(
        _ field: HeaderField,
        offset: Int,
        _ bytes: UnsafeRawBufferPointer,
        width: Int,
        _ plain: PlainRows,
        to out: inout OutputBuffer
    ) {
        let row = UnsafeMutableRawPointer(out.room(16 * Self.vectors))
        let first = Int(field.rawValue) * Self.vectors
        precondition(first + Self.vectors <= rows.count)
        rows.withUnsafeBufferPointer {
            for part in 0..<Self.vectors {
                row.storeBytes(of: $0[first + part], toByteOffset: 16 * part, as: SIMD16<UInt8>.self)
            }
        }
        row.storeBytes(of: OutputBuffer.offsetText(UInt32(truncatingIfNeeded: offset)).littleEndian, as: UInt64.self)
        plain.storeHex(bytes, at: row + BreakdownColumns.offset + 2)
        out.advance(Self.lead + width)
    }
}
