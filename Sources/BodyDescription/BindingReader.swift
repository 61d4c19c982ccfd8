/// Reads the notes `-esdump-…` of a type, which say whose body it describes.
struct BindingReader {
    let file: DeclaredFile
    let enums: [DescribedEnum]
    let types: [TypeDeclaration]

    func read(_ keys: [String: YAMLNode], type: Int) throws(DescriptionError) -> BodyBinding? {
        guard DeclarationReader.bindingKeys.contains(where: { keys[$0] != nil }) else { return nil }
        var binding = BodyBinding(type: type)
        guard keys["-esdump-message-type"] != nil || keys["-esdump-information-type"] != nil else {
            throw file.error(
                types[type].place,
                "`-esdump-message-type` or `-esdump-information-type` is missing, which say whose body this is"
            )
        }
        if let node = keys["-esdump-message-type"] {
            binding.messageTypes = []
            for item in items(node) {
                if item.text == "_" {
                    binding.messageTypes = nil
                    break
                }
                let number = try self.number(item, type: type)
                guard let value = number.int, let short = UInt16(exactly: value) else {
                    throw file.error(item, "\(number) is no message type: they are 0 to 65535")
                }
                binding.messageTypes?.append(short)
            }
        } else {
            binding.messageTypes = []
        }
        if let node = keys["-esdump-information-type"] {
            binding.informationTypes = []
            for item in items(node) {
                if item.text == "_" {
                    binding.isForAnyInformation = true
                    continue
                }
                let number = try self.number(item, type: type)
                guard let value = number.int, let short = Int32(exactly: value) else {
                    throw file.error(item, "\(number) is no type of information: they have 32 bits")
                }
                binding.informationTypes?.append(short)
            }
        }
        switch keys["-esdump-direction"]?.text {
        case nil, "both": break
        case "request": binding.isRequest = true
        case "reply": binding.isRequest = false
        default:
            throw file.error(
                keys["-esdump-direction"] ?? YAMLNode(content: .sequence([]), place: types[type].place),
                "`-esdump-direction` is request (to the server), reply (from it) or both"
            )
        }
        for item in keys["-esdump-profile"].map(items) ?? [] {
            guard let text = item.text, ["4.0", "4.7", "6.5", "7.2"].contains(text) else {
                throw file.error(item, "`-esdump-profile` is 4.0, 4.7, 6.5, 7.2, or a list of them")
            }
            binding.versions.append(text)
        }
        binding.title = keys["-esdump-title"]?.text
        return binding
    }

    private func items(_ node: YAMLNode) -> [YAMLNode] {
        if case .sequence(let items) = node.content { return items }
        return [node]
    }

    /// A number, or a label of an enum of this type or one around it: `message_type::chat_line`.
    private func number(_ node: YAMLNode, type: Int) throws(DescriptionError) -> WideInteger {
        if let number = node.integer { return number }
        let parts = (node.text ?? "").split(separator: ":", omittingEmptySubsequences: true).map(String.init)
        if parts.count == 2 {
            var scope: Int? = type
            while let index = scope {
                if let found = types[index].enums[parts[0]] {
                    if let number = enums[found].numbers[parts[1]] { return number }
                    throw file.error(node, "the enum \(parts[0]) has no \"\(parts[1])\"")
                }
                scope = types[index].outer
            }
        }
        throw file.error(
            node,
            "neither a number nor a label of an enum, as message_type::chat_line, nor _ for all others"
        )
    }
}
