import Testing

@testable import ESProtocol
