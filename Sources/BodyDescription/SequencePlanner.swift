/// Makes a ``SequencePlan`` of a type, if it is one that a plan can follow.
struct SequencePlanner {
    /// The type needs the interpreter.
    struct Unsuitable: Error {}

    /// An object whose place among the fields is known.
    private final class Frame {
        let type: Int
        let holder: Frame?
        let holderSlot: Int
        /// It is an element of a list.
        let isElement: Bool
        let firstSlot: Int
        let name: SequencePlan.IndexedText
        let isSecret: Bool
        let depth: Int
        var isLittle: Bool?
        /// It has a room of its own: what `_io` says is not of the whole body.
        let isInRoom: Bool
        /// The objects that its fields are, by slot.
        var inner: [Int: Frame] = [:]

        init(
            type: Int,
            holder: Frame?,
            holderSlot: Int,
            isElement: Bool,
            firstSlot: Int,
            name: SequencePlan.IndexedText,
            isSecret: Bool,
            depth: Int,
            isInRoom: Bool
        ) {
            self.type = type
            self.holder = holder
            self.holderSlot = holderSlot
            self.isElement = isElement
            self.firstSlot = firstSlot
            self.name = name
            self.isSecret = isSecret
            self.depth = depth
            self.isInRoom = isInRoom
        }
    }

    /// Where an expression stands.
    private struct Scope {
        var frame: Frame
        var isInLoop = false
        /// What `_` is.
        var element: Element?
        /// The value is kept for later, so that where the stream stands must not count.
        var isInstance = false
        var instanceDepth = 0

        enum Element {
            case slot(Int)
            case object(Frame)
        }
    }

    private let program: DescriptionProgram
    private var plan = SequencePlan()
    private var path: [Int] = []
    private var meaningsOfEnum: [Int: Int] = [:]

    private static let maximumSteps = 1000

    /// - Parameter name: Of the whole, as `es.body`.
    /// - Returns: `nil` if the type needs the interpreter.
    static func plan(_ program: DescriptionProgram, type: Int, name: String) -> SequencePlan? {
        var planner = SequencePlanner(program)
        do throws(Unsuitable) {
            try planner.make(type, name)
            return planner.plan
        } catch {
            return nil
        }
    }

    private init(_ program: DescriptionProgram) { self.program = program }

    private mutating func make(_ type: Int, _ name: String) throws(Unsuitable) {
        let frame = frame(
            type,
            holder: nil,
            slot: 0,
            isElement: false,
            name: SequencePlan.IndexedText(name),
            isInRoom: false
        )
        plan.root = try block(frame, isInLoop: false)
        for index in program.types[type].instances {
            let slot = program.types[type].slots[index]
            guard case .computed(let expression, let names) = slot.content else { throw Unsuitable() }
            let isBoolean: Bool
            switch slot.valueType {
            case .integer, .enumeration: isBoolean = false
            case .boolean: isBoolean = true
            default: throw Unsuitable()
            }
            var enumeration = names
            if case .enumeration(let index) = slot.valueType { enumeration = index }
            let scope = Scope(frame: frame, isInstance: true)
            let look = look(frame, index, isContent: false, isElement: false)
            plan.computed.append(
                SequencePlan.Computed(
                    look: look,
                    value: try number(expression, scope),
                    condition: try slot.condition.map { (condition) throws(Unsuitable) in
                        try number(condition, scope)
                    },
                    check: try slot.validation.map { (validation) throws(Unsuitable) in
                        // `_` is the value itself, which has no slot.
                        if case .holds = validation { throw Unsuitable() }
                        return try check(validation, scope, enumeration)
                    },
                    isBoolean: isBoolean,
                    names: enumeration.map { meanings($0) }
                )
            )
        }
    }

    // MARK: - objects

    private mutating func frame(
        _ type: Int,
        holder: Frame?,
        slot: Int,
        isElement: Bool,
        name: SequencePlan.IndexedText,
        isInRoom: Bool
    ) -> Frame {
        let first = plan.slotCount
        plan.slotCount += program.types[type].slots.count
        return Frame(
            type: type,
            holder: holder,
            holderSlot: slot,
            isElement: isElement,
            firstSlot: first,
            name: name,
            isSecret: holder.map { $0.isSecret || program.types[$0.type].slots[slot].isSecret } ?? false,
            depth: holder.map { $0.depth + 1 } ?? 0,
            isInRoom: isInRoom || holder?.isInRoom ?? false
        )
    }

