/// What may differ between two captures, and which of their messages are compared.
package struct ComparisonOptions: Sendable {
    /// Names of fields that are not compared, as in filters. A name stands for everything below it too:
    /// `es.body.user_list` for each of its elements.
    package var ignoredFields: [String] = []
    /// Users of A who are others in B, without the prefix of a device.
    package var users: [(a: String, b: String)] = []
    /// Leaves heartbeats out.
    package var ignoresHeartbeats = false
    /// Nothing may differ that is not named in ``ignoredFields`` and ``users``: no renaming, no renumbering, no date.
    package var isExact = false
    /// Each side is one message: they are compared whatever they are, and their ids may differ.
    package var comparesTwoMessages = false
    /// Messages of A that have no counterpart in B, and the reverse, are no difference: for excerpts.
    package var allowsMoreInA = false
    package var allowsMoreInB = false

    /// Message ids may be any, but those of answers: for a server that counts anew.
    package var allowsOtherIDs = false

    /// One of the sides is an excerpt of what the other is: its messages may be from any conversation.
    package var isExcerpt: Bool { allowsMoreInA || allowsMoreInB }

    package init() {}
}
