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
    private(set) var leaves: [Leaf] = []
    private(set) var regions: [Region] = []
    var decoder = TextDecoder()
    var depth = 0
    private var steps = 0
    private var valueCount = 0
    private var copiedBytes = 0
    /// What an interrupted read left: it is shown although it is not whole.
    private var partial: Value?

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

    private func makeObject(_ type: Int, stream: Int, at place: Place?, parent: Int?, root: Int?) -> Int {
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

    private func readFields(of object: Int) throws(DataError) {
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

    private func order(_ order: ObjectOrder, of object: Int) throws(DataError) -> Bool? {
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

    // MARK: - fields

    /// Reads a field or an instance with all its elements into its slot. What was read before an error stays there.
    private func read(_ field: DescribedField, _ place: Place) throws(DataError) {
        let slot = program.types[objects[place.object].type].slots[place.slot]
        let start = streams[place.stream].position
        do throws(DataError) {
            try step()
            if let condition = slot.condition {
                guard try isTrue(condition, Context(object: place.object)) else {
                    objects[place.object].values[place.slot] = .null
                    return
                }
            }
            if case .none = field.repetition {
                objects[place.object].values[place.slot] = try element(field, place, slot)
            } else {
                try elements(field, place, slot)
            }
        } catch {
            var located = error
            if located.path == nil { located.path = path(of: place.object, place.slot) }
            if located.offset == nil { located.offset = start }
            if case .computing = objects[place.object].values[place.slot] {
                objects[place.object].values[place.slot] = .unset
            }
            if let partial, case .none = field.repetition { objects[place.object].values[place.slot] = partial }
            partial = nil
            throw located
        }
    }

    private func element(_ field: DescribedField, _ place: Place, _ slot: DescribedSlot) throws(DataError) -> Value {
        let value = try read(field.form, place)
        if let validation = slot.validation { try check(value, validation, place) }
        return value
    }

    private func elements(_ field: DescribedField, _ place: Place, _ slot: DescribedSlot) throws(DataError) {
        var count = Int.max
        switch field.repetition {
        case .count(let expression):
            let value = try evaluate(expression, Context(object: place.object))
            guard case .integer(let number) = value else {
                throw DataError(.expression, "the number of elements is \(value.kind)")
            }
            count = number.isNegative ? 0 : number.int ?? .max
        default: break
        }
        var values: [Value] = []
        var emptyCount = 0
        var place = place
        do throws(DataError) {
            while values.count < count {
                if case .toEnd = field.repetition, streams[place.stream].isAtEnd { break }
                place.element = values.count
                let before = (streams[place.stream].index, streams[place.stream].bitCount)
                try step()
                let start = streams[place.stream].position
                let value: Value
                do throws(DataError) { value = try element(field, place, slot) } catch {
                    var located = error
                    if located.path == nil { located.path = path(of: place.object, place.slot) + "[\(values.count)]" }
                    if located.offset == nil { located.offset = start }
                    throw located
                }
                values.append(value)
                if before == (streams[place.stream].index, streams[place.stream].bitCount) {
                    emptyCount += 1
                    if emptyCount > limits.emptyElements {
                        throw DataError(.limit, "more than \(limits.emptyElements) elements take no byte")
                    }
                }
                if case .until(let condition) = field.repetition,
                    try isTrue(condition, Context(object: place.object, index: values.count - 1, element: value))
                {
                    break
                }
            }
        } catch {
            if let partial { values.append(partial) }
            partial = nil
            objects[place.object].values[place.slot] = .array(values)
            throw error
        }
        objects[place.object].values[place.slot] = .array(values)
    }

    private func context(_ place: Place) -> Context { Context(object: place.object, index: place.element) }

    private func read(_ form: FieldForm, _ place: Place) throws(DataError) -> Value {
        try countValue()
        let start = streams[place.stream].index
        switch form {
        case .integer(let width, let isSigned, let order):
            let isLittle = width == 1 ? true : try isLittle(order, place)
            let raw = try noting(place, start) { () throws(DataError) in
                try streams[place.stream].integer(width, isLittle: isLittle)
            }
            let value: Value
            if isSigned {
                let shift = UInt64(64 - 8 * width)
                value = .integer(WideInteger(Int64(bitPattern: raw << shift) >> Int64(shift)))
            } else {
                value = .integer(WideInteger(raw))
            }
            note(place, start..<start + width, value, isSigned: isSigned)
            return value
        case .real(let width, let order):
            let isLittle = try isLittle(order, place)
            let raw = try noting(place, start) { () throws(DataError) in
                try streams[place.stream].integer(width, isLittle: isLittle)
            }
            let value = Value.real(
                width == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw))) : Double(bitPattern: raw)
            )
            note(place, start..<start + width, value)
            return value
        case .bits(let count, let isLittle):
            let (raw, range) = try streams[place.stream].takeBits(count, isLittle: isLittle)
            let value = Value.integer(WideInteger(raw))
            note(place, range, value, kind: .bits)
            return value
        case .flag(let isLittle):
            let (raw, range) = try streams[place.stream].takeBits(1, isLittle: isLittle)
            let value = Value.boolean(raw == 1)
            note(place, range, value, kind: .bits)
            return value
        case .enumerated(let inner, let enumeration):
            valueCount -= 1
            let value = try read(inner, place)
            guard case .integer(let number) = value else { return value }
            let named = Value.enumeration(enumeration, number)
            replaceNoted(named)
            return named
        case .contents(let wanted):
            let range = try noting(place, start) { () throws(DataError) in try streams[place.stream].take(wanted.count)
            }
            let value = Value.bytes(streams[place.stream].bytes[range])
            note(place, range, value)
            guard streams[place.stream].bytes[range].elementsEqual(wanted) else {
                throw DataError(
                    .validation,
                    "is \(hex(streams[place.stream].bytes[range])), and must be \(hex(wanted[...]))"
                )
            }
            return value
        case .bytes(let limits):
            let taken = try take(limits, place)
            let value = Value.bytes(taken.content)
            try noteContent(taken, limits, place, value)
            return value
        case .text(let limits, let coding):
            let taken = try take(limits, place)
            try countCopied(taken.content.count)
            let value = Value.text(decoder.text(taken.content, coding))
            try noteContent(taken, limits, place, value, isUTF8: coding.isUTF8)
            return value
        case .object(let object): return try self.object(object, place)
        case .choice(let on, let cases, let otherwise):
            valueCount -= 1
            let value = try evaluate(on, context(place))
            for item in cases where try isEqual(value, try evaluate(item.0, context(place))) {
                return try read(item.1, place)
            }
            guard let otherwise else { return .null }
            return try read(otherwise, place)
        }
    }

    private func isLittle(_ order: ByteOrder, _ place: Place) throws(DataError) -> Bool {
        switch order {
        case .little: return true
        case .big: return false
        case .ofObject:
            guard let isLittle = objects[place.object].isLittle else {
                throw DataError(.expression, "the byte order is not decided: no case of `endian` fits")
            }
            return isLittle
        }
    }

    private func object(_ form: ObjectForm, _ place: Place) throws(DataError) -> Value {
        try enter()
        defer { depth -= 1 }
        var arguments: [Value] = []
        for argument in form.arguments { arguments.append(try evaluate(argument, context(place))) }
        var parent: Int? = place.object
        var root: Int? = objects[place.object].root
        switch form.parent {
        case .holder: break
        case .none: parent = nil
        case .given(let expression):
            let value = try evaluate(expression, context(place))
            guard case .object(let index) = value else { throw DataError(.expression, "`parent` is \(value.kind)") }
            parent = index
        }
        if program.types[form.type].file != program.types[objects[place.object].type].file {
            // The description of a whole format stands for itself.
            parent = nil
            root = nil
        }
        var stream = place.stream
        if let limits = form.limits {
            let taken = try take(limits, place)
            stream = streams.count
            if limits.process == nil {
                streams.append(ByteStream(part: taken.range, of: streams[place.stream]))
                noteEnds(taken, place)
            } else {
                try noteContent(taken, limits, place, .bytes(taken.content), kind: .processed)
                streams.append(ByteStream(made: taken.content, anchor: bodyOffset(taken.raw.upperBound, place.stream)))
            }
            guard streams.count <= self.limits.values else { throw DataError(.limit, "too many streams") }
        }
        let index = makeObject(form.type, stream: stream, at: place, parent: parent, root: root)
        if form.limits != nil, form.limits?.process == nil {
            noteRegion(streams[stream].start..<streams[stream].available, stream, index)
        }
        for (slot, argument) in zip(program.types[form.type].parameters, arguments) {
            objects[index].values[slot] = parameter(argument, program.types[form.type].slots[slot])
        }
        do throws(DataError) { try readFields(of: index) } catch {
            partial = .object(index)
            throw error
        }
        return .object(index)
    }

    private func parameter(_ value: Value, _ slot: DescribedSlot) -> Value {
        guard case .parameter(let enumeration?) = slot.content, case .integer(let number) = value else { return value }
        return .enumeration(enumeration, number)
    }

    // MARK: - bytes

    struct Taken {
        /// All bytes that were used up, by their indices.
        var raw: Range<Int>
        /// What is meant of them, before a process.
        var range: Range<Int>
        /// Those that a terminator takes, behind the range or as its end.
        var terminator: Range<Int>
        var content: ArraySlice<UInt8>
    }

    private func take(_ limits: ByteLimits, _ place: Place) throws(DataError) -> Taken {
        streams[place.stream].align()
        let start = streams[place.stream].index
        var taken: Taken
        switch limits.extent {
        case .size(let expression):
            let value = try evaluate(expression, context(place))
            guard case .integer(let number) = value else { throw DataError(.expression, "the size is \(value.kind)") }
            guard !number.isNegative else { throw DataError(.expression, "the size is \(number)") }
            guard let size = number.int else { throw ByteStream.missing(.max, left: streams[place.stream].left) }
            let raw = try noting(place, start) { () throws(DataError) in try streams[place.stream].take(size) }
            taken = try trimmed(raw, limits, place)
        case .toEnd:
            let left = streams[place.stream].left
            let raw = try noting(place, start) { () throws(DataError) in try streams[place.stream].take(left) }
            taken = try trimmed(raw, limits, place)
        case .terminated: taken = try terminated(limits, place)
        }
        if let process = limits.process {
            try countCopied(taken.content.count)
            do throws(DataError) { taken.content = try self.process(taken.content, process, place) } catch {
                note(place, taken.raw, .bytes(taken.content), kind: .processed)
                throw error
            }
        }
        return taken
    }

    /// Takes the padding away, and what begins with the terminator.
    private func trimmed(_ raw: Range<Int>, _ limits: ByteLimits, _ place: Place) throws(DataError) -> Taken {
        let bytes = streams[place.stream].bytes
        var range = raw
        if let padding = limits.padding, limits.terminator != [padding] {
            try countCopied(raw.count / 16)
            while range.upperBound > range.lowerBound, bytes[range.upperBound - 1] == padding {
                range = range.lowerBound..<range.upperBound - 1
            }
        }
        var terminator = range.upperBound..<range.upperBound
        if !limits.terminator.isEmpty, let found = try find(limits.terminator, range, bytes) {
            terminator = found..<found + limits.terminator.count
            range = range.lowerBound..<(limits.includesTerminator ? terminator.upperBound : found)
        }
        return Taken(raw: raw, range: range, terminator: terminator, content: bytes[range])
    }

    private func terminated(_ limits: ByteLimits, _ place: Place) throws(DataError) -> Taken {
        let stream = streams[place.stream]
        let start = stream.index
        if let found = try find(limits.terminator, start..<max(stream.available, start), stream.bytes) {
            let behind = found + limits.terminator.count
            let range = start..<(limits.includesTerminator ? behind : found)
            let used = limits.consumesTerminator ? behind : found
            _ = try streams[place.stream].take(used - start)
            // A terminator that is not consumed is the next field's, even if it is part of this value.
            return Taken(raw: start..<used, range: range, terminator: found..<used, content: stream.bytes[range])
        }
        let left = stream.left
        guard stream.available >= stream.end, !limits.needsTerminator else {
            let isCut = stream.available < stream.end
            note(
                place,
                start..<max(stream.available, start),
                .bytes(stream.bytes[start..<max(stream.available, start)])
            )
            throw isCut
                ? DataError(.cut, "ends with \(hex(limits.terminator[...])), and the message is cut before that")
                : DataError(
                    .endOfStream,
                    "ends with \(hex(limits.terminator[...])), which is not in the \(left) byte\(left == 1 ? "" : "s") that are left"
                )
        }
        let raw = try streams[place.stream].take(left)
        return Taken(raw: raw, range: raw, terminator: raw.upperBound..<raw.upperBound, content: stream.bytes[raw])
    }

    /// The first place of a terminator, which stands at a multiple of its own length.
    private func find(_ terminator: [UInt8], _ range: Range<Int>, _ bytes: [UInt8]) throws(DataError) -> Int? {
        var index = range.lowerBound
        let first = terminator[0]
        while index <= range.upperBound - terminator.count {
            if bytes[index] == first, bytes[index..<index + terminator.count].elementsEqual(terminator) { break }
            index += terminator.count
        }
        try countCopied((index - range.lowerBound) / 4)
        return index <= range.upperBound - terminator.count ? index : nil
    }

    private func process(_ content: ArraySlice<UInt8>, _ process: ByteLimits.Process, _ place: Place) throws(DataError)
        -> ArraySlice<UInt8>
    {
        switch process {
        case .zlib:
            do throws(Inflate.Failure) {
                let result = try Inflate.bytes(content, limit: limits.inflatedBytes)[...]
                try charge(result.count)
                return result
            } catch {
                switch error {
                case .damaged(let reason): throw DataError(.expression, "zlib: \(reason)")
                case .tooLong:
                    throw DataError(
                        .limit,
                        "zlib makes more than \(limits.inflatedBytes) bytes of it, or too many in all"
                    )
                }
            }
        case .xor(let expression):
            let key: ArraySlice<UInt8>
            switch try evaluate(expression, context(place)) {
            case .integer(let number): key = [UInt8(truncatingIfNeeded: number.bits)]
            case .bytes(let bytes): key = bytes
            case .array(let items):
                var bytes: [UInt8] = []
                for item in items {
                    if case .integer(let number) = item { bytes.append(UInt8(truncatingIfNeeded: number.bits)) }
                }
                key = bytes[...]
            case let other: throw DataError(.expression, "the key of xor is \(other.kind)")
            }
            guard !key.isEmpty else { return content }
            var result = Array(content)
            var index = key.startIndex
            for position in result.indices {
                result[position] ^= key[index]
                index = index + 1 < key.endIndex ? index + 1 : key.startIndex
            }
            return result[...]
        case .rotateLeft(let expression), .rotateRight(let expression):
            let value = try evaluate(expression, context(place))
            guard case .integer(let number) = value, let count = number.modulo(WideInteger(8))?.int else {
                throw DataError(.expression, "how far to rotate is \(value.kind)")
            }
            var left = UInt8(count)
            if case .rotateRight = process { left = (8 - left) & 7 }
            return content.map { left == 0 ? $0 : $0 << left | $0 >> (8 - left) }[...]
        }
    }

    private func charge(_ count: Int) throws(Inflate.Failure) {
        copiedBytes += count
        if copiedBytes > limits.copiedBytes { throw .tooLong }
    }

    // MARK: - validation

    private func check(_ value: Value, _ validation: Validation, _ place: Place) throws(DataError) {
        let context = Context(object: place.object, index: place.element, element: value)
        switch validation {
        case .equal(let expression):
            let wanted = try evaluate(expression, context)
            guard try isEqual(value, wanted) else {
                throw DataError(.validation, "is \(shown(value, place)), and must be \(shown(wanted))")
            }
        case .range(let least, let most):
            if let least {
                let wanted = try evaluate(least, context)
                guard try compare(value, wanted) ?? -1 >= 0 else {
                    throw DataError(.validation, "is \(shown(value, place)), and must be at least \(shown(wanted))")
                }
            }
            if let most {
                let wanted = try evaluate(most, context)
                guard try compare(value, wanted) ?? 1 <= 0 else {
                    throw DataError(.validation, "is \(shown(value, place)), and must be at most \(shown(wanted))")
                }
            }
        case .anyOf(let expressions):
            for expression in expressions where try isEqual(value, try evaluate(expression, context)) { return }
            throw DataError(.validation, "is \(shown(value, place)), which is not one of those that are allowed")
        case .inEnum:
            guard case .enumeration(let index, let number) = value, program.enums[index].labels[number] != nil else {
                throw DataError(.validation, "is \(shown(value, place)), which the enum has no name for")
            }
        case .holds(let expression):
            guard try isTrue(expression, context) else {
                throw DataError(.validation, "is \(shown(value, place)), and does not fulfil what `valid` says")
            }
        }
    }

    // MARK: - instances

    /// The value of an instance, computed when it is asked for the first time.
    func instance(_ slot: Int, of object: Int) throws(DataError) -> Value {
        let described = program.types[objects[object].type].slots[slot]
        objects[object].values[slot] = .computing
        try enter()
        defer { depth -= 1 }
        switch described.content {
        case .computed(let expression, let enumeration):
            do throws(DataError) {
                try step()
                try countValue()
                var value = Value.null
                if try described.condition.map({ (condition) throws(DataError) in
                    try isTrue(condition, Context(object: object))
                }) ?? true {
                    value = try evaluate(expression, Context(object: object))
                    if let enumeration, case .integer(let number) = value { value = .enumeration(enumeration, number) }
                    if let validation = described.validation {
                        try check(value, validation, Place(object: object, slot: slot, stream: objects[object].stream))
                    }
                }
                objects[object].values[slot] = value
            } catch {
                objects[object].values[slot] = .unset
                var located = error
                if located.path == nil { located.path = path(of: object, slot) }
                throw located
            }
        case .placed(let field, let io, let position): try placed(field, io, position, slot, of: object)
        case .parameter, .field: break
        }
        return objects[object].values[slot]
    }

    private func placed(
        _ field: DescribedField,
        _ io: Expression?,
        _ position: Expression?,
        _ slot: Int,
        of object: Int
    ) throws(DataError) {
        var stream = objects[object].stream
        do throws(DataError) {
            // The condition comes first: the position may make sense only if it holds.
            if let condition = program.types[objects[object].type].slots[slot].condition,
                try !isTrue(condition, Context(object: object))
            {
                objects[object].values[slot] = .null
                return
            }
            if let io {
                let value = try evaluate(io, Context(object: object))
                guard case .stream(let index) = value else { throw DataError(.expression, "`io` is \(value.kind)") }
                stream = index
            }
            let saved = streams[stream]
            if let position {
                let value = try evaluate(position, Context(object: object))
                guard case .integer(let number) = value else { throw DataError(.expression, "`pos` is \(value.kind)") }
                try streams[stream].seek(number.int ?? (number.isNegative ? -1 : .max))
            }
            defer { if position != nil { streams[stream] = saved } }
            try read(field, Place(object: object, slot: slot, stream: stream))
        } catch {
            if case .computing = objects[object].values[slot] { objects[object].values[slot] = .unset }
            var located = error
            if located.path == nil { located.path = path(of: object, slot) }
            throw located
        }
    }

    // MARK: - what was read from where

    private func bodyOffset(_ index: Int, _ stream: Int) -> Int {
        streams[stream].bodyOffset.map { $0 + index } ?? streams[stream].anchor
    }

    private func bodyRange(_ range: Range<Int>, _ stream: Int) -> Range<Int> {
        bodyOffset(range.lowerBound, stream)..<bodyOffset(range.upperBound, stream)
    }

    private func note(
        _ place: Place,
        _ range: Range<Int>,
        _ value: Value,
        kind: Leaf.Kind = .value,
        isUTF8: Bool = true,
        isSigned: Bool = false
    ) {
        guard notesLeaves else { return }
        leaves.append(
            Leaf(
                object: place.object,
                slot: place.slot,
                element: place.element,
                kind: kind,
                range: bodyRange(range, place.stream),
                isMade: streams[place.stream].bodyOffset == nil,
                value: value,
                isUTF8: isUTF8,
                isSigned: isSigned
            )
        )
    }

    private func replaceNoted(_ value: Value) {
        if notesLeaves, !leaves.isEmpty { leaves[leaves.count - 1].value = value }
    }

    private func noteContent(
        _ taken: Taken,
        _ limits: ByteLimits,
        _ place: Place,
        _ value: Value,
        kind: Leaf.Kind = .value,
        isUTF8: Bool = true
    ) throws(DataError) {
        guard notesLeaves else { return }
        if limits.process != nil {
            note(place, taken.raw, value, kind: .processed)
            return
        }
        note(place, taken.range.clamped(to: taken.raw), value, kind: kind, isUTF8: isUTF8)
        noteEnds(taken, place)
    }

    private func noteEnds(_ taken: Taken, _ place: Place) {
        guard notesLeaves else { return }
        let used = taken.range.clamped(to: taken.raw).upperBound
        let terminator = max(taken.terminator.upperBound, used)
        let end = min(terminator, taken.raw.upperBound)
        if end > used {
            note(place, used..<end, .bytes(streams[place.stream].bytes[used..<end]), kind: .terminator)
        }
        if end < taken.raw.upperBound {
            let rest = end..<taken.raw.upperBound
            note(place, rest, .bytes(streams[place.stream].bytes[rest]), kind: .padding)
        }
    }

    private func noteRegion(_ range: Range<Int>, _ stream: Int, _ object: Int) {
        guard notesLeaves, streams[stream].bodyOffset != nil, range.lowerBound < range.upperBound else { return }
        regions.append(Region(range: bodyRange(range, stream), object: object))
    }

    /// Notes what is there of a value whose bytes are cut.
    private func noting<Result>(
        _ place: Place,
        _ start: Int,
        _ body: () throws(DataError) -> Result
    ) throws(DataError) -> Result {
        do throws(DataError) { return try body() } catch {
            if error.kind == .cut, notesLeaves {
                let stream = streams[place.stream]
                let end = max(stream.available, start)
                if end > start { note(place, start..<end, .bytes(stream.bytes[start..<end])) }
            }
            throw error
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
    private func shown(_ value: Value, _ place: Place) -> String {
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