    /// Adds the steps of an object.
    private mutating func block(_ frame: Frame, isInLoop: Bool) throws(Unsuitable) -> Range<Int> {
        let type = program.types[frame.type]
        guard !path.contains(frame.type), path.count < 16 else { throw Unsuitable() }
        path.append(frame.type)
        defer { path.removeLast() }
        // Only the whole has instances: those of others stand between their fields.
        guard frame.holder == nil || type.instances.isEmpty else { throw Unsuitable() }
        switch type.order {
        case .none: frame.isLittle = nil
        case .little: frame.isLittle = true
        case .big: frame.isLittle = false
        case .inherited: frame.isLittle = frame.holder?.isLittle
        case .chosen: throw Unsuitable()
        }
        var steps: [SequencePlan.Step] = []
        var wasBits = false
        for index in type.seq {
            guard case .field(let field) = type.slots[index].content else { throw Unsuitable() }
            if wasBits, !field.isBits { steps.append(SequencePlan.Step(kind: .align)) }
            wasBits = field.isBits
            steps.append(try step(field, index, frame, isInLoop: isInLoop))
        }
        return try append(steps)
    }

    private mutating func append(_ steps: [SequencePlan.Step]) throws(Unsuitable) -> Range<Int> {
        let start = plan.steps.count
        guard start + steps.count <= Self.maximumSteps else { throw Unsuitable() }
        plan.steps += steps
        return start..<plan.steps.count
    }

    private mutating func step(
        _ field: DescribedField,
        _ index: Int,
        _ frame: Frame,
        isInLoop: Bool
    ) throws(Unsuitable) -> SequencePlan.Step {
        let slot = program.types[frame.type].slots[index]
        let condition = try slot.condition.map { (condition) throws(Unsuitable) in
            try number(condition, Scope(frame: frame, isInLoop: isInLoop))
        }
        var step: SequencePlan.Step
        if case .none = field.repetition {
            step = try self.step(field.form, field, index, frame, isElement: false, isInLoop: isInLoop)
            if let validation = slot.validation {
                step.check = try self.check(
                    validation,
                    Scope(frame: frame, isInLoop: isInLoop, element: .slot(step.slot)),
                    Self.names(field.form),
                    of: slot
                )
            }
        } else {
            guard !isInLoop else { throw Unsuitable() }
            let firstSlot = plan.slotCount
            var element = try self.step(field.form, field, index, frame, isElement: true, isInLoop: true)
            let value: Scope.Element
            if let inner = frame.inner[index] {
                value = .object(inner)
                frame.inner[index] = nil
            } else {
                value = .slot(element.slot)
            }
            let scope = Scope(frame: frame, isInLoop: true, element: value)
            if let validation = slot.validation {
                element.check = try self.check(validation, scope, Self.names(field.form), of: slot)
            }
            let body = try append([element])
            let loop: SequencePlan.Loop
            switch field.repetition {
            case .none, .toEnd: loop = .toEnd
            case .count(let expression): loop = .count(try number(expression, Scope(frame: frame)))
            case .until(let expression): loop = .until(try number(expression, scope))
            }
            step = SequencePlan.Step(kind: .loop(loop, body, slots: firstSlot..<plan.slotCount))
        }
        step.condition = condition
        return step
    }

    private static func names(_ form: FieldForm) -> Int? {
        if case .enumerated(_, let names) = form { names } else { nil }
    }

