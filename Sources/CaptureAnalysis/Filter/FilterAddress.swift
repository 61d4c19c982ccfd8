import NetworkStack

/// Addresses and ports that a filter asks for: `10.0.0.1`, `10.0.0.0/8`, `10.0.0.1:4530`, `[::1]:4530`, `::1`, `:4530`, `4530`.
struct FilterAddress: Equatable, Sendable {
    /// The lowest and the highest address; as in ``Endpoint``, the first and the last eight bytes.
    var low: (high: UInt64, low: UInt64) = (0, 0)
    var high: (high: UInt64, low: UInt64) = (.max, .max)
    var ports: ClosedRange<UInt16> = 0...UInt16.max
    /// Whether something is said of the address, and of the port.
    var hasHost = false
    var hasPort = false

    static func == (left: Self, right: Self) -> Bool {
        left.low == right.low && left.high == right.high && left.ports == right.ports
    }

    func matches(_ endpoint: Endpoint) -> Bool {
        ports.contains(endpoint.port) && (endpoint.high, endpoint.low) >= low && (endpoint.high, endpoint.low) <= high
    }

    /// From this address to another one; `nil` if they are not both single addresses without ports, or not both ports.
    func through(_ other: FilterAddress) -> FilterAddress? {
        guard hasHost == other.hasHost, hasPort == other.hasPort, hasHost != hasPort else { return nil }
        guard low <= other.high, ports.lowerBound <= other.ports.upperBound else { return nil }
        var range = self
        range.high = other.high
        range.ports = ports.lowerBound...other.ports.upperBound
        return range
    }

    init?(_ text: String) {
        var host = text[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") && setPort(rest.dropFirst()) else { return nil }
            guard host.utf8.contains(0x3A) else { return nil }
        } else {
            let colons = text.utf8.count { $0 == 0x3A }
            if colons == 1, let colon = text.firstIndex(of: ":") {
                guard setPort(text[text.index(after: colon)...]) else { return nil }
                host = text[..<colon]
                if host.isEmpty { return }
            } else if colons == 0, setPort(text[...]) {
                return
            }
        }
        guard setHost(host) else { return nil }
    }

    /// The endpoint of a report: `10.0.0.1:4530`, `[::1]:4530`.
    static func endpoint(_ text: String) -> Endpoint? {
        guard let address = FilterAddress(text), address.hasHost, address.hasPort else { return nil }
        return Endpoint(high: address.low.high, low: address.low.low, port: address.ports.lowerBound)
    }

    private mutating func setPort(_ text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text) else {
            return false
        }
        ports = port...port
        hasPort = true
        return true
    }

    private mutating func setHost(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isV6 = parts[0].utf8.contains(0x3A)
        guard let address = isV6 ? Self.v6(parts[0]) : Self.v4(parts[0]).map({ (0, 0xFFFF_0000_0000 | UInt64($0)) })
        else {
            return false
        }
        (low, high, hasHost) = (address, address, true)
        guard parts.count == 2 else { return true }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = UInt8(parts[1]),
            bits <= (isV6 ? 128 : 32)
        else { return false }
        let prefix = UInt64(isV6 ? bits : bits + 96)
        let mask = (
            high: prefix >= 64 ? UInt64.max : ~(UInt64.max >> prefix),
            low: prefix <= 64 ? 0 : prefix == 128 ? UInt64.max : ~(UInt64.max >> (prefix - 64))
        )
        low = (address.0 & mask.high, address.1 & mask.low)
        high = (low.high | ~mask.high, low.low | ~mask.low)
        return true
    }

    private static func v4(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let byte = UInt8(part)
            else { return nil }
            value = value << 8 | UInt32(byte)
        }
        return value
    }

    private static func v6(_ text: Substring) -> (UInt64, UInt64)? {
        guard text.utf8.count <= 45 else { return nil }
        var groups: [UInt16] = []
        var gap: Int?
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        // `::` at an end leaves two empty parts there.
        if parts.first == "", parts.count > 2 {
            guard parts[1] == "" else { return nil }
            parts.removeFirst()
        }
        if parts.last == "" {
            guard parts.count >= 2, parts[parts.count - 2] == "" || parts.count == 2 else { return nil }
            parts.removeLast()
        }
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                guard gap == nil else { return nil }
                gap = groups.count
            } else if index == parts.count - 1, part.utf8.contains(0x2E) {
                guard let v4 = v4(part) else { return nil }
                groups += [UInt16(v4 >> 16), UInt16(truncatingIfNeeded: v4)]
            } else {
                guard part.utf8.count <= 4, part.utf8.allSatisfy({ FilterString.hexDigit($0) != nil }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: [UInt16](repeating: 0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        let halves = [groups[..<4], groups[4...]].map { $0.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
        return (halves[0], halves[1])
    }
}
