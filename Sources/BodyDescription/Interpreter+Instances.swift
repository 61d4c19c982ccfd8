// Computes instances when they are asked for.

extension Interpreter {
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

    func placed(
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
}
