import Testing

/// Text and bytes: where they end, what is cut off, encodings, processes.
@Suite struct TextTests {
    @Test(arguments: [
        DescriptionCase(
            "sizes, and the rest",
            """
            meta: {id: t, encoding: UTF-8}
            seq:
              - {id: a, type: str, size: 3}
              - {id: b, size: 2}
              - {id: n, type: u1}
              - {id: c, type: str, size: n + 1}
              - {id: d, type: str, size-eos: true}
            """,
            "616263 0102 01 7a7a e4bda0",
            #"{"a":"abc","b":"0102","n":1,"c":"zz","d":"你"}"#
        ),
        DescriptionCase(
            "terminators: consumed, left, included, missing",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: a, type: strz}
              - {id: b, type: str, terminator: 0x7c, consume: false}
              - {id: bar, type: u1}
              - {id: c, terminator: 0x7c, include: true}
              - {id: d, type: str, terminator: 0x40, consume: false, include: true}
              - {id: at, type: u1}
              - {id: e, type: strz, eos-error: false}
            """,
            "6100 62 7c 63 7c 64 40 65 66",
            #"{"a":"a","b":"b","bar":124,"c":"637c","d":"d@","at":64,"e":"ef"}"#
        ),
        DescriptionCase(
            "a terminator that is missing",
            "{meta: {id: t, encoding: ASCII}, seq: [{id: a, type: strz}, {id: b, type: strz}]}",
            "6100 6263",
            #"{"a":"a"}"#,
            errors: ["b at offset 2: ends with 00, which is not in the 2 bytes that are left"]
        ),
        DescriptionCase(
            "padding and terminators inside a size",
            """
            meta: {id: t, encoding: UTF-8}
            seq:
              - {id: a, type: str, size: 6, pad-right: 0x40}
              - {id: b, type: str, size: 6, terminator: 0x40}
              - {id: c, type: str, size: 6, terminator: 0x40, pad-right: 0x2b}
              - {id: d, type: str, size: 6, terminator: 0x40, include: true}
              - {id: e, type: strz, size: 4}
              - {id: f, type: str, size: 6, terminator: 0x40, pad-right: 0x40}
              - {id: g, size: 4, pad-right: 0}
            """,
            "73747240404061624063644073402b2b2b2b 616240404041 6162 00 63 6140404040 40 00000000",
            #"{"a":"str","b":"ab","c":"s","d":"ab@","e":"ab","f":"a","g":""}"#
        ),
        DescriptionCase(
            "UTF-16 ends with two zero bytes at an even place",
            """
            meta: {id: t}
            seq:
              - {id: a, type: strz, encoding: UTF-16LE}
              - {id: b, type: strz, encoding: UTF-16BE}
              - {id: c, type: strz, size: 8, encoding: UTF-16LE}
              - {id: d, type: str, size-eos: true, encoding: UTF-16LE}
            """,
            "0061 6000 0000 4f60 0000 6100 0000 6200 6300 3dd800de",
            #"{"a":"愀`","b":"你","c":"a","d":"😀"}"#
        ),
        DescriptionCase(
            "encodings that iconv knows, and bytes that are no character",
            """
            meta: {id: t}
            seq:
              - {id: a, type: str, size: 4, encoding: GB18030}
              - {id: b, type: str, size: 2, encoding: GBK}
              - {id: c, type: str, size: 4, encoding: Shift_JIS}
              - {id: d, type: str, size: 1, encoding: IBM437}
              - {id: e, type: str, size: 1, encoding: ISO-8859-1}
              - {id: f, type: str, size: 3, encoding: GBK}
              - {id: g, type: str, size: 2, encoding: UTF-8}
              - {id: h, type: str, size: 2, encoding: ASCII}
              - {id: i, type: str, size: 1, encoding: windows-1252}
            """,
            "c4e3bac3 c4e3 82b182f1 e4 e4 61ff62 ff61 61e4 80",
            #"{"a":"你好","b":"你","c":"こん","d":"Σ","e":"ä","f":"a�b","g":"�a","h":"a�","i":"€"}"#
        ),
        DescriptionCase(
            "several bytes as a terminator",
            "{meta: {id: t, encoding: ASCII}, seq: [{id: a, type: str, terminator: [13, 10]}, {id: b, size-eos: true}]}",
            "61 62 0d0a 0d",
            #"{"a":"ab","b":"0d"}"#
        ),
        DescriptionCase(
            "contents",
            """
            meta: {id: t}
            seq:
              - {id: a, contents: PK}
              - {id: b, contents: [0x31, abc, 2]}
              - {contents: [0xff]}
            """,
            "504b 31 616263 02 fe",
            #"{"a":"504b","b":"3161626302"}"#,
            errors: ["_unnamed2 at offset 7: is fe, and must be ff"]
        ),
        DescriptionCase(
            "processes: xor with a number, with bytes and with a field; rotation",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: key, type: u1}
              - {id: a, size: 2, process: xor(0xff)}
              - {id: b, size: 3, process: 'xor([1, 2])'}
              - {id: c, type: str, size: 2, process: xor(key)}
              - {id: d, size: 2, process: rol(4)}
              - {id: e, size: 1, process: ror(1)}
              - {id: f, type: inner, size: 2, process: xor(key)}
            types: {inner: {seq: [{id: x, type: u2be}]}}
            """,
            "01 00ff 010101 6063 1234 01 0000",
            #"{"key":1,"a":"ff00","b":"000300","c":"ab","d":"2143","e":"80","f":{"x":257}}"#
        ),
        DescriptionCase(
            "zlib",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: n, type: u1}
              - {id: a, type: inner, size: n, process: zlib}
              - {id: b, type: u1}
            types: {inner: {seq: [{id: x, type: str, size: 3}, {id: y, type: str, size-eos: true}]}}
            """,
            "0d 789ccb48cdc9c907000 62c0215 07".replacing(" ", with: ""),
            #"{"n":13,"a":{"x":"hel","y":"lo"},"b":7}"#
        ),
        DescriptionCase(
            "zlib that is damaged",
            "{meta: {id: t}, seq: [{id: a, size-eos: true, process: zlib}]}",
            "789c0000",
            #"{}"#,
            errors: ["a at offset 0: zlib: "]
        ),
        DescriptionCase(
            "an object in a room of its own sees only that room",
            """
            meta: {id: t}
            seq:
              - {id: a, size: 3, type: inner}
              - {id: b, type: u1}
              - {id: c, type: inner, terminator: 0}
              - {id: d, type: inner, size: 4, pad-right: 0}
            types: {inner: {seq: [{id: x, type: u1}, {id: y, size-eos: true}], instances: {n: {value: _io.size}}}}
            """,
            "010203 04 0506 00 07080000",
            #"{"a":{"x":1,"y":"0203","n":3},"b":4,"c":{"x":5,"y":"06","n":2},"d":{"x":7,"y":"08","n":2}}"#
        ),
        DescriptionCase(
            "what is read of an object stays when it ends too early",
            """
            meta: {id: t, encoding: ASCII}
            seq: [{id: a, type: inner}, {id: b, type: u1}]
            types: {inner: {seq: [{id: x, type: u1}, {id: y, type: item, repeat: expr, repeat-expr: 3}]}, item: {seq: [{id: z, type: u2be}]}}
            """,
            "01 0002 00",
            #"{"a":{"x":1,"y":[{"z":2},{}]}}"#,
            errors: ["a.y[1].z at offset 3: needs 2 bytes, 1 is left"]
        ),
    ])
    func reads(_ example: DescriptionCase) throws { try example.check() }
}
