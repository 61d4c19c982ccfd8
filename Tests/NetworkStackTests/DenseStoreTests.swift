import Testing

@testable import NetworkStack

struct DenseStoreTests {
    @Test func elementsKeepTheirPlaceWhileItGrows() {
        var store = DenseStore<Int>()
        for value in 0..<5000 { store.append(value) }
        for index in stride(from: 0, to: 5000, by: 7) { store[index] += 10_000 }
        #expect(store.count == 5000)
        #expect(store.indices.allSatisfy { store[$0] == ($0 % 7 == 0 ? $0 + 10_000 : $0) })
        #expect(Array(DenseStore(repeating: 3, count: 600)) == Array(repeating: 3, count: 600))
    }

    /// Counts the objects that are alive.
    private final class Witness {
        let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.alive += 1
        }
        deinit { counter.alive -= 1 }
    }

    private final class Counter { var alive = 0 }

    @Test func itLetsGoOfWhatWasInIt() {
        let counter = Counter()
        do {
            var store = DenseStore<Witness?>()
            for _ in 0..<700 { store.append(Witness(counter)) }
            store[3] = nil
            store[699] = Witness(counter)
            #expect(counter.alive == 699)
        }
        #expect(counter.alive == 0)
    }

    /// What hundreds of thousands of conversations cost each, beside the framers and the records of the analysis.
    @Test func aConversationIsSmall() {
        #expect(MemoryLayout<Conversation>.stride <= 88)
        #expect(MemoryLayout<StreamState>.stride <= 24)
    }
}
