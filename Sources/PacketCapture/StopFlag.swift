import CPcap

/// Says that reading should end. A signal handler or another thread may set it; every source looks at it at least
/// each 100 ms while it waits, and before each chunk while it reads.
public final class StopFlag: @unchecked Sendable {
    /// Never freed while the flag lives, so that a signal handler may write through it.
    private let value: UnsafeMutablePointer<Int32>

    public init() {
        value = .allocate(capacity: 1)
        value.initialize(to: 0)
    }

    deinit { value.deallocate() }

    public var isSet: Bool { es_flag_get(value) != 0 }

    public func set() { es_flag_set(value, 1) }

    public func clear() { es_flag_set(value, 0) }

    /// The flag that signals set.
    public static let process = StopFlag()
}
