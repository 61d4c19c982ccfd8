import CYaml

/// Reads a YAML document with libyaml into nodes.
///
/// Anchors, aliases, tags and several documents are not part of the language; they are refused, so that no small file
/// can grow into a big tree.
struct YAMLReader {
    /// Bytes of a file.
    static let maximumLength = 8 << 20
    private static let maximumDepth = 64

    private let file: String
    private var depth = 0

    private init(file: String) { self.file = file }

    static func read(_ bytes: [UInt8], file: String) throws(DescriptionError) -> YAMLNode {
        guard bytes.count <= maximumLength else {
            throw DescriptionError(
                file,
                nil,
                "\(bytes.count) bytes are too many for a description, at most \(maximumLength)"
            )
        }
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) != 0 else { throw DescriptionError(file, nil, "there is no memory left") }
        defer { yaml_parser_delete(&parser) }
        // The parser keeps the pointer, so everything happens while it is valid. Errors cannot be thrown typed from there.
        let result = bytes.withUnsafeBufferPointer { buffer -> Result<YAMLNode, DescriptionError> in
            var empty: UInt8 = 0
            return withUnsafePointer(to: &empty) { nowhere in
                yaml_parser_set_input_string(&parser, buffer.baseAddress ?? nowhere, buffer.count)
                var reader = YAMLReader(file: file)
                do throws(DescriptionError) { return .success(try reader.document(&parser)) } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    private mutating func document(_ parser: inout yaml_parser_t) throws(DescriptionError) -> YAMLNode {
        var node: YAMLNode?
        while true {
            var event = try next(&parser)
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_END_EVENT: continue
            case YAML_DOCUMENT_START_EVENT:
                guard node == nil else {
                    throw DescriptionError(
                        file,
                        place(event.start_mark),
                        "a second document begins here; a description is one"
                    )
                }
            case YAML_STREAM_END_EVENT:
                guard let node else {
                    throw DescriptionError(
                        file,
                        nil,
                        "the file is empty; a description has at least `meta` with an `id`"
                    )
                }
                return node
            default: node = try value(event, &parser)
            }
        }
    }

    private func next(_ parser: inout yaml_parser_t) throws(DescriptionError) -> yaml_event_t {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) != 0 else {
            let problem = parser.problem.map { String(cString: $0) } ?? "cannot be read"
            let mark = parser.problem_mark
            throw DescriptionError(file, place(mark), "not YAML: \(problem)")
        }
        return event
    }

    private func place(_ mark: yaml_mark_t) -> DescriptionPlace {
        DescriptionPlace(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    }

    private mutating func value(_ event: yaml_event_t, _ parser: inout yaml_parser_t) throws(DescriptionError)
        -> YAMLNode
    {
        let place = place(event.start_mark)
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw DescriptionError(file, place, "nested more than \(Self.maximumDepth) deep")
        }
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try refuse(anchor: scalar.anchor, tag: scalar.tag, at: place)
            let isQuoted =
                scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE || scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let isOneLine = event.start_mark.line == event.end_mark.line
            let width = Int(clamping: event.end_mark.column) - Int(clamping: event.start_mark.column)
            return YAMLNode(
                content: .scalar(
                    text,
                    isQuoted: isQuoted || scalar.style == YAML_LITERAL_SCALAR_STYLE
                        || scalar.style == YAML_FOLDED_SCALAR_STYLE
                ),
                place: place,
                isVerbatim: isOneLine && text.unicodeScalars.count + (isQuoted ? 2 : 0) == width
            )
        case YAML_SEQUENCE_START_EVENT:
            try refuse(anchor: event.data.sequence_start.anchor, tag: event.data.sequence_start.tag, at: place)
            return YAMLNode(content: .sequence(try sequence(&parser)), place: place)
        case YAML_MAPPING_START_EVENT:
            try refuse(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag, at: place)
            return YAMLNode(content: .mapping(try mapping(&parser)), place: place)
        case YAML_ALIAS_EVENT:
            throw DescriptionError(
                file,
                place,
                "an alias (*): descriptions have no aliases and anchors; repeat what it stands for"
            )
        default: throw DescriptionError(file, place, "not YAML: a value is missing")
        }
    }

    private func refuse(
        anchor: UnsafeMutablePointer<yaml_char_t>?,
        tag: UnsafeMutablePointer<yaml_char_t>?,
        at place: DescriptionPlace
    ) throws(DescriptionError) {
        if anchor != nil {
            throw DescriptionError(file, place, "an anchor (&): descriptions have no aliases and anchors")
        }
        if tag != nil { throw DescriptionError(file, place, "a tag (!): descriptions have no tags") }
    }

    private mutating func sequence(_ parser: inout yaml_parser_t) throws(DescriptionError) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        while true {
            var event = try next(&parser)
            defer { yaml_event_delete(&event) }
            if event.type == YAML_SEQUENCE_END_EVENT { return nodes }
            nodes.append(try value(event, &parser))
        }
    }

    private mutating func mapping(_ parser: inout yaml_parser_t) throws(DescriptionError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var places: [String: DescriptionPlace] = [:]
        while true {
            var event = try next(&parser)
            defer { yaml_event_delete(&event) }
            if event.type == YAML_MAPPING_END_EVENT { return entries }
            let key = try value(event, &parser)
            guard case .scalar(let text, let isQuoted) = key.content else {
                throw DescriptionError(file, key.place, "a key must be a single value, and this is \(key.kind)")
            }
            if let other = places.updateValue(key.place, forKey: text) {
                throw DescriptionError(
                    file,
                    key.place,
                    "the key \"\(text)\" stands here twice, first in line \(other.line)"
                )
            }
            var valueEvent = try next(&parser)
            defer { yaml_event_delete(&valueEvent) }
            entries.append(
                YAMLNode.Entry(
                    key: text,
                    keyPlace: key.place,
                    isQuoted: isQuoted,
                    value: try value(valueEvent, &parser)
                )
            )
        }
    }
}
