import PacketCapture
import Testing

@Suite struct CompressionTests {
    /// A pcap file in two frames, made by gzip, bzip2, xz, zstd and lz4: the file header with a packet "first",
    /// and a packet "second".
    struct Sample: CustomTestStringConvertible {
        var name: String
        var first: [UInt8]
        var second: [UInt8]

        init(name: String, first: String, second: String) {
            self.name = name
            self.first = Self.bytes(first)
            self.second = Self.bytes(second)
        }

        var testDescription: String { name }

        private static func bytes(_ digits: String) -> [UInt8] {
            let values = digits.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
            return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
        }
    }

    static let samples = [
        Sample(
            name: "gzip",
            first: "1f8b0800000000000203bb7278d3422606160618f8ff9f81819101824180158ad3328b8a4b007ef678e62d000000",
            second: "1f8b08000000000002036362800036282e4e4dcecf4b01005bf3787416000000"
        ),
        Sample(
            name: "bzip2",
            first: "425a6839314159265359347e0ed5000012419efe0001201c0020001000080004000000a00022bdaa1a03268530004d0b"
                + "95602449854729916b7cec7a65e3e2ee48a70a12068fc1daa0",
            second: "425a68393141592653599d97fb45000005418059000e0188002000221ea01a1003009619eca335257e2ee48a70a1213b"
                + "2ff68a"
        ),
        Sample(
            name: "xz",
            first: "fd377a585a0000016922de360200210116000000742fe5a3e0002c001c5d006a30d1c87d8bf8099bad944b8af2fffa2a"
                + "4b0583a9d844c8f4acf580007ef678e60001342da91a73de9042990d010000000001595a",
            second: "fd377a585a0000016922de360200210116000000742fe5a3e0001500105d00010039c2014bbc961ec32fe59cbbf8b000"
                + "5bf3787400012816d0ae0f899042990d010000000001595a"
        ),
        Sample(
            name: "zstd",
            first: "28b52ffd04582d0100d8d4c3b2a102000400ffff000001000500000005000000666972737403002080dd2804e00263f5"
                + "275e",
            second: "28b52ffd04588d0000480200067365636f6e640200bb2c068005d7f021ca"
        ),
        Sample(
            name: "lz4",
            first: "04224d186440a72500000084d4c3b2a102000400010062ffff000001000400000200d005000000050000006669727374"
                + "00000000419ea8ce",
            second: "04224d186440a710000000220200010013060400607365636f6e6400000000cdb23584"
        ),
    ]

    static let texts = ["first", "second"].map { Array($0.utf8) }

    /// A frame that zstd and lz4 pass over.
    static let skippable: [UInt8] = [0x51, 0x2A, 0x4D, 0x18, 5, 0, 0, 0] + Array("notes".utf8)

    @Test(arguments: samples)
    func severalFramesAreOneFile(sample: Sample) {
        let (recorder, error, notes) = readCapture(sample.first + sample.second)
        #expect(error == nil)
        #expect(recorder.entries.map(\.bytes) == Self.texts)
        #expect(notes?.compression == sample.name)
        #expect(notes?.format == "pcap")
        // Padding, and frames to skip, between the frames and behind them.
        let padding: [UInt8] = [0, 0, 0, 0]
        let (padded, none, _) = readCapture(
            Self.skippable + sample.first + padding + Self.skippable + sample.second + padding
        )
        #expect(none == nil)
        #expect(padded.entries.map(\.bytes) == Self.texts)
    }

    @Test(arguments: samples)
    func cutAtEveryByte(sample: Sample) {
        let whole = sample.first + sample.second
        let file = TemporaryFile()
        for length in 1..<whole.count {
            let (recorder, error, _) = readCapture(Array(whole.prefix(length)), in: file)
            if length == sample.first.count {
                #expect(error == nil)
            } else {
                #expect(error != nil)
            }
            #expect(recorder.entries.map(\.bytes) == Array(Self.texts.prefix(recorder.entries.count)))
            if length >= sample.first.count {
                #expect(recorder.entries.count >= 1)
                if length >= sample.first.count + 4 { #expect(error?.kind == .truncated && error?.exitStatus == 1) }
            }
        }
    }

    @Test(arguments: samples)
    func everyByteDamaged(sample: Sample) {
        let whole = sample.first + sample.second
        let file = TemporaryFile()
        for index in whole.indices {
            for value in [0, 0xFF, whole[index] ^ 0x10] as [UInt8] {
                var damaged = whole
                damaged[index] = value
                // What comes out cannot be foretold; it must end, and not crash.
                _ = readCapture(damaged, in: file)
            }
        }
    }

    @Test(arguments: samples)
    func whatFollowsTheLastFrameIsNamed(sample: Sample) {
        let (recorder, error, _) = readCapture(sample.first + Array("garbage".utf8))
        #expect(recorder.entries.count == 1)
        #expect(error?.kind == .corrupt)
        #expect(error?.byteOffset == UInt64(sample.first.count))
    }

    @Test func whatIsInsideIsNamedAsWell() {
        // gzip of nothing.
        let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let (_, error, _) = readCapture(empty)
        #expect(error?.kind == .notACapture)
        #expect(error?.message.contains("empty") == true)
    }
}
