// Checks values by `valid`.

extension Interpreter {
    func check(_ value: Value, _ validation: Validation, _ place: Place) throws(DataError) {
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
}
