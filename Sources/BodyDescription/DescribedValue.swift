/// What a description found in bytes.
package indirect enum DescribedValue: Equatable, Sendable {
    /// A field whose condition did not hold, or that could not be read.
    case null
    case integer(Int64)
    /// Greater than an Int64 can be.
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    case bytes([UInt8])
    /// A secret, of so many bytes.
    case hidden(count: Int)
    /// `nil` if the number has no name.
    case enumeration(name: String?, DescribedNumber)
    case array([DescribedValue])
    /// Parameters, fields and instances by their names, in the order of the description.
    case object([DescribedMember])
}

/// A whole number: an Int64, or what is greater.
package struct DescribedNumber: Equatable, Sendable, CustomStringConvertible {
    let number: WideInteger

    package var description: String { number.description }
}

package struct DescribedMember: Equatable, Sendable {
    package var name: String
    package var value: DescribedValue
}

/// Why bytes do not fit a description.
package struct DescribedError: Equatable, Sendable, CustomStringConvertible {
    /// The field, with those around it: `items[3].name`. Empty for the whole.
    package var path: String
    /// Where the field begins in the bytes that it is read from; `nil` if it is read from none.
    package var offset: Int?
    package var message: String

    init(_ error: DataError) {
        path = error.path ?? ""
        offset = error.offset
        message = error.message
    }

    package var description: String {
        let place = path.isEmpty ? "" : path
        return (place.isEmpty ? "" : place + (offset.map { " at offset \($0)" } ?? "") + ": ") + message
    }
}

/// The values of a whole description.
package struct DescribedTree: Equatable, Sendable {
    package var value: DescribedValue
    /// What ended the reading, and what instances could not be computed.
    package var errors: [DescribedError]
}
