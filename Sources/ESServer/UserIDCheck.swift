/// Which user ids a server takes.
package enum UserIDCheck {
    /// What is wrong with a user id; `nil` if it may be used.
    /// - Parameters:
    ///   - bytes: as they stand in the header, without the kind of client before it.
    ///   - maximumLength: in bytes.
    package static func objection(_ bytes: [UInt8], maximumLength: Int) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return "a user id that is not UTF-8" }
        guard !bytes.isEmpty else { return "an empty user id" }
        guard bytes.count <= maximumLength else { return "a user id of \(bytes.count) bytes" }
        // `_0` is the server, `_g1` a group, `*` everybody; `#` ends the kind of client.
        if text.hasPrefix("_") { return "a user id that begins with _" }
        if text.contains("#") || text.contains("*") || text.contains(":") { return "a user id with #, * or : in it" }
        let isText = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
                .spaceSeparator:
                false
            default: true
            }
        }
        return isText ? nil : "a user id with blanks or control characters in it"
    }
}
