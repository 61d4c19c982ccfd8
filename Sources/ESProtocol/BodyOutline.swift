/// One line of a body's form, as a reference shows it: the fields in the order of their bytes.
public struct BodyOutlineRow: Equatable, Sendable {
    /// Of the field, as in ``Field/name``; `[]` stands for the index of an element.
    public var name: String
    /// The framework's own name; empty for the contents behind a length.
    public var label: String
    /// `int32`, `string`, `LogonResult` …
    public var form: String
    /// Bytes, where the form alone tells.
    public var size: Int?
    public var meaning = ""
    public var isSecret = false
    /// How deep it is nested; 1 for what stands in the body itself.
    public var depth: Int
}

extension BodySchema {
    /// The fields of a whole body of this form.
    public var outline: [BodyOutlineRow] {
        var rows: [BodyOutlineRow] = []
        appendOutline("es.body", label: "", isSecret: false, depth: 1, isRoot: true, to: &rows)
        return rows
    }

    /// In a few words: `{IP string, Port int32}`, `list of string`.
    public var brief: String {
        switch self {
        case .boolean: "bool"
        case .byte: "byte"
        case .int16: "int16"
        case .uint16: "uint16"
        case .int32: "int32"
        case .uint32: "uint32"
        case .int64: "int64"
        case .uint64: "uint64"
        case .float: "float"
        case .double: "double"
        case .character: "char"
        case .enumeration(let enumeration): enumeration.name
        case .date: "date"
        case .string: "string"
        case .bytes, .content: "bytes"
        case .list(let element): "list of \(element.brief)"
        case .dictionary(let key, let value): "dictionary of \(key.brief) to \(value.brief)"
        case .object(let properties):
            "{" + properties.map { "\($0.name) \($0.schema.brief)" }.joined(separator: ", ") + "}"
        case .rest(let isText): isText ? "text" : "bytes"
        }
    }

    /// The enums that it uses, each once.
    public var enumerations: [BodyEnumeration] {
        var found: [BodyEnumeration] = []
        func visit(_ schema: BodySchema) {
            switch schema {
            case .enumeration(let enumeration): if !found.contains(enumeration) { found.append(enumeration) }
            case .list(let element): visit(element)
            case .dictionary(let key, let value):
                visit(key)
                visit(value)
            case .object(let properties): for property in properties { visit(property.schema) }
            case .content(let contents): for content in contents { visit(content.schema) }
            default: break
            }
        }
        visit(self)
        return found
    }

    private func appendOutline(
        _ name: String,
        label: String,
        isSecret: Bool,
        depth: Int,
        isRoot: Bool = false,
        to rows: inout [BodyOutlineRow]
    ) {
        func add(_ suffix: String, _ label: String, _ form: String, _ size: Int?, _ meaning: String) {
            let isSecret = isSecret && suffix.isEmpty
            rows.append(
                BodyOutlineRow(
                    name: name + suffix,
                    label: label,
                    form: form,
                    size: size,
                    meaning: meaning,
                    isSecret: isSecret,
                    depth: depth
                )
            )
        }
        switch self {
        case .date(let encoding):
            add(
                "",
                label,
                brief,
                8,
                encoding == .ticks ? "DateTime.ToBinary" : "milliseconds since 1970-01-01, local clock"
            )
        case .enumeration(let enumeration): add("", label, brief, 4, enumeration.summary)
        case .string, .bytes, .content:
            add(".length", label, "int32", 4, "bytes that follow, -1 = null")
            add("", "", brief, nil, self == .string ? "UTF-8" : "")
            guard case .content(let contents) = self else { return }
            rows[rows.count - 1].meaning = "unless it has one of these forms:"
            for content in contents {
                let cases = content.conditions.map { "\($0.property) is \($0.value)" }.joined(separator: " and ")
                if case .rest(let isText) = content.schema {
                    add("", "", isText ? "text" : "bytes", nil, "if \(cases)")
                } else {
                    let first = rows.count
                    content.schema.appendOutline(
                        name + ".content",
                        label: "Content",
                        isSecret: isSecret,
                        depth: depth + 1,
                        to: &rows
                    )
                    rows[first].meaning = "if \(cases): " + rows[first].meaning
                }
            }
        case .list(let element):
            add(".count", isRoot ? "Count" : label, "int32", 4, "elements that follow, -1 = null")
            element.appendOutline(name + "[]", label: "[]", isSecret: isSecret, depth: depth + 1, to: &rows)
        case .dictionary(let key, let value):
            add(".count", isRoot ? "Count" : label, "int32", 4, "pairs that follow, -1 = null")
            key.appendOutline(name + "[].key", label: "[].Key", isSecret: isSecret, depth: depth + 1, to: &rows)
            value.appendOutline(name + "[].value", label: "[].Value", isSecret: isSecret, depth: depth + 1, to: &rows)
        case .object(let properties):
            add(".length", isRoot ? "Length" : label, "int32", 4, "bytes of the object that follow, -1 = null")
            for property in properties {
                property.schema.appendOutline(
                    name + "." + property.fieldName,
                    label: property.name,
                    isSecret: isSecret || property.isSecret,
                    depth: isRoot ? depth : depth + 1,
                    to: &rows
                )
            }
        default: add("", label, brief, fixedSize, "")
        }
    }
}

extension BodyEnumeration {
    /// `0 Succeed, 1 Failed`
    public var summary: String {
        names.enumerated().filter { $1 != String($0) }.map { "\($0) \($1)" }.joined(separator: ", ")
    }
}
