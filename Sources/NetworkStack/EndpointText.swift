extension Endpoint: CustomStringConvertible {
    /// `a.b.c.d:port` or `[v6]:port`; IPv6 addresses in the form of RFC 5952.
    public var description: String {
        var text = ""
        if isIPv4 {
            text = address
        } else {
            text = "[" + address + "]"
        }
        text += ":"
        text += String(port)
        return text
    }

    /// Whether it is an IPv4 address.
    @inlinable public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The address alone.
    public var address: String {
        if isIPv4 {
            let bytes: [UInt64] = [low >> 24 & 0xFF, low >> 16 & 0xFF, low >> 8 & 0xFF, low & 0xFF]
            return bytes.map { String($0) }.joined(separator: ".")
        }
        var groups: [UInt16] = []
        for half in [high, low] {
            for shift in stride(from: UInt64(48), through: 0, by: -16) {
                groups.append(UInt16(truncatingIfNeeded: half >> shift))
            }
        }
        // The longest run of two or more zero groups is shortened, the first of equals (RFC 5952 section 4.2).
        var longest = 0..<0
        var start = 0
        while start < 8 {
            guard groups[start] == 0 else {
                start += 1
                continue
            }
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = end
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
