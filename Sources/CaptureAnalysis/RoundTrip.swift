import ESProtocol
import MessageFormat

/// Proves that a message can be decoded and encoded again.
package enum RoundTrip {
    package enum Result: Equatable, Sendable {
        case same
        /// The first byte that comes back otherwise, or is not there.
        case differs(offset: Int, reason: String)
    }

    /// Decodes a message by the codec and its body by its form, and compares what is encoded from that.
    package static func check(_ report: MessageReport, _ bytes: [UInt8]) -> Result {
        if let gap = report.gaps.first {
            return .differs(offset: gap.offset, reason: "\(report.missing) bytes of it were not captured")
        }
        let again: [UInt8]
        do throws(MessageError) {
            var message = try Message(parsing: bytes, layout: report.header.layout)
            if let body = BodyForm(report, bytes) {
                guard let written = try? body.schema.bytes(of: body.value) else {
                    return .differs(offset: report.header.layout.headerLength, reason: "its body cannot be written")
                }
                message.body = written
            }
            again = try message.bytes()
        } catch {
            return .differs(offset: 0, reason: error.description)
        }
        return compare(again, bytes)
    }

    package static func compare(_ again: [UInt8], _ bytes: [UInt8]) -> Result {
        if again == bytes { return .same }
        let offset = zip(again, bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? min(again.count, bytes.count)
        return .differs(offset: offset, reason: "it comes back as other bytes")
    }
}

/// A body as a value, with the version and form that it was read by.
package struct BodyForm {
    package let version: ProtocolVersion
    /// Of a message from client to server.
    package let isRequest: Bool
    package let schema: BodySchema
    package let value: BodyValue

    /// - Returns: `nil` if there is no body, or no form that is known fits it to the last byte.
    package init?(_ report: MessageReport, _ bytes: [UInt8]) {
        let header = report.header
        guard report.gaps.isEmpty, bytes.count > header.layout.headerLength else { return nil }
        let body = Array(bytes[header.layout.headerLength...])
        let request = report.isRequest(bytes.span.bytes)
        for isRequest in [request, !request] {
            for version in ProtocolVersions(startToken: header.layout.startToken).newestFirst {
                guard
                    let schema = MessageTypeDescription.find(header.messageType, version: version)?
                        .schema(version: version, isRequest: isRequest),
                    let value = try? schema.value(parsing: body)
                else { continue }
                self.version = version
                self.isRequest = isRequest
                self.schema = schema
                self.value = value
                return
            }
        }
        return nil
    }
}