    private mutating func step(
        _ form: FieldForm,
        _ field: DescribedField,
        _ index: Int,
        _ frame: Frame,
        isElement: Bool,
        isInLoop: Bool
    ) throws(Unsuitable) -> SequencePlan.Step {
        let scope = Scope(frame: frame, isInLoop: isInLoop)
        let slot = isElement ? hiddenSlot() : frame.firstSlot + index
        func made(_ kind: SequencePlan.Kind, _ look: Int) -> SequencePlan.Step {
            SequencePlan.Step(kind: kind, look: look, slot: slot)
        }
        func isLittle(_ width: Int, _ order: ByteOrder) throws(Unsuitable) -> Bool {
            switch order {
            case .little: return true
            case .big: return false
            case .ofObject:
                if width == 1 { return true }
                guard let isLittle = frame.isLittle else { throw Unsuitable() }
                return isLittle
            }
        }
        switch form {
        case .integer(let width, let isSigned, let order):
            let look = look(frame, index, isContent: false, isElement: isElement)
            let isLittle = try isLittle(width, order)
            return made(.integer(width: width, isSigned: isSigned, isLittle: isLittle, names: nil, field.dates), look)
        case .real(let width, let order):
            let look = look(frame, index, isContent: false, isElement: isElement)
            return made(.real(width: width, isLittle: try isLittle(width, order)), look)
        case .bits(let count, let isLittle):
            let look = look(frame, index, isContent: false, isElement: isElement)
            return made(.bits(count: count, isLittle: isLittle, names: nil), look)
        case .flag(let isLittle):
            return made(.flag(isLittle: isLittle), look(frame, index, isContent: false, isElement: isElement))
        case .enumerated(let inner, let names):
            let names = meanings(names)
            let look = look(frame, index, isContent: false, isElement: isElement)
            switch inner {
            case .integer(let width, let isSigned, let order):
                let isLittle = try isLittle(width, order)
                return made(.integer(width: width, isSigned: isSigned, isLittle: isLittle, names: names, nil), look)
            case .bits(let count, let isLittle):
                return made(.bits(count: count, isLittle: isLittle, names: names), look)
            default: throw Unsuitable()
            }
        case .bytes(let limits):
            let ends = try ends(limits, scope)
            return made(.bytes(ends), look(frame, index, isContent: true, isElement: isElement))
        case .text(let limits, let coding):
            guard coding.isUTF8 else { throw Unsuitable() }
            let ends = try ends(limits, scope)
            let look = look(frame, index, isContent: true, isElement: isElement)
            return made(.text(ends, isASCII: coding.kind == .ascii), look)
        case .contents(let bytes):
            return made(.contents(bytes), look(frame, index, isContent: true, isElement: isElement))
        case .object(let object):
            guard object.arguments.isEmpty, program.types[object.type].parameterCount == 0,
                case .holder = object.parent,
                program.types[object.type].file == program.types[frame.type].file
            else { throw Unsuitable() }
            let inner = self.frame(
                object.type,
                holder: frame,
                slot: index,
                isElement: isElement,
                name: name(frame, index, isElement: isElement),
                isInRoom: object.limits != nil
            )
            guard let limits = object.limits else {
                let steps = try block(inner, isInLoop: isInLoop)
                frame.inner[index] = inner
                return made(.block(steps), 0)
            }
            let ends = try ends(limits, scope)
            guard ends.terminator == nil, ends.padding == nil else { throw Unsuitable() }
            let steps = try block(inner, isInLoop: isInLoop)
            frame.inner[index] = inner
            return made(.room(ends.extent, steps), 0)
        case .choice(let on, let cases, let otherwise):
            let on = try number(on, scope)
            var compiled: [(value: Int64, steps: Range<Int>)] = []
            func block(_ form: FieldForm) throws(Unsuitable) -> Range<Int> {
                var step = try self.step(form, field, index, frame, isElement: isElement, isInLoop: isInLoop)
                // Which of them it is only the bytes say.
                frame.inner[index] = nil
                step.slot = slot
                return try append([step])
            }
            for (key, form) in cases {
                guard case .constant(let value) = try number(key, scope) else { throw Unsuitable() }
                compiled.append((value, try block(form)))
            }
            let last = try otherwise.map { (form) throws(Unsuitable) in try block(form) }
            return made(.choice(on: on, cases: compiled, otherwise: last), 0)
        }
    }

    private mutating func hiddenSlot() -> Int {
        plan.slotCount += 1
        return plan.slotCount - 1
    }

