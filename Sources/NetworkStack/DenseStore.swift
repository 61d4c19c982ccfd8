/// Elements at fixed indices, in memory of its own, changed in place.
///
/// An array checks at each change whether its storage is shared; here it never is. It is a reference: what copies it shares it. It
/// is the only place of this module that handles memory by pointers.
public struct DenseStore<Element> {
    @usableFromInline final class Memory {
        @usableFromInline var base: UnsafeMutablePointer<Element>
        @usableFromInline var capacity: Int
        @usableFromInline var count = 0

        init(capacity: Int) {
            self.capacity = capacity
            base = .allocate(capacity: capacity)
        }

        deinit {
            base.deinitialize(count: count)
            base.deallocate()
        }
    }

    @usableFromInline let memory: Memory
    /// Where the elements are; the same as in `memory`, one look-up nearer.
    @usableFromInline var base: UnsafeMutablePointer<Element>
    public private(set) var count = 0

    public init() {
        memory = Memory(capacity: 16)
        base = memory.base
    }

    public init(repeating element: Element, count: Int) {
        memory = Memory(capacity: Swift.max(count, 1))
        base = memory.base
        base.initialize(repeating: element, count: count)
        memory.count = count
        self.count = count
    }

    public var indices: Range<Int> { 0..<count }

    @inlinable public subscript(index: Int) -> Element {
        unsafeAddress {
            precondition(index >= 0 && index < count)
            return UnsafePointer(base + index)
        }
        nonmutating unsafeMutableAddress {
            precondition(index >= 0 && index < count)
            return base + index
        }
    }

    public mutating func append(_ element: Element) {
        if count == memory.capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
        memory.count = count
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: memory.capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        memory.base = larger
        memory.capacity *= 2
    }
}

extension DenseStore: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
}
