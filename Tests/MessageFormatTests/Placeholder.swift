import Testing

@testable import MessageFormat
