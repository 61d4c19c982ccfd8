import ESProtocol

/// Follows a compiled description through bytes: one run, one set of bytes.
final class Interpreter {
    struct Object {
        var type: Int
        /// `_parent`
        var parent: Int?
        /// `_root`
        var root: Int
        /// Where it was read: the object, its slot, and its index in an array.
        var holder: Int?
        var holderSlot = 0
        var element: Int?
        var stream: Int
        var isLittle: Bool?
        var values: [Value]
        /// Where it began in its stream.
        var start: Int
        /// Something in or around it is marked as secret.
        var isSecret: Bool
        var depth: Int
        /// Where in the body it ends, or what was made from it.
        var end: Int?
    }

    /// A value and the bytes that it was read from.
    struct Leaf {
        enum Kind {
            case value
            /// What ends a text, or fills the room behind it.
            case terminator
            case padding
            /// A number of bits; its bytes may be shared with its neighbours.
            case bits
            /// Bytes that a process turns into something else.
            case processed
        }

        var object: Int
        var slot: Int
        var element: Int?
        var kind: Kind
        /// Offsets within the body.
        var range: Range<Int>
        /// The bytes are not the body's own; the range is empty, and stands behind the bytes that they come from.
        var isMade: Bool
        var value: Value
        /// The text is in UTF-8, so that its bytes say what it is.
        var isUTF8 = true
        var isSigned = false
    }

    /// A part of the body that belongs to an object, so that what nothing reads in it has a name.
    struct Region {
        var range: Range<Int>
        var object: Int
    }

    let program: DescriptionProgram
    let limits: DescriptionLimits
    /// Notes which bytes each value has.
    let notesLeaves: Bool

    var objects: [Object] = []
    var streams: [ByteStream] = []
    var leaves: [Leaf] = []
    var regions: [Region] = []
    var decoder = TextDecoder()
    var depth = 0
    private var steps = 0
    var valueCount = 0
    var copiedBytes = 0
    /// What an interrupted read left: it is shown although it is not whole.
    var partial: Value?

    init(_ program: DescriptionProgram, bytes: [UInt8], declared: Int, limits: DescriptionLimits, notesLeaves: Bool) {
        self.program = program
        self.limits = limits
        self.notesLeaves = notesLeaves
        streams.append(ByteStream(bytes, declared: declared))
    }

    /// Where a field is being read.
    struct Place {
        var object: Int
        var slot: Int
        var element: Int?
        var stream: Int
    }

    // MARK: - limits

    func step() throws(DataError) {
        steps += 1
        if steps > limits.steps { throw DataError(.limit, "more than \(limits.steps) steps are needed") }
    }

    func countValue() throws(DataError) {
        valueCount += 1
        if valueCount > limits.values { throw DataError(.limit, "more than \(limits.values) values") }
    }

    func countCopied(_ bytes: Int) throws(DataError) {
        copiedBytes += bytes
        if copiedBytes > limits.copiedBytes {
            throw DataError(.limit, "more than \(limits.copiedBytes) bytes are made of these")
        }
    }

    func enter() throws(DataError) {
        depth += 1
        if depth > limits.depth {
            depth -= 1
            throw DataError(.limit, "nested more than \(limits.depth) deep")
        }
    }

    // MARK: - objects

    /// Reads an object of the program's root type, or another, from the whole stream.
    /// - Returns: its index, and the error that ended it.
    func readRoot(_ type: Int, arguments: [Value] = []) -> (object: Int, error: DataError?) {
        let index = makeObject(type, stream: 0, at: nil, parent: nil, root: nil)
        for (slot, argument) in zip(program.types[type].parameters, arguments) {
            objects[index].values[slot] = parameter(argument, program.types[type].slots[slot])
        }
        do throws(DataError) {
            try readFields(of: index)
            return (index, nil)
        } catch {
            return (index, error)
        }
    }

    func makeObject(_ type: Int, stream: Int, at place: Place?, parent: Int?, root: Int?) -> Int {
        let index = objects.count
        objects.append(
            Object(
                type: type,
                parent: parent,
                root: root ?? index,
                holder: place?.object,
                holderSlot: place?.slot ?? 0,
                element: place?.element,
                stream: stream,
                values: [Value](repeating: .unset, count: program.types[type].slots.count),
                start: streams[stream].position,
                isSecret: place.map {
                    objects[$0.object].isSecret || program.types[objects[$0.object].type].slots[$0.slot].isSecret
                } ?? false,
                depth: place.map { objects[$0.object].depth + 1 } ?? 0
            )
        )
        return index
    }

