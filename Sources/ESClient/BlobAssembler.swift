import ESProtocol

/// Joins the fragments of blobs. What it holds is limited in bytes and in number.
struct BlobAssembler: Sendable {
    /// A fragment belongs to the blob with the same.
    struct Key: Hashable, Sendable {
        var sender: [UInt8]
        var receiver: [UInt8]
        var messageType: UInt16
        var blobID: Int32
    }

    enum Outcome: Equatable {
        case incomplete
        case complete([UInt8])
        /// The blob is given up; later fragments of it are not taken either.
        case discarded(String)
    }

    private struct Blob {
        var bytes: [UInt8] = []
        var nextIndex: Int32 = 0
    }

    /// Bytes of all blobs together.
    let maximumBytes: Int
    let maximumBlobs: Int
    private var blobs: [Key: Blob] = [:]
    private var heldBytes = 0

    init(maximumBytes: Int, maximumBlobs: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumBlobs = maximumBlobs
    }

    mutating func add(_ fragment: [UInt8], index: Int32, isLast: Bool, to key: Key) -> Outcome {
        if index == 0 { remove(key) }
        guard let blob = blobs[key] ?? (index == 0 ? Blob() : nil) else {
            return .discarded("fragment \(index) without those before it")
        }
        guard index == blob.nextIndex else {
            remove(key)
            return .discarded("fragment \(index) where \(blob.nextIndex) was expected")
        }
        guard heldBytes + fragment.count <= maximumBytes else {
            remove(key)
            return .discarded("blobs that are not complete hold more than \(maximumBytes) bytes")
        }
        if isLast {
            let whole = (take(key)?.bytes ?? []) + fragment
            return .complete(whole)
        }
        guard blobs[key] != nil || blobs.count < maximumBlobs else {
            return .discarded("more than \(maximumBlobs) blobs at a time")
        }
        // In place, so that a long blob is not copied with each fragment.
        blobs[key, default: Blob()].bytes += fragment
        blobs[key]?.nextIndex += 1
        heldBytes += fragment.count
        return .incomplete
    }

    private mutating func take(_ key: Key) -> Blob? {
        guard let blob = blobs.removeValue(forKey: key) else { return nil }
        heldBytes -= blob.bytes.count
        return blob
    }

    private mutating func remove(_ key: Key) { _ = take(key) }

    mutating func removeAll() {
        blobs = [:]
        heldBytes = 0
    }
}
