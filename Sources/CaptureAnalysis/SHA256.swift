/// SHA-256 (FIPS 180-4), fed piece by piece.
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    /// Bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let part = min(64 - rest.count, bytes.count)
            rest += bytes[..<part]
            bytes = UnsafeRawBufferPointer(rebasing: bytes[part...])
            guard rest.count == 64 else { return }
            rest.withUnsafeBytes { Self.compress($0, into: &state) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count & ~63
        Self.compress(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), into: &state)
        rest += bytes[whole...]
    }

    /// The hash of what was fed so far, in lower-case hex; more may be fed afterwards.
    package func hexDigest() -> String {
        var copy = self
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - rest.count) % 64)
        let bits = withUnsafeBytes(of: (length &* 8).bigEndian) { Array($0) }
        (padding + bits).withUnsafeBytes { copy.update($0) }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for word in copy.state {
            for shift in stride(from: UInt32(28), through: 0, by: -4) { text.append(digits[Int(word >> shift & 15)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Takes whole blocks of 64 bytes.
    private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
        guard let base = blocks.baseAddress, blocks.count >= 64 else { return }
        state.withUnsafeMutableBufferPointer { state in
            constants.withUnsafeBufferPointer { k in
                withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
                    for block in stride(from: 0, to: blocks.count, by: 64) {
                        schedule(base + block, w)
                        rounds(state, k, w)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value &>> count | value &<< (32 &- count)
    }

    private static func schedule(_ block: UnsafeRawPointer, _ w: UnsafeMutableBufferPointer<UInt32>) {
        for i in 0..<16 {
            w.initializeElement(
                at: i,
                to: UInt32(bigEndian: block.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
            )
        }
        for i in 16..<64 {
            let a = w[i &- 15]
            let b = w[i &- 2]
            let s0 = rotate(a, 7) ^ rotate(a, 18) ^ a &>> 3
            let s1 = rotate(b, 17) ^ rotate(b, 19) ^ b &>> 10
            w.initializeElement(at: i, to: w[i &- 16] &+ s0 &+ w[i &- 7] &+ s1)
        }
    }

    private static func rounds(
        _ state: UnsafeMutableBufferPointer<UInt32>,
        _ k: UnsafeBufferPointer<UInt32>,
        _ w: UnsafeMutableBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let choice = e & f ^ ~e & g
            let t1 = h &+ s1 &+ choice &+ k[i] &+ w[i]
            let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = a & b ^ a & c ^ b & c
            h = g
            g = f
            f = e
            e = d &+ t1
            d = c
            c = b
            b = a
            a = t1 &+ s0 &+ majority
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}
