import Testing

@testable import CaptureAnalysis
