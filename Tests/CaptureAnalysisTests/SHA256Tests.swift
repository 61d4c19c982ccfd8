import CaptureAnalysis
import Testing

/// Vectors of FIPS 180-4's examples, and lengths around the end of a block (from sha256sum).
@Suite struct SHA256Tests {
    private func hash(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.hexDigest()
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func vectors(text: String, expected: String) { #expect(hash(Array(text.utf8)) == expected) }

    @Test func aMillionTimesA() {
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(hash([UInt8](repeating: 0x61, count: 1_000_000)) == expected)
    }

    @Test(arguments: [1, 55, 56, 57, 63, 64, 65, 119, 128, 1000]) func everySplitGivesTheSame(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let whole = hash(bytes)
        for split in stride(from: 0, through: count, by: max(1, count / 20)) {
            var parts = SHA256()
            bytes[..<split].withUnsafeBytes { parts.update($0) }
            // Asking on the way changes nothing.
            _ = parts.hexDigest()
            bytes[split...].withUnsafeBytes { parts.update($0) }
            #expect(parts.hexDigest() == whole)
        }
    }
}
