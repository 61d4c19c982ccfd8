import Testing

/// Numbers: widths, signs, byte orders, bits.
@Suite struct NumberTests {
    @Test(arguments: [
        DescriptionCase(
            "integers of every width and both orders",
            """
            meta: {id: t}
            seq:
              - {id: a, type: u1}
              - {id: b, type: s1}
              - {id: c, type: u2le}
              - {id: d, type: u2be}
              - {id: e, type: s2le}
              - {id: f, type: s4be}
              - {id: g, type: u8le}
              - {id: h, type: u8be}
              - {id: i, type: s8be}
            """,
            "ff ff 0102 0102 feff fffffffe ffffffffffffffff 0000000000000001 8000000000000000",
            #"{"a":255,"b":-1,"c":513,"d":258,"e":-2,"f":-2,"g":18446744073709551615,"h":1,"i":-9223372036854775808}"#
        ),
        DescriptionCase(
            "the order of meta, of a nested type, and of the field itself",
            """
            meta: {id: t, endian: be}
            seq:
              - {id: a, type: u2}
              - {id: b, type: inner}
              - {id: c, type: other}
              - {id: d, type: u2le}
            types:
              inner: {seq: [{id: x, type: u2}]}
              other: {meta: {endian: le}, seq: [{id: x, type: u2}]}
            """,
            "0102 0102 0102 0102",
            #"{"a":258,"b":{"x":258},"c":{"x":513},"d":513}"#
        ),
        DescriptionCase(
            "an order that a value decides, and that nested objects inherit",
            """
            meta: {id: t}
            seq: [{id: docs, type: doc, repeat: eos}]
            types:
              doc:
                seq: [{id: mark, size: 2}, {id: body, type: body}]
                types:
                  body:
                    meta:
                      endian: {switch-on: _parent.mark, cases: {'[0x49, 0x49]': le, _: be}}
                    seq: [{id: x, type: u2}, {id: y, type: deep}]
                    types:
                      deep: {seq: [{id: z, type: u2}]}
            """,
            "4949 0100 0200 4d4d 0100 0200",
            #"{"docs":[{"mark":"4949","body":{"x":1,"y":{"z":2}}},{"mark":"4d4d","body":{"x":256,"y":{"z":512}}}]}"#
        ),
        DescriptionCase(
            "an order that no case decides is missed only where it is needed",
            """
            meta: {id: t, endian: {switch-on: mark, cases: {1: le, 2: be}}}
            seq: [{id: a, type: u1}, {id: b, type: u2}]
            instances: {mark: {pos: 0, type: u1}}
            """,
            "03 0000",
            #"{"a":3,"mark":3}"#,
            errors: ["b at offset 1: the byte order is not decided"]
        ),
        DescriptionCase(
            "floats",
            "{meta: {id: t}, seq: [{id: a, type: f4le}, {id: b, type: f8be}, {id: c, type: f4be}, {id: d, type: f8le}]}",
            "0000003f bfd0000000000000 3dcccccd 000000000000f87f",
            #"{"a":0.5,"b":-0.25,"c":0.10000000149011612,"d":nan}"#
        ),
        DescriptionCase(
            "bits, the most significant first",
            """
            meta: {id: t}
            seq:
              - {id: a, type: b1}
              - {id: b, type: b3}
              - {id: c, type: b12}
              - {id: d, type: u1}
              - {id: e, type: b64}
            """,
            "a1 23 45 0102030405060708",
            #"{"a":true,"b":2,"c":291,"d":69,"e":72623859790382856}"#
        ),
        DescriptionCase(
            "bits, the least significant first",
            """
            meta: {id: t, bit-endian: le}
            seq:
              - {id: a, type: b1}
              - {id: b, type: b3}
              - {id: c, type: b12}
              - {id: d, type: b4}
            """,
            "a1 23 45",
            #"{"a":true,"b":0,"c":570,"d":5}"#
        ),
        DescriptionCase(
            "bits that are left over are dropped before whole bytes",
            """
            meta: {id: t}
            seq:
              - {id: a, type: b3}
              - {id: b, type: u1}
              - {id: c, type: b9le}
              - {id: d, type: inner}
              - {id: e, type: b2}
            types: {inner: {seq: [{id: x, type: b4}]}}
            """,
            "e0 07 ff 01 5a",
            #"{"a":7,"b":7,"c":511,"d":{"x":5},"e":2}"#
        ),
        DescriptionCase(
            "bits of 64 across byte borders",
            "{meta: {id: t}, seq: [{id: a, type: b4}, {id: b, type: b64}, {id: c, type: b4}]}",
            "1 2345678 9abcdef0 1 2",
            #"{"a":1,"b":2541551405711093505,"c":2}"#
        ),
        DescriptionCase(
            "bits of 64 across byte borders, the least significant first",
            "{meta: {id: t, bit-endian: le}, seq: [{id: a, type: b4}, {id: b, type: b64}, {id: c, type: b4}]}",
            "21 43 65 87 a9 cb ed 0f 21",
            #"{"a":1,"b":1224658842671273010,"c":2}"#
        ),
        DescriptionCase(
            "one bit is a boolean, unless it is an enum; bits end the stream only when all are used",
            """
            meta: {id: t}
            seq:
              - {id: a, type: b1, enum: yn}
              - {id: b, type: b7}
            instances:
              early: {value: _io.eof}
            enums: {yn: {0: n, 1: y}}
            """,
            "83",
            #"{"a":{"name":"y","value":1},"b":3,"early":true}"#
        ),
        DescriptionCase(
            "a number that is cut short",
            "{meta: {id: t}, seq: [{id: a, type: u1}, {id: b, type: u4le}]}",
            "01 0203",
            #"{"a":1}"#,
            errors: ["b at offset 1: needs 4 bytes, 2 are left"]
        ),
        DescriptionCase(
            "bits that are cut short",
            "{meta: {id: t}, seq: [{id: a, type: b4}, {id: b, type: b13}]}",
            "ff 00",
            #"{"a":15}"#,
            errors: ["b at offset 1: needs 2 bytes, 1 is left"]
        ),
    ])
    func reads(_ example: DescriptionCase) throws { try example.check() }
}
