import Testing

/// The expression language.
@Suite struct ExpressionTests {
    @Test(arguments: [
        DescriptionCase(
            "arithmetic",
            """
            meta: {id: t}
            seq: [{id: n, type: s1}]
            instances:
              a: {value: 1 + 2 * 3 - -4}
              b: {value: (1 + 2) * 3}
              c: {value: 7 / 2}
              d: {value: -7 / 2}
              e: {value: n / 3}
              f: {value: -7 % 3}
              g: {value: 7 % -3}
              h: {value: 7 / 2.0}
              i: {value: 1.5e3 + 1}
              j: {value: 0xff + 0b11 + 0o17 + 1_000}
              k: {value: -9223372036854775808}
              l: {value: 0xffffffffffffffff - 1}
              m: {value: +n * 2}
              o: {value: -7.5 % 2}
            """,
            "f9",
            #"{"n":-7,"a":11,"b":9,"c":3,"d":-4,"e":-3,"f":2,"g":-2,"h":3.5,"i":1501.0,"j":1273,"k":-9223372036854775808,"l":18446744073709551614,"m":-14,"o":0.5}"#
        ),
        DescriptionCase(
            "bits and shifts",
            """
            meta: {id: t}
            instances:
              a: {value: 0b1100 & 0b1010 | 0b1}
              b: {value: 0b1100 ^ 0b1010}
              c: {value: ~0}
              d: {value: 1 << 63}
              e: {value: 0x80000000 >> 1}
              f: {value: -8 >> 1}
              g: {value: -1 & 0xffffffffffffffff}
              h: {value: (5 >> 1) ^ -(5 & 1)}
              i: {value: 1 + 1 << 3}
              j: {value: 6 & 3 == 2}
              k: {value: 1 << 0}
              l: {value: 1 >> 64}
              m: {value: 2 | 1 == 3}
            """,
            "",
            #"{"a":9,"b":6,"c":-1,"d":9223372036854775808,"e":1073741824,"f":-4,"g":18446744073709551615,"h":-3,"i":16,"j":true,"k":1,"l":0,"m":true}"#
        ),
        DescriptionCase(
            "results that do not fit, and divisions by zero",
            """
            meta: {id: t}
            seq: [{id: n, type: u8le}]
            instances:
              a: {value: n + 1}
              b: {value: n * n}
              c: {value: 1 / (n - n)}
              d: {value: 1 % (n - n)}
              e: {value: n << 1}
              f: {value: 1 << -n.to_s.length}
              g: {value: ~n}
              h: {value: -n}
            """,
            "ffffffffffffffff",
            #"{"n":18446744073709551615}"#,
            errors: [
                "a: the result does not fit 64 bits", "b: the result does not fit 64 bits", "c: a division by zero",
                "d: a division by zero", "e: the result does not fit 64 bits", "f: the result does not fit 64 bits",
                "g: the result does not fit 64 bits", "h: the result does not fit 64 bits",
            ]
        ),
        DescriptionCase(
            "comparisons and logic",
            """
            meta: {id: t}
            instances:
              a: {value: 1 < 2 and 2 <= 2}
              b: {value: not (1 == 2) and true}
              c: {value: not 1 == 2 or false}
              d: {value: '"abc" < "abd"'}
              e: {value: '"abc" == "abc"'}
              f: {value: '[1, 2] == [1, 2]'}
              g: {value: '[1, 200] > [1, 2, 3]'}
              h: {value: 1 == 1.0}
              i: {value: '1 > 2 ? "yes" : 2 > 1 ? "no" : "never"'}
              j: {value: false and 1 / 0 == 1}
              k: {value: true or 1 / 0 == 1}
              l: {value: 0.0 / 0.0 == 0.0 / 0.0}
              m: {value: 0.0 / 0.0 >= 0}
              n: {value: true != false}
              o: {value: '"\\u00e9" == "e\\u0301"'}
            """,
            "",
            #"{"a":true,"b":true,"c":true,"d":true,"e":true,"f":true,"g":true,"h":true,"i":"no","j":false,"k":true,"l":false,"m":false,"n":true,"o":false}"#
        ),
        DescriptionCase(
            "text is counted and cut by characters",
            """
            meta: {id: t, encoding: UTF-8}
            seq: [{id: s, type: str, size-eos: true}]
            instances:
              a: {value: s.length}
              b: {value: s.reverse}
              c: {value: 's.substring(1, 3)'}
              d: {value: 's + "!" + ''x'''}
              e: {value: '"12".to_i + "ff".to_i(16) + "-101".to_i(2)'}
              f: {value: 1234.to_s + (-5).to_s}
              g: {value: '"a\\tb\\x41\\u00e9\\101\\"\\\\"'}
              h: {value: '''a\\tb'''}
              i: {value: 's.substring(3, 100)'}
              j: {value: 's.substring(2, 1)'}
              k: {value: '"a" "b"'}
              l: {value: 'f"{s.length}:{s}{{x}}"'}
              m: {value: 's.reverse.length > 3 ? s.substring(0, 1) : s'}
            """,
            "61f09f9880e4bda0cc81",
            #"{"s":"a😀你́","a":4,"b":"́你😀a","c":"😀你","d":"a😀你́!x","e":262,"f":"1234-5","g":"a\u0009bAéA\"\\","h":"a\\tb","i":"́","j":"","k":"ab","l":"4:a😀你́{x}","m":"a"}"#
        ),
        DescriptionCase(
            "text that is no number",
            """
            meta: {id: t}
            instances:
              a: {value: '"9173abc".to_i'}
              b: {value: '"9173abc".to_i(16)'}
              c: {value: '"".to_i'}
              d: {value: '"99999999999999999999".to_i'}
            """,
            "",
            #"{"b":152517308}"#,
            errors: [
                "a: the text is no number of radix 10", "c: the text is no number", "d: the text is no number",
            ]
        ),
        DescriptionCase(
            "bytes",
            """
            meta: {id: t}
            seq: [{id: s, size: 3}, {id: n, type: u1}]
            instances:
              a: {value: s.length + s.size}
              b: {value: 's[1]'}
              c: {value: s.first * 100 + s.last}
              d: {value: s.min + s.max}
              e: {value: 's == [0x41, 0x80, 0x4b]'}
              f: {value: 's.to_s("IBM866")'}
              g: {value: '[n, n + 1].as<bytes>'}
              h: {value: '[65, 66].to_s("ASCII")'}
              i: {value: '[].as<bytes>'}
              j: {value: 's[3]'}
            """,
            "41804b 05",
            #"{"s":"41804b","n":5,"a":6,"b":128,"c":6575,"d":193,"e":true,"f":"AАK","g":"0506","h":"AB","i":""}"#,
            errors: ["j: there is no byte 3 of 3"]
        ),
        DescriptionCase(
            "arrays",
            """
            meta: {id: t, encoding: ASCII}
            seq: [{id: a, type: u1, repeat: expr, repeat-expr: 3}, {id: s, type: strz, repeat: eos}]
            instances:
              first: {value: a.first}
              last: {value: a.last}
              least: {value: a.min}
              most: {value: a.max}
              count: {value: a.size + s.length}
              item: {value: 'a[2] + a[a[0]]'}
              text: {value: s.max + s.min}
              literal: {value: '[1, 500, -3].min'}
              numbers: {value: '[1, 2].as<u1[]>'}
              mixed: {value: '[a[0], 2, 3.5]'}
              texts: {value: '["x", "y"][1]'}
              none: {value: 's[2]'}
            """,
            "010902 6200 6100",
            #"{"a":[1,9,2],"s":["b","a"],"first":1,"last":2,"least":1,"most":9,"count":5,"item":11,"text":"ba","literal":-3,"numbers":[1,2],"mixed":[1,2,3.5],"texts":"y"}"#,
            errors: ["none: there is no element 2 of 2"]
        ),
        DescriptionCase(
            "conversions",
            """
            meta: {id: t}
            seq: [{id: f, type: f4le}, {id: e, type: u1, enum: animal}, {id: b, type: b1}]
            instances:
              a: {value: f.to_i}
              c: {value: (-2.9).to_i}
              d: {value: e.to_i + 1}
              g: {value: b.to_i}
              h: {value: 'e == animal::cat'}
              i: {value: 'animal::dog.to_i'}
              j: {value: e.to_s}
              k: {value: 1e30.to_i}
              l: {value: 'animal::dog'}
            enums: {animal: {4: dog, 7: cat}}
            """,
            "0000c03f 07 80",
            #"{"f":1.5,"e":{"name":"cat","value":7},"b":true,"a":1,"c":-2,"d":8,"g":1,"h":true,"i":4,"j":"cat","l":{"name":"dog","value":4}}"#,
            errors: ["k: 1e+30 is too great for an integer"]
        ),
        DescriptionCase(
            "the stream",
            """
            meta: {id: t}
            seq:
              - {id: a, type: u1}
              - {id: b, size: 2, type: inner}
              - {id: c, size: _io.size - _io.pos - 1}
              - {id: d, type: u1, if: not _io.eof}
              - {id: e, type: u1, if: not _io.eof}
            instances:
              whole: {value: _io.size}
              part: {value: b._io.size}
              root: {value: b.x._io.pos}
            types: {inner: {seq: [{id: x, type: deep}], instances: {outer: {value: _parent._io.size}}}, deep: {seq: [{id: y, type: u1}]}}
            """,
            "01 0203 0405 06",
            #"{"a":1,"b":{"x":{"y":2},"outer":6},"c":"0405","d":6,"e":null,"whole":6,"part":2,"root":1}"#
        ),
        DescriptionCase(
            "sizes of types and fields",
            """
            meta: {id: t, endian: le}
            seq: [{id: b, type: block}, {id: s, type: block, size: 12}, {id: c, size: 3}]
            instances:
              a: {value: sizeof<block>}
              d: {value: bitsizeof<bits>}
              e: {value: sizeof<bits>}
              f: {value: b._sizeof}
              g: {value: s._sizeof}
              h: {value: b.y._sizeof}
              i: {value: c._sizeof}
              j: {value: sizeof<u4> + sizeof<b9>}
              k: {value: sizeof<block::sub>}
            types:
              block:
                seq: [{id: x, type: u1}, {id: y, type: u4}, {id: z, size: 2}]
                instances: {own: {value: _sizeof}}
                types: {sub: {seq: [{id: q, contents: abc}]}}
              bits: {seq: [{id: x, type: b3}, {id: y, type: b7}]}
            """,
            "01 00000000 0000 02 00000000 0000 0000000000 000000",
            #"{"b":{"x":1,"y":0,"z":"0000","own":7},"s":{"x":2,"y":0,"z":"0000","own":7},"c":"000000","a":7,"d":10,"e":2,"f":7,"g":12,"h":4,"i":3,"j":6,"k":3}"#
        ),
        DescriptionCase(
            "a field that is not there",
            """
            meta: {id: t}
            seq: [{id: a, type: u1}, {id: b, type: u1, if: a > 1}]
            instances: {c: {value: b + 1}, d: {value: b == 1}, e: {value: a, if: a == 2}}
            """,
            "01",
            #"{"a":1,"b":null,"d":false,"e":null}"#,
            errors: ["c: + is applied to nothing (its condition does not hold) and an integer"]
        ),
        DescriptionCase(
            "instances that depend on themselves",
            "{meta: {id: t}, instances: {a: {value: b + 1}, b: {value: a + 1}}}",
            "",
            #"{}"#,
            errors: ["b: \"a\" depends on itself", "a: \"b\" depends on itself"]
        ),
    ])
    func computes(_ example: DescriptionCase) throws { try example.check() }
}
