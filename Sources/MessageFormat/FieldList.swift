import ESProtocol

extension MessageReport {
    /// All fields of a message, header and body, in the order of their bytes: what filters, columns, comparisons and fixtures
    /// look at. The names are those of JSON's `fields`.
    ///
    /// Bytes that nothing is known of are a field named `es.body`; where bytes are missing there is none. The contents of
    /// secrets are in it (``Field/isSecret``): who shows them has to hide them.
    /// - Parameter bytes: header and body, those that were there, in order.
    package func fields(in bytes: RawSpan, describer: BodyDescriber) -> [Field] {
        var describer = describer
        let body = MessageFields(self, bytes, describer: &describer)
        return (body.hasHeader ? header.fields(in: bytes, profile: profile, isRequest: isRequest) : [])
            + Self.fields(of: body)
    }

    /// Those of the body alone.
    package func bodyFields(in bytes: RawSpan, describer: BodyDescriber) -> [Field] {
        var describer = describer
        return Self.fields(of: MessageFields(self, bytes, describer: &describer))
    }

    private static func fields(of body: MessageFields) -> [Field] {
        var fields: [Field] = []
        let items = body.body
        fields.reserveCapacity(items.count)
        for item in items {
            switch item.content {
            case .field(let field): fields.append(field)
            case .plain:
                fields.append(
                    Field(name: "es.body", label: "", offset: item.offset, length: item.length, value: .bytes)
                )
            case .gap: break
            }
        }
        return fields
    }
}
