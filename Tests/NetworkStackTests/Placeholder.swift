import Testing

@testable import NetworkStack
