@testable import BodyDescription
import Testing

/// Cases at the edges of the language, where its user guide and the habits of its other readers decide.
@Suite struct EdgeCaseTests {
    @Test(arguments: [
        DescriptionCase(
            "the place within bits is behind the byte that they are from",
            """
            meta: {id: t}
            seq:
              - {id: a, type: b3}
              - {id: b, type: b5, if: _io.pos == 1}
              - {id: c, type: b1, if: _io.pos == 1}
              - {id: d, type: b7, if: _io.pos == 2}
            """,
            "ff 80",
            #"{"a":7,"b":31,"c":true,"d":0}"#
        ),
        DescriptionCase(
            "the stream ends when the last bit is read; no bytes go to the next whole one",
            """
            meta: {id: t, bit-endian: be}
            seq:
              - {id: a, type: b12}
              - {id: b, type: b4, if: not _io.eof}
              - {id: c, type: b8, if: not _io.eof}
              - {id: none, size: 0}
              - {id: d, type: b8, if: _io.eof == false}
            """,
            "1234",
            #"{"a":291,"b":4,"c":null,"none":"","d":null}"#
        ),
        DescriptionCase(
            "padding that is the terminator: the first of them ends the value",
            """
            meta: {id: t}
            seq:
              - {id: a, size: 6, terminator: 0x40, pad-right: 0x40}
              - {id: b, size: 6, terminator: 0x40, pad-right: 0x2b, include: true}
              - {id: c, size: 6, terminator: 0x2e, pad-right: 0x2e, include: true}
              - {id: d, size: 0, terminator: 0x40, pad-right: 0x2b}
            """,
            "614062404040 6162402b2b2b 612e622e2e2e",
            #"{"a":"61","b":"616240","c":"612e","d":""}"#
        ),
        DescriptionCase(
            "a great unsigned count is not negative",
            "{meta: {id: t, endian: le}, seq: [{id: n, type: u4}, {id: l, type: u1, repeat: expr, repeat-expr: n}, {id: x, type: u1}]}",
            "feffffff 01",
            #"{"n":4294967294,"l":[1]}"#,
            errors: ["l[1] at offset 5: needs 1 byte, 0 are left"]
        ),
        DescriptionCase(
            "an instance with io and without pos goes on where that stream stands",
            """
            meta: {id: t}
            seq: [{id: room, type: inner, size: 3}, {id: after, type: u1}]
            types: {inner: {seq: [{id: x, type: u1}]}}
            instances:
              first: {io: room._io, type: u1}
              second: {value: first + 1}
            """,
            "010203 04",
            #"{"room":{"x":1},"after":4,"first":2,"second":3}"#
        ),
        DescriptionCase(
            "numbers of seven bits a byte",
            """
            meta: {id: t}
            seq: [{id: v, type: vlq, repeat: eos}]
            types:
              vlq:
                seq: [{id: groups, type: group, repeat: until, repeat-until: not _.has_next}]
                instances:
                  last: {value: groups.size - 1}
                  value:
                    value: >-
                      (groups[last].value
                      + (last >= 1 ? (groups[last - 1].value << 7) : 0)
                      + (last >= 2 ? (groups[last - 2].value << 14) : 0)).as<u8>
              group: {seq: [{id: has_next, type: b1}, {id: value, type: b7}]}
            """,
            "05 8101",
            #"{"v":[{"groups":[{"has_next":false,"value":5}],"last":0,"value":5},{"groups":[{"has_next":true,"value":1},{"has_next":false,"value":1}],"last":1,"value":129}]}"#
        ),
        DescriptionCase(
            "decimal digits by a type with parameters",
            """
            meta: {id: t}
            seq: [{id: le, type: 'bcd(2, true)'}, {id: be, type: 'bcd(2, false)'}]
            types:
              bcd:
                params: [{id: n, type: u1}, {id: is_le, type: b1}]
                seq: [{id: digits, type: digit, repeat: expr, repeat-expr: n}]
                instances:
                  a: {value: 'digits[0].high * 10 + digits[0].low'}
                  b: {value: 'digits[1].high * 10 + digits[1].low'}
                  as_int: {value: 'is_le ? b * 100 + a : a * 100 + b'}
                  as_str: {value: 'a.to_s + b.to_s'}
              digit: {seq: [{id: high, type: b4}, {id: low, type: b4}]}
            """,
            "1234 1234",
            #"{"le":{"n":2,"is_le":true,"digits":[{"high":1,"low":2},{"high":3,"low":4}],"a":12,"b":34,"as_int":3412,"as_str":"1234"},"be":{"n":2,"is_le":false,"digits":[{"high":1,"low":2},{"high":3,"low":4}],"a":12,"b":34,"as_int":1234,"as_str":"1234"}}"#
        ),
        DescriptionCase(
            "padding and the terminator go before what a process makes of the rest",
            """
            meta: {id: t}
            seq:
              - {id: a, size: 4, pad-right: 0x40, process: xor(1)}
              - {id: b, size: 4, terminator: 0x40, process: xor(1)}
              - {id: c, terminator: 0, type: inner, process: xor(1)}
            types: {inner: {seq: [{id: x, type: u1}, {id: y, size-eos: true}]}}
            """,
            "60614040 60406140 606100",
            #"{"a":"6160","b":"61","c":{"x":97,"y":"60"}}"#
        ),
        DescriptionCase(
            "one of two objects, and its stream",
            """
            meta: {id: t}
            seq: [{id: flag, type: u1}, {id: a, type: inner, size: 2}, {id: b, type: inner, size: 3}]
            types: {inner: {seq: [{id: x, type: u1}]}}
            instances:
              size: {value: '(flag == 1 ? a : b)._io.size'}
              x: {value: '(flag == 1 ? a : b).x'}
              other: {value: '(flag == 1 ? a._io : b._io).size'}
            """,
            "02 0102 030405",
            #"{"flag":2,"a":{"x":1},"b":{"x":3},"size":3,"x":3,"other":3}"#
        ),
        DescriptionCase(
            "what is not there is not checked; a choice of numbers is",
            """
            meta: {id: t, endian: be}
            seq:
              - {id: a, type: u1, if: false, valid: 9}
              - {id: k, type: u1}
              - {id: b, type: {switch-on: k, cases: {1: u1, 2: u2, _: u4}}, valid: 258}
            """,
            "02 0102",
            #"{"a":null,"k":2,"b":258}"#
        ),
        DescriptionCase(
            "escapes of characters in texts",
            """
            meta: {id: t}
            instances:
              octal: {value: '"\\0\\1\\75\\62\\0622"'}
              letters: {value: '"\\a\\b\\n\\t\\r\\v\\f\\e"'}
              quotes: {value: '"\\"\\u0022\\042"'}
              dollars: {value: '"$foo#{bar}@x"'}
              plain: {value: "'\\\\n'"}
            """,
            "",
            #"{"octal":"\u0000\u0001=222","letters":"\u0007\u0008\u000a\u0009\u000d\u000b\u000c\u001b","quotes":"\"\"\"","dollars":"$foo#{bar}@x","plain":"\\n"}"#
        ),
        DescriptionCase(
            "texts with values in them",
            """
            meta: {id: t, encoding: ASCII}
            seq: [{id: s, type: str, size: 2}, {id: n, type: u1}]
            instances:
              empty: {value: 'f""'}
              both: {value: 'f"{s}={n}"'}
              inner: {value: "f\\"abc={'foo'}\\\\n\\""}
            """,
            "6869 07",
            #"{"s":"hi","n":7,"empty":"","both":"hi=7","inner":"abc=foo\u000a"}"#
        ),
        DescriptionCase(
            "enums in nested types, with a type and values, negative, and of 32 and 64 bits",
            """
            meta: {id: t, endian: be}
            seq:
              - {id: a, type: u1, enum: 'one::two::animal'}
              - {id: b, type: s1, enum: range}
              - {id: c, type: u4, enum: range}
              - {id: d, type: u8, enum: range}
            instances: {is_hare: {value: 'a == one::two::animal::hare'}, same: {value: 'b == range::minus'}}
            enums: {range: {-1: minus, 0xffffffff: most, 18446744073709551615: all}}
            types: {one: {types: {two: {enums: {animal: {type: u4, values: {12: hare}}}}}}}
            """,
            "0c ff ffffffff ffffffffffffffff",
            #"{"a":{"name":"hare","value":12},"b":{"name":"minus","value":-1},"c":{"name":"most","value":4294967295},"d":{"name":"all","value":18446744073709551615},"is_hare":true,"same":true}"#
        ),
        DescriptionCase(
            "a terminator that is included and left for the next field, of bytes and of an object",
            """
            meta: {id: t}
            seq:
              - {id: a, terminator: 0x7c, include: true, consume: false}
              - {id: bar, type: u1}
              - {id: b, terminator: 0x7c, type: rest, include: true}
              - {id: c, terminator: 0x7c, consume: false, eos-error: false}
              - {id: d, size-eos: true}
            types: {rest: {seq: [{id: r, size-eos: true}]}}
            """,
            "617c 627c 6364",
            #"{"a":"617c","bar":124,"b":{"r":"627c"},"c":"6364","d":""}"#
        ),
        DescriptionCase(
            "another parent, and none",
            """
            meta: {id: t}
            seq: [{id: n, type: u1}, {id: a, type: mediator}, {id: b, type: child, parent: a}]
            types:
              mediator: {seq: [{id: n, type: u1}, {id: c, type: child, parent: _root}]}
              child: {seq: [{id: data, size: _parent.n}]}
            """,
            "02 01 0304 05",
            #"{"n":2,"a":{"n":1,"c":{"data":"0304"}},"b":{"data":"05"}}"#
        ),
        DescriptionCase(
            "arrays of objects and of texts as parameters",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: p, type: pair, repeat: expr, repeat-expr: 2}
              - {id: u, type: 'use(p, ["ab", "c"], [1, 2])'}
            types:
              pair: {seq: [{id: x, type: u1}]}
              use:
                params: [{id: pairs, type: 'pair[]'}, {id: texts, type: 'str[]'}, {id: data, type: bytes}]
                seq: [{id: b, size: 'pairs[1].x'}]
                instances: {length: {value: 'texts[0].length + data.length'}}
            """,
            "0102 aabb",
            #"{"p":[{"x":1},{"x":2}],"u":{"pairs":[{"x":1},{"x":2}],"texts":["ab","c"],"data":"0102","b":"aabb","length":4}}"#
        ),
        DescriptionCase(
            "elements of bytes until one is as wanted",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: a, size: 2, repeat: until, repeat-until: '_ == [0xaa, 0xbb]'}
              - {id: b, type: str, size: 3, pad-right: 0x20, repeat: until, repeat-until: '_ == "x"'}
              - {id: c, terminator: 0, repeat: until, repeat-until: _.length == 0}
            """,
            "0001 aabb 612020 782020 6100 00",
            #"{"a":["0001","aabb"],"b":["a","x"],"c":["61",""]}"#
        ),
        DescriptionCase(
            "an instance is computed once, and shares its array",
            """
            meta: {id: t}
            seq: [{id: r, size: 2, type: rec, repeat: until, repeat-until: _.m == 9}]
            types: {rec: {seq: [{id: m, type: u1}]}}
            instances: {all: {value: r}, first: {value: all.first.m}, last: {value: all.last._io.size}}
            """,
            "0100 0900",
            #"{"r":[{"m":1},{"m":9}],"all":[{"m":1},{"m":9}],"first":1,"last":2}"#
        ),
    ])
    func reads(_ example: DescriptionCase) throws { try example.check() }

    @Test func descriptionsThatImportEachOther() throws {
        let files = [
            "f/main.ksy":
                "{meta: {id: main, imports: [check]}, seq: [{id: n, type: u1, enum: k}, {id: c, type: check(_root)}], enums: {k: {7: seven}}}",
            "f/check.ksy":
                "{meta: {id: check, imports: [main]}, params: [{id: p, type: main}], instances: {is_seven: {value: 'p.n == main::k::seven'}}}",
        ]
        for name in ["f/main.ksy", "./f/main.ksy", "f/../f/main.ksy"] {
            let text = try #require(files["f/main.ksy"])
            let file = try DescriptionFile(text, name: name) { files[$0].map { Array($0.utf8) } }
            let result = file.tree(of: [7])
            #expect(result.errors.isEmpty)
            #expect(json(result.value).hasSuffix("\"is_seven\":true}}"))
        }
    }

    @Test func valuesThatLeadBackToTheirHolderAreShownOnce() throws {
        let file = try DescriptionFile(
            "{meta: {id: t}, seq: [{id: a, type: u1}, {id: c, type: one}], types: {one: {instances: {up: {value: _parent}}}}}",
            name: "t.ksy"
        )
        #expect(json(file.tree(of: [1]).value) == #"{"a":1,"c":{"up":null}}"#)
    }
}
