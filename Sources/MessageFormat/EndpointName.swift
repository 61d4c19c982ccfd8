/// The name of one end of a conversation: `127.0.0.1:4530`, `[::1]:4530`, or what else stands for it.
///
/// Each message has two of them. An IPv4 address stays the number that it is until it is written: copying it counts no
/// reference, which two threads would have to count in turn.
package enum EndpointName: Equatable, Sendable {
    /// The address in host order.
    case ipv4(UInt32, port: UInt16)
    case text(String)

    package init(_ text: String) { self = .text(text) }

    package var text: String {
        if case .text(let text) = self { return text }
        var out = OutputBuffer(capacity: 64)
        out.append(self)
        return out.string()
    }
}

extension OutputBuffer {
    /// Appends a name as it stands.
    package mutating func append(_ name: EndpointName) {
        switch name {
        case .ipv4(let address, let port): append(ipv4: address, port: port)
        case .text(let text): append(text)
        }
    }

    private mutating func append(ipv4 address: UInt32, port: UInt16) {
        let pointer = room(16)
        var count = 0
        for shift: UInt32 in [24, 16, 8, 0] {
            let part = UInt8(truncatingIfNeeded: address &>> shift)
            if part >= 100 {
                pointer[count] = 0x30 &+ part / 100
                count &+= 1
            }
            if part >= 10 {
                pointer[count] = 0x30 &+ part / 10 % 10
                count &+= 1
            }
            pointer[count] = 0x30 &+ part % 10
            pointer[count &+ 1] = 0x2E
            count &+= 2
        }
        // In place of the last dot.
        pointer[count &- 1] = 0x3A
        advance(count)
        append(decimal: UInt64(port))
    }

    /// Appends a name as a JSON string.
    mutating func append(json name: EndpointName) {
        switch name {
        case .ipv4:
            append(0x22)
            append(name)
            append(0x22)
        case .text(let text): append(json: text)
        }
    }
}
