/// A place in a description file, both from 1 on.
package struct DescriptionPlace: Hashable, Sendable {
    package var line: Int
    /// In characters.
    package var column: Int
}

/// Why a description file cannot be used: what is wrong or missing, and where it stands.
package struct DescriptionError: Error, Equatable, CustomStringConvertible {
    /// The file, as it was named.
    package var file: String
    /// `nil` if the whole file is meant.
    package var place: DescriptionPlace?
    package var message: String

    init(_ file: String, _ place: DescriptionPlace?, _ message: String) {
        self.file = file
        self.place = place
        self.message = message
    }

    /// `app.ksy:12:7: there is no type "chat_line"`
    package var description: String {
        guard let place else { return "\(file): \(message)" }
        return "\(file):\(place.line):\(place.column): \(message)"
    }
}
