import PacketCapture

/// Elements at fixed indices, in memory of its own, changed in place.
///
/// An array checks at each change whether its storage is shared, and holds everything twice while it grows; this never
/// does. The memory comes in chunks, so that no element moves. It is a reference: what copies it shares it. It
/// is the only place of this module that handles memory by pointers.
public struct DenseStore<Element> {
    @usableFromInline final class Memory {
        @usableFromInline var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
        var chunkCount = 0
        var chunkCapacity = 8
        var count = 0

        init() { chunks = .allocate(capacity: chunkCapacity) }

        /// Makes room for one more chunk of elements.
        func addChunk() {
            if chunkCount == chunkCapacity {
                let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: chunkCapacity * 2)
                larger.moveInitialize(from: chunks, count: chunkCount)
                chunks.deallocate()
                chunks = larger
                chunkCapacity *= 2
            }
            // At the beginning of a cache line: elements of its size do not straddle two.
            let chunk = UnsafeMutableRawPointer.allocate(
                byteCount: MemoryLayout<Element>.stride * DenseStore.chunkLength,
                alignment: 64
            )
            (chunks + chunkCount).initialize(to: chunk.assumingMemoryBound(to: Element.self))
            chunkCount += 1
        }

        deinit {
            for index in 0..<chunkCount {
                chunks[index].deinitialize(
                    count: Swift.min(DenseStore.chunkLength, Swift.max(count - index * DenseStore.chunkLength, 0))
                )
                chunks[index].deallocate()
            }
            chunks.deallocate()
        }
    }

    @inlinable static var chunkBits: Int { 8 }
    @inlinable static var chunkLength: Int { 1 << chunkBits }

    let memory: Memory
    /// Where the elements are; the same as in `memory`, one look-up nearer.
    @usableFromInline var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    public private(set) var count = 0

    public init() {
        memory = Memory()
        chunks = memory.chunks
    }

    public init(repeating element: Element, count: Int) {
        self.init()
        for _ in 0..<count { append(element) }
    }

    public var indices: Range<Int> { 0..<count }

    @inlinable public subscript(index: Int) -> Element {
        @inline(__always) unsafeAddress { UnsafePointer(address(index)) }
        @inline(__always) nonmutating unsafeMutableAddress { address(index) }
    }

    /// Where an element is; for subscripts that pass on to the one above.
    @inlinable @inline(__always) func address(_ index: Int) -> UnsafeMutablePointer<Element> {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
        return chunks[index &>> Self.chunkBits] + (index & (Self.chunkLength &- 1))
    }

    /// Asks for the memory of an element, without waiting for it.
    @inlinable @inline(__always) public func fetch(_ index: Int) {
        let first = UnsafeRawPointer(address(index))
        LookAhead.fetch(first)
        // It may straddle two lines.
        LookAhead.fetch(first + (MemoryLayout<Element>.stride - 1))
    }

    /// The same for two elements next to each other, the first of which has an even index.
    @inlinable @inline(__always) public func fetchPair(_ index: Int) {
        let first = UnsafeRawPointer(address(index))
        LookAhead.fetch(first)
        LookAhead.fetch(first + (2 * MemoryLayout<Element>.stride - 1))
    }

    public mutating func append(_ element: Element) {
        if count == memory.chunkCount << Self.chunkBits {
            memory.addChunk()
            chunks = memory.chunks
        }
        (chunks[count >> Self.chunkBits] + (count & (Self.chunkLength - 1))).initialize(to: element)
        count += 1
        memory.count = count
    }
}

extension DenseStore: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
}