    private func ends(_ limits: ByteLimits, _ scope: Scope) throws(Unsuitable) -> SequencePlan.Ends {
        guard limits.process == nil, limits.terminator.count <= 1 else { throw Unsuitable() }
        let extent: SequencePlan.Extent
        switch limits.extent {
        case .size(let expression): extent = .size(try number(expression, scope))
        case .toEnd: extent = .toEnd
        case .terminated:
            guard limits.consumesTerminator else { throw Unsuitable() }
            extent = .terminated
        }
        return SequencePlan.Ends(
            extent: extent,
            terminator: limits.terminator.first,
            includesTerminator: limits.includesTerminator,
            padding: limits.padding
        )
    }

    // MARK: - names

    private func name(_ frame: Frame, _ index: Int, isElement: Bool) -> SequencePlan.IndexedText {
        let own = program.types[frame.type].slots[index].fieldName
        let name = own.isEmpty ? frame.name : frame.name.appending("." + own)
        guard isElement else { return name }
        return SequencePlan.IndexedText(name.text(0), hasIndex: true)
    }

    /// As ``FieldBuilder`` labels it.
    private func label(_ frame: Frame, _ index: Int, isElement: Bool) -> SequencePlan.IndexedText {
        let slot = program.types[frame.type].slots[index]
        if program.types[frame.type].isSingleValue, let holder = frame.holder {
            if slot.fieldName.isEmpty { return SequencePlan.IndexedText("", hasIndex: isElement) }
            return label(holder, frame.holderSlot, isElement: frame.isElement)
        }
        guard frame.isElement else { return SequencePlan.IndexedText(slot.label, hasIndex: isElement) }
        return slot.label.isEmpty
            ? SequencePlan.IndexedText("") : SequencePlan.IndexedText("", hasIndex: true, "." + slot.label)
    }

    private mutating func look(_ frame: Frame, _ index: Int, isContent: Bool, isElement: Bool) -> Int {
        let slot = program.types[frame.type].slots[index]
        plan.looks.append(
            SequencePlan.Look(
                name: name(frame, index, isElement: isElement),
                label: label(frame, index, isElement: isElement),
                isSecret: slot.isMarkedSecret ?? (isContent && (frame.isSecret || slot.isNamedSecret)),
                depth: frame.depth
            )
        )
        return plan.looks.count - 1
    }

    /// - Returns: the place of an enum's meanings in the plan.
    private mutating func meanings(_ names: Int) -> Int {
        if let known = meaningsOfEnum[names] { return known }
        plan.meanings.append(SequencePlan.Meanings(program.enums[names]))
        meaningsOfEnum[names] = plan.meanings.count - 1
        return plan.meanings.count - 1
    }

    // MARK: - expressions

    private mutating func check(
        _ validation: Validation,
        _ scope: Scope,
        _ names: Int?,
        of slot: DescribedSlot? = nil
    ) throws(Unsuitable) -> SequencePlan.Check {
        if let slot {
            // Of a list the type is that of its elements.
            var type = slot.valueType
            if case .array(let element) = type { type = element }
            guard Self.isNumber(type) else { throw Unsuitable() }
        }
        // The value is compared with; only `expr` knows it as `_`.
        var plain = scope
        if case .holds = validation {} else { plain.element = nil }
        func number(_ expression: Expression) throws(Unsuitable) -> SequencePlan.Number {
            try self.number(expression, plain)
        }
        switch validation {
        case .equal(let expression): return .equal(try number(expression))
        case .range(let least, let most):
            return .range(
                least: try least.map { (expression) throws(Unsuitable) in try number(expression) },
                most: try most.map { (expression) throws(Unsuitable) in try number(expression) }
            )
        case .anyOf(let expressions):
            var numbers: [SequencePlan.Number] = []
            for expression in expressions { numbers.append(try number(expression)) }
            return .anyOf(numbers)
        case .inEnum:
            guard let names else { throw Unsuitable() }
            return .inEnum(meanings(names))
        case .holds(let expression): return .holds(try number(expression))
        }
    }

    private static func isNumber(_ type: StaticType) -> Bool {
        switch type {
        case .integer, .boolean, .enumeration: true
        default: false
        }
    }

