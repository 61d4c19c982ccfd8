import MessageFormat
import NetworkStack
import Testing

@testable import CaptureAnalysis

@Suite struct EndpointNameTests {
    @Test func namesAreTheTextOfTheEndpoints() {
        var endpoints = [
            Endpoint(v4: 0, port: 0), Endpoint(v4: .max, port: .max), Endpoint(v4: 0x0A01_0064, port: 4530),
            Endpoint(v4: 0x7F00_0001, port: 80), Endpoint(high: 0x2001_0DB8 << 32, low: 7, port: 50_000),
            Endpoint(high: 0, low: 1, port: 9),
        ]
        for part in UInt32(0)...255 { endpoints.append(Endpoint(v4: part << 16 | part, port: UInt16(part * 257))) }
        for endpoint in endpoints { #expect(EndpointName(endpoint).text == endpoint.description) }
    }

    /// IPv6 names are kept by the number of the conversation, more than one of which share a place.
    @Test func keptNamesAreThoseOfTheirConversation() {
        var names = EndpointNames()
        for number in [1, 2, 1, 4097, 1, 8193] {
            let ends = (
                Endpoint(high: 1, low: UInt64(number), port: 1), Endpoint(high: 2, low: UInt64(number), port: 2)
            )
            let found = names.names(of: ends, number: number)
            #expect(found.0.text == ends.0.description)
            #expect(found.1.text == ends.1.description)
        }
    }
}
