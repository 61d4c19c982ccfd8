import ESProtocol
import Sockets

/// One thing that a server did or saw.
package struct ServerEvent: Sendable {
    package enum Kind: Sendable {
        /// A message that came, with its bytes and its offset in the stream from the client.
        case received(Message, [UInt8], offset: Int64)
        /// A message that went out, with its bytes and its offset in the stream to the client.
        case sent(Message, [UInt8], offset: Int64)
        /// Bytes that are no messages: they ended the connection. The first of them, and their offset.
        case refused([UInt8], offset: Int64, reason: String)
        /// Bytes of a message whose end did not come before the connection ended.
        case cutShort(count: Int, offset: Int64)
        /// In words.
        case notice(String)
    }

    /// `nil`: the server as a whole.
    package var connection: ConnectionName?
    package var kind: Kind
}

/// Which connection is spoken of.
package struct ConnectionName: Hashable, Sendable {
    /// From 1, in the order of their beginning.
    package var number: Int
    /// `a.b.c.d:port` or `[v6]:port`.
    package var client: String
    package var server: String
}