    private func number(_ expression: Expression, _ scope: Scope) throws(Unsuitable) -> SequencePlan.Number {
        switch expression {
        case .constant(let value):
            switch value {
            case .integer(let number), .enumeration(_, let number):
                guard let signed = number.signed else { throw Unsuitable() }
                return .constant(signed)
            case .boolean(let flag): return .constant(flag ? 1 : 0)
            default: throw Unsuitable()
            }
        case .own(let index): return try value(index, of: scope.frame, scope)
        case .index:
            guard scope.isInLoop, !scope.isInstance else { throw Unsuitable() }
            return .index
        case .element:
            guard case .slot(let slot)? = scope.element else { throw Unsuitable() }
            return .slot(slot)
        case .member(let inner, let name):
            let frame = try frame(inner, scope)
            guard let index = program.types[frame.type].slotOfName[name] else { throw Unsuitable() }
            return try value(index, of: frame, scope)
        case .method(let method, .io):
            guard !scope.frame.isInRoom, !scope.isInstance else { throw Unsuitable() }
            switch method {
            case .size: return .size
            case .position: return .position
            case .eof: return .isAtEnd
            default: throw Unsuitable()
            }
        case .method(.toInteger, let inner): return try number(inner, scope)
        case .unary(let operation, let inner): return .unary(operation, try number(inner, scope))
        case .binary(let operation, let left, let right):
            if operation == .equal || operation == .notEqual,
                let text = text(left, right, scope) ?? text(right, left, scope)
            {
                return operation == .equal ? text : .unary(.not, text)
            }
            return .binary(operation, try number(left, scope), try number(right, scope))
        case .conditional(let condition, let yes, let no):
            return .conditional(try number(condition, scope), try number(yes, scope), try number(no, scope))
        default: throw Unsuitable()
        }
    }

    /// An object that an expression names.
    private func frame(_ expression: Expression, _ scope: Scope) throws(Unsuitable) -> Frame {
        switch expression {
        case .ownObject: return scope.frame
        case .root: return root(scope.frame)
        case .parent:
            guard let holder = scope.frame.holder else { throw Unsuitable() }
            return holder
        case .parentOf(let inner):
            guard let holder = try frame(inner, scope).holder else { throw Unsuitable() }
            return holder
        case .rootOf(let inner): return root(try frame(inner, scope))
        case .own(let index):
            guard let inner = scope.frame.inner[index] else { throw Unsuitable() }
            return inner
        case .member(let holder, let name):
            let frame = try frame(holder, scope)
            guard let index = program.types[frame.type].slotOfName[name], let inner = frame.inner[index] else {
                throw Unsuitable()
            }
            return inner
        case .element:
            guard case .object(let frame)? = scope.element else { throw Unsuitable() }
            return frame
        default: throw Unsuitable()
        }
    }

    private func root(_ frame: Frame) -> Frame {
        var frame = frame
        while let holder = frame.holder { frame = holder }
        return frame
    }

    /// The value of a field, a parameter or an instance.
    private func value(_ index: Int, of frame: Frame, _ scope: Scope) throws(Unsuitable) -> SequencePlan.Number {
        let slot = program.types[frame.type].slots[index]
        guard Self.isNumber(slot.valueType) else { throw Unsuitable() }
        switch slot.content {
        case .parameter: return .slot(frame.firstSlot + index)
        case .field(let field):
            guard case .none = field.repetition else { throw Unsuitable() }
            return .slot(frame.firstSlot + index)
        case .placed: throw Unsuitable()
        case .computed(let expression, _):
            // It is computed where it is asked for, with nothing in it that changes.
            guard slot.condition == nil, slot.validation == nil, scope.instanceDepth < 8 else { throw Unsuitable() }
            let inner = Scope(frame: frame, isInstance: true, instanceDepth: scope.instanceDepth + 1)
            return try number(expression, inner)
        }
    }

    /// Whether a text field is a text.
    private func text(_ field: Expression, _ constant: Expression, _ scope: Scope) -> SequencePlan.Number? {
        guard case .own(let index) = field, case .constant(.text(let text)) = constant, !text.contains("\u{FFFD}"),
            case .field(let described) = program.types[scope.frame.type].slots[index].content,
            case .none = described.repetition, case .text = described.form
        else { return nil }
        return .isText(scope.frame.firstSlot + index, Array(text.utf8))
    }
}
