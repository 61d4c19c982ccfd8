import CPrefetch

/// How far readers and sinks look ahead.
///
/// Most of the time that a packet takes is spent waiting for memory: its bytes, the entry of its conversation in a table, the
/// conversation, what is kept of its streams. Each of these says where the next one is. So they are asked for some packets
/// before they are needed, one after the other.
public enum LookAhead {
    /// So many packets beforehand a packet is announced, and its entry in the table is asked for.
    @inlinable public static var packets: Int { 8 }
    /// So many packets beforehand the entry is there, and what it leads to is asked for.
    @inlinable public static var steps: UInt64 { 3 }

    /// Of a packet so many bytes are asked for at most: those of a full Ethernet frame. Where in them a message begins is not known yet.
    @inlinable public static var bytes: Int { 1536 }

    /// Asks for bytes from an address on, as many as are of use, without waiting for them.
    @inlinable @inline(__always) public static func fetch(_ start: UnsafeRawPointer, count: Int) {
        let end = min(count, bytes)
        var line = 0
        // Four lines at a time; what is fetched behind the end is that of the next packet.
        while line < end {
            fetchCacheLine(start + line)
            fetchCacheLine(start + line + 64)
            fetchCacheLine(start + line + 128)
            fetchCacheLine(start + line + 192)
            line &+= 256
        }
    }

    /// Asks for the 64 bytes around an address, without waiting for them.
    @inlinable @inline(__always) public static func fetch(_ address: UnsafeRawPointer) { fetchCacheLine(address) }

    /// The same for all bytes of a packet that is soon to be copied; of a long one the processor finds the rest by itself.
    @inlinable @inline(__always) public static func fetch(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            for offset in stride(from: 0, to: min(bytes.count, 2048), by: 64) { fetch(first + offset) }
        }
    }
}
