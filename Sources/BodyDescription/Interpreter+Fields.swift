// Reads the fields of objects, one by one or as often as they are repeated.

extension Interpreter {
    /// Reads a field or an instance with all its elements into its slot. What was read before an error stays there.
    func read(_ field: DescribedField, _ place: Place) throws(DataError) {
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

    func element(_ field: DescribedField, _ place: Place, _ slot: DescribedSlot) throws(DataError) -> Value {
        let value = try read(field.form, place)
        if let validation = slot.validation { try check(value, validation, place) }
        return value
    }

    func elements(_ field: DescribedField, _ place: Place, _ slot: DescribedSlot) throws(DataError) {
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
        // The elements so far can be asked for while the next one is read.
        objects[place.object].values[place.slot] = .array([])
        var done = 0
        var emptyCount = 0
        var place = place
        while done < count {
            if case .toEnd = field.repetition, streams[place.stream].isAtEnd { break }
            place.element = done
            let before = (streams[place.stream].index, streams[place.stream].bitCount)
            try step()
            let start = streams[place.stream].position
            let value: Value
            do throws(DataError) { value = try element(field, place, slot) } catch {
                var located = error
                if located.path == nil { located.path = path(of: place.object, place.slot) + "[\(done)]" }
                if located.offset == nil { located.offset = start }
                if let partial { append(partial, place) }
                partial = nil
                throw located
            }
            append(value, place)
            done += 1
            if before == (streams[place.stream].index, streams[place.stream].bitCount) {
                emptyCount += 1
                if emptyCount > limits.emptyElements {
                    throw DataError(.limit, "more than \(limits.emptyElements) elements take no byte")
                }
            }
            if case .until(let condition) = field.repetition,
                try isTrue(condition, Context(object: place.object, index: done - 1, element: value))
            {
                break
            }
        }
    }

    /// Adds an element to the array in a slot.
    func append(_ value: Value, _ place: Place) {
        guard case .array(var values) = objects[place.object].values[place.slot] else { return }
        // Only one owner, so that nothing is copied.
        objects[place.object].values[place.slot] = .unset
        values.append(value)
        objects[place.object].values[place.slot] = .array(values)
    }

    func context(_ place: Place) -> Context { Context(object: place.object, index: place.element) }

    func read(_ form: FieldForm, _ place: Place) throws(DataError) -> Value {
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

    func isLittle(_ order: ByteOrder, _ place: Place) throws(DataError) -> Bool {
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

    func object(_ form: ObjectForm, _ place: Place) throws(DataError) -> Value {
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

    func parameter(_ value: Value, _ slot: DescribedSlot) -> Value {
        guard case .parameter(let enumeration?) = slot.content, case .integer(let number) = value else { return value }
        return .enumeration(enumeration, number)
    }
}