    /// Whether a value is to be hidden. Of what only has a password's name or is somewhere in it, numbers are not: they are
    /// its length and the like.
    func isSecret(_ object: Int, _ slot: Int, _ value: Value) -> Bool {
        let slot = program.types[objects[object].type].slots[slot]
        if let isMarked = slot.isMarkedSecret { return isMarked }
        guard objects[object].isSecret || slot.isNamedSecret else { return false }
        return switch value {
        case .text, .bytes, .array: true
        default: false
        }
    }

    func readFields(of object: Int) throws(DataError) {
        let type = objects[object].type
        objects[object].isLittle = try order(program.types[type].order, of: object)
        var wasBits = false
        for slot in program.types[type].seq {
            guard case .field(let field) = program.types[type].slots[slot].content else { continue }
            if wasBits, !field.isBits { streams[objects[object].stream].align() }
            wasBits = field.isBits
            try read(field, Place(object: object, slot: slot, stream: objects[object].stream))
        }
        objects[object].end = bodyOffset(streams[objects[object].stream].index, objects[object].stream)
    }

    /// Where in the body an object ends; if it did not, where its bytes end.
    func end(of object: Int) -> Int {
        objects[object].end ?? bodyOffset(streams[objects[object].stream].available, objects[object].stream)
    }

    /// Computes the instances of all objects that nothing has asked for yet.
    /// - Returns: the first error.
    func computeInstances() -> DataError? {
        var first: DataError?
        var object = 0
        // Instances may make further objects.
        while object < objects.count {
            for slot in program.types[objects[object].type].instances {
                guard case .unset = objects[object].values[slot], objects[object].depth < limits.depth,
                    !repeatsItself(slot, of: object)
                else { continue }
                do throws(DataError) { _ = try instance(slot, of: object) } catch {
                    if first == nil { first = error }
                    if error.kind == .limit { return first }
                }
            }
            object += 1
        }
        return first
    }

    func order(_ order: ObjectOrder, of object: Int) throws(DataError) -> Bool? {
        switch order {
        case .none: return nil
        case .little: return true
        case .big: return false
        case .inherited: return objects[object].holder.flatMap { objects[$0].isLittle }
        case .chosen(let on, let cases, let otherwise):
            let value = try evaluate(on, Context(object: object))
            for item in cases where try isEqual(value, try evaluate(item.0, Context(object: object))) {
                return item.isLittle
            }
            return otherwise
        }
    }

    // MARK: - names

    /// `hdr.items[3].name`; without the file's own name.
    func path(of object: Int, _ slot: Int) -> String {
        let name = program.types[objects[object].type].slots[slot].name
        let outer = path(of: object)
        return outer.isEmpty ? name : outer + "." + name
    }

    func path(of object: Int) -> String {
        guard let holder = objects[object].holder else { return "" }
        let element = objects[object].element.map { "[\($0)]" } ?? ""
        return path(of: holder, objects[object].holderSlot) + element
    }

    func hex(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for byte in bytes.prefix(16) { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return bytes.isEmpty ? "nothing" : bytes.count > 16 ? text + "…" : text
    }

    /// The value of a field for messages; one that is a secret stays one.
    func shown(_ value: Value, _ place: Place) -> String {
        isSecret(place.object, place.slot, value) ? "something else (hidden)" : shown(value)
    }

    /// A value for messages; short.
    func shown(_ value: Value) -> String {
        switch value {
        case .integer(let number): number.description
        case .real(let number): "\(number)"
        case .boolean(let flag): flag ? "true" : "false"
        case .text(let text):
            text.unicodeScalars.count > 40 ? "\"\(String(text.unicodeScalars.prefix(40)))…\"" : "\"\(text)\""
        case .bytes(let bytes): hex(bytes)
        case .enumeration(let index, let number):
            program.enums[index].labels[number].map { "\(number) (\($0))" } ?? number.description
        default: value.kind
        }
    }
}
