import ESProtocol
import TestSupport
import Testing

@Suite struct PrimitiveTests {
    private func written(_ write: (inout PrimitiveWriter) -> Void) -> [UInt8] {
        var writer = PrimitiveWriter()
        write(&writer)
        return writer.bytes
    }

    /// The examples of PROTOCOL.md section 3, which the original serializer wrote.
    @Test func theyAreWrittenAsTheSerializerDoes() {
        #expect(written { $0.object { $0.append(Int32(0x0102_0304)) } } == [4, 0, 0, 0, 4, 3, 2, 1])
        #expect(
            written { $0.object { $0.append("中文") } } == [
                10, 0, 0, 0, 6, 0, 0, 0, 0xE4, 0xB8, 0xAD, 0xE6, 0x96, 0x87,
            ]
        )
        #expect(
            written { writer in
                writer.object { $0.append(list: ["ab", nil, "cde"]) { $0.append($1) } }
            } == [
                0x15, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0x61, 0x62, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0, 0, 0x63, 0x64, 0x65,
            ]
        )
        #expect(written { $0.append(String?.none) } == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(written { $0.append([UInt8]?.none) } == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(written { $0.append([String]?.none) } == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(written { $0.append("") } == [0, 0, 0, 0])
        #expect(written { $0.append(UInt16(0xFEED)) } == [0xED, 0xFE])
        #expect(written { $0.append(true) } == [1])
        #expect(written { $0.append(1.5) } == [0, 0, 0, 0, 0, 0, 0xF8, 0x3F])
        #expect(written { $0.append(Float(1.5)) } == [0, 0, 0xC0, 0x3F])
        #expect(written { $0.append(Int64(-2)) } == [0xFE] + [UInt8](repeating: 0xFF, count: 7))
    }

    @Test func whatIsWrittenIsRead() throws {
        let bytes = written {
            $0.append(true)
            $0.append(UInt8(7))
            $0.append(Int16(-3))
            $0.append(UInt16(65_535))
            $0.append(Int32.min)
            $0.append(UInt32.max)
            $0.append(Int64.min)
            $0.append(UInt64.max)
            $0.append(Float(-0.5))
            $0.append(2.25)
            $0.append("text 文")
            $0.append(String?.none)
            $0.append([1, 2] as [UInt8])
            $0.append(["a", "b"])
            $0.object { $0.append("inner") }
        }
        var reader = PrimitiveReader(bytes)
        #expect(try reader.bool())
        #expect(try reader.uint8() == 7)
        #expect(try reader.int16() == -3)
        #expect(try reader.uint16() == 65_535)
        #expect(try reader.int32() == .min)
        #expect(try reader.uint32() == .max)
        #expect(try reader.int64() == .min)
        #expect(try reader.uint64() == .max)
        #expect(try reader.float() == -0.5)
        #expect(try reader.double() == 2.25)
        #expect(try reader.string() == "text 文")
        #expect(try reader.string() == nil)
        #expect(try reader.lengthPrefixedBytes() == [1, 2])
        #expect(try reader.strings() == ["a", "b"])
        let object = try reader.object()
        var inner = try #require(object)
        #expect(try inner.string() == "inner")
        #expect(reader.remaining == 0 && inner.remaining == 0)
    }

    @Test func whatIsTooShortIsAnErrorAndReadsNothing() throws {
        var reader = PrimitiveReader([5, 0, 0, 0, 1])
        #expect(throws: BodyError.self) { try reader.string() }
        #expect(throws: BodyError.self) { try reader.int64() }
        #expect(reader.offset == 0)
        #expect(try reader.int32() == 5)
        #expect(try reader.uint8() == 1)
        #expect(throws: BodyError.self) { try reader.uint8() }
        var huge = PrimitiveReader([0xFF, 0xFF, 0xFF, 0x7F, 0])
        #expect(throws: BodyError.self) { try huge.strings() }
        #expect(throws: BodyError.self) { try huge.object() }
    }
}
