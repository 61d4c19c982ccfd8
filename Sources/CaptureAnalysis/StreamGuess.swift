/// What the first bytes of a stream look like, for streams that hold no message.
package enum StreamGuess: UInt8, Sendable {
    case unknown, tls, http, httpConnect, webSocket, ssh, smtpOrFTP, socks4, socks5, mysql, rdp, smb, redis, dns

    package var name: String? {
        switch self {
        case .unknown: nil
        case .tls: "TLS"
        case .http: "HTTP"
        case .httpConnect: "HTTP CONNECT"
        case .webSocket: "WebSocket"
        case .ssh: "SSH"
        case .smtpOrFTP: "SMTP or FTP"
        case .socks4: "SOCKS4"
        case .socks5: "SOCKS5"
        case .mysql: "MySQL"
        case .rdp: "RDP"
        case .smb: "SMB"
        case .redis: "Redis"
        case .dns: "DNS"
        }
    }

    /// Whether the framework's own bytes can follow it in the same stream.
    package var isPreface: Bool {
        switch self {
        case .socks5, .socks4, .httpConnect, .webSocket: true
        default: false
        }
    }

    /// How many of the first bytes may be shown: behind the greeting of SOCKS5 stand a name and a password (RFC 1929).
    package func showableBytes(_ first: [UInt8]) -> Int {
        // A greeting that comes in pieces may not look like one yet.
        let mayBeSOCKS5 = self == .socks5 || (first.count >= 2 && first[0] == 5 && (1...8).contains(first[1]))
        guard mayBeSOCKS5, first.count >= 2 else { return first.count }
        return min(first.count, 2 + Int(first[1]))
    }

    /// - Parameter bytes: the first bytes of one direction, as many as the first segment has.
    package init(firstBytes bytes: RawSpan) {
        let head = bytes.withUnsafeBytes { Array($0.prefix(1024)) }
        func starts(_ text: String) -> Bool { head.starts(with: Array(text.utf8)) }
        if head.count >= 3, (0x14...0x17).contains(head[0]), head[1] == 3, head[2] <= 4 {
            self = .tls
        } else if starts("CONNECT ") {
            self = .httpConnect
        } else if ["GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "OPTIONS ", "PATCH ", "HTTP/1.", "PRI * HTTP/2"]
            .contains(where: starts)
        {
            let text = String(decoding: head, as: UTF8.self).lowercased()
            if text.contains("upgrade: websocket") {
                self = .webSocket
            } else {
                self = .http
            }
        } else if starts("SSH-") {
            self = .ssh
        } else if starts("220 ") || starts("220-") {
            self = .smtpOrFTP
        } else if head.count >= 3, head[0] == 5, head[1] >= 1, Int(head[1]) + 2 <= head.count, head[1] <= 8 {
            self = .socks5
        } else if head.count == 2, head[0] == 5, head[1] <= 2 || head[1] == 0xFF {
            self = .socks5
        } else if head.count >= 9, head[0] == 4, head[1] == 1 || head[1] == 2, head.last == 0 {
            self = .socks4
        } else if head.count >= 4, head[0] == 3, head[1] == 0, Int(head[2]) << 8 | Int(head[3]) == head.count {
            self = .rdp
        } else if head.count >= 8, head[0] == 0, head[4] == 0xFF || head[4] == 0xFE,
            head[5...7].elementsEqual([0x53, 0x4D, 0x42])
        {
            self = .smb
        } else if head.count >= 5, head[4] == 10, Int(head[0]) + 4 == head.count, head[3] == 0 {
            self = .mysql
        } else if head.count >= 4, head[0] == 0x2A, (0x30...0x39).contains(head[1]), head.contains(0x0D) {
            self = .redis
        } else {
            self = .unknown
        }
    }
}
