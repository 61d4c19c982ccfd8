import ESProtocol
import MessageFormat

/// Message ids of one sender that are all higher (or lower) in B by the same number.
package struct Renumbering: Equatable, Sendable {
    /// What is added to an id of A.
    package var offset: Int64
    package var direction: Direction
    /// Places of the first and the last message of A, in ``CapturedMessages/messages``.
    package var first: Int
    package var last: Int
    package var messages: Int
}

/// Tells message ids that differ because another number was counted from, or because a message more or less came before,
/// from those that are wrong.
///
/// Each sender counts its own messages; an answer has the id of what it answers. A new difference between the ids of A and
/// B is taken for a renumbering if the messages that only one of them has explain it, if the next message of that sender
/// has it too, or if its answer has.
struct MessageNumbering {
    private struct Counter: Hashable {
        var direction: Direction
        var sender: Int32
    }

    private struct Item {
        var entry: Int
        var idA: Int64?
        var idB: Int64?
        var difference: Int64? { idA.flatMap { a in idB.map { $0 - a } } }
    }

    private let context: AlignmentContext
    private let entries: [ComparedMessages]
    /// Of the entries that are pairs: the ids differ, and nothing explains it.
    private(set) var isUnexplained: [Bool]
    private(set) var renumberings: [Renumbering] = []
    /// The id in B of an id in A, by direction, as far as the entries went.
    private var partners: [Direction: [Int64: Int64]] = [:]
    /// By how much the ids of all pairs with this id in A differ.
    private var differences: [Direction: [Int64: Set<Int64>]] = [:]

    init(_ entries: [ComparedMessages], _ context: AlignmentContext) {
        self.context = context
        self.entries = entries
        isUnexplained = [Bool](repeating: false, count: entries.count)
    }

    mutating func run() {
        for entry in entries where entry.a >= 0 && entry.b >= 0 && entry.kind != .reordered {
            let (a, b) = (context.messagesA[entry.a], context.messagesB[entry.b])
            differences[a.direction, default: [:]][Int64(a.header.messageID), default: []].insert(
                Int64(b.header.messageID) - Int64(a.header.messageID)
            )
        }
        var counters: [Counter: [Item]] = [:]
        var order: [Counter] = []
        for (place, entry) in entries.enumerated() where entry.kind != .reordered {
            guard let item = item(place, entry), !isAnswer(entry, item) else { continue }
            let counter = self.counter(of: entry)
            if counters[counter] == nil { order.append(counter) }
            counters[counter, default: []].append(item)
        }
        for counter in order { follow(counters[counter] ?? [], counter.direction) }
        for (place, entry) in entries.enumerated() where entry.kind == .reordered { checkMoved(place, entry) }
    }

    /// `nil` for a message without an id.
    private func item(_ place: Int, _ entry: ComparedMessages) -> Item? {
        let idA = entry.a >= 0 ? Int64(context.messagesA[entry.a].header.messageID) : nil
        let idB = entry.b >= 0 ? Int64(context.messagesB[entry.b].header.messageID) : nil
        return (idA ?? 0) == 0 && (idB ?? 0) == 0 ? nil : Item(entry: place, idA: idA, idB: idB)
    }

    private func direction(of entry: ComparedMessages) -> Direction {
        entry.a >= 0 ? context.messagesA[entry.a].direction : context.messagesB[entry.b].direction
    }

    private func counter(of entry: ComparedMessages) -> Counter {
        let isInA = entry.a >= 0
        let signature = isInA ? context.signatures.a[entry.a] : context.signatures.b[entry.b]
        let names = context.signatures.names(of: signature)
        // The sender is the first user.
        let sender = names.first { context.signatures.identities[Int($0)].kind == .user } ?? -1
        return Counter(
            direction: direction(of: entry),
            sender: isInA && sender >= 0 ? context.map.mapped(sender) : sender
        )
    }

    /// Whether a message repeats the id of one that came the other way, in A and in B alike.
    private mutating func isAnswer(_ entry: ComparedMessages, _ item: Item) -> Bool {
        let direction = direction(of: entry)
        let other: Direction = direction == .clientToServer ? .serverToClient : .clientToServer
        if let idA = item.idA, let idB = item.idB {
            if partners[other]?[idA] == idB { return true }
            partners[direction, default: [:]][idA] = idB
        }
        return false
    }

    private mutating func follow(_ items: [Item], _ direction: Direction) {
        let other: Direction = direction == .clientToServer ? .serverToClient : .clientToServer
        var current: Int64 = 0
        /// What B has more than A since the last pair.
        var surplus: Int64 = 0
        var pending: Renumbering?
        for (place, item) in items.enumerated() {
            guard let difference = item.difference, let idA = item.idA else {
                surplus += item.idA == nil ? 1 : -1
                continue
            }
            if difference != current {
                let isExplained =
                    difference == current + surplus || nextDifference(items, place) == difference
                    || differences[other]?[idA]?.contains(difference) == true
                guard isExplained, item.idA != 0, item.idB != 0 else {
                    isUnexplained[item.entry] = true
                    continue
                }
                if let pending { renumberings.append(pending) }
                pending = nil
                current = difference
            }
            surplus = 0
            guard current != 0 else { continue }
            let index = entries[item.entry].a
            if pending == nil {
                pending = Renumbering(offset: current, direction: direction, first: index, last: index, messages: 0)
            }
            pending?.last = index
            pending?.messages += 1
        }
        if let pending { renumberings.append(pending) }
    }

    private func nextDifference(_ items: [Item], _ place: Int) -> Int64? {
        for item in items[(place + 1)...] {
            if let difference = item.difference { return difference }
        }
        return nil
    }

    /// The id of a message that was moved may be any that others of its direction would have.
    private mutating func checkMoved(_ place: Int, _ entry: ComparedMessages) {
        let (a, b) = (context.messagesA[entry.a], context.messagesB[entry.b])
        let difference = Int64(b.header.messageID) - Int64(a.header.messageID)
        let isKnown = differences[a.direction]?.values.contains { $0.contains(difference) } ?? false
        isUnexplained[place] = difference != 0 && !isKnown
    }
}
