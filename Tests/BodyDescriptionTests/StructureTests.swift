import Testing

/// What types are made of: repetitions, conditions, choices, instances, parameters, enums, the ways from one object to another.
@Suite struct StructureTests {
    @Test(arguments: [
        DescriptionCase(
            "repetitions",
            """
            meta: {id: t}
            seq:
              - {id: n, type: u1}
              - {id: a, type: u1, repeat: expr, repeat-expr: n}
              - {id: b, type: u1, repeat: until, repeat-until: _ == 0}
              - {id: c, type: pair, repeat: until, repeat-until: _.x == 9 or _index == 5}
              - {id: d, size: 1, repeat: expr, repeat-expr: -1}
              - {id: e, type: u1, repeat: eos}
              - {id: f, type: u1, repeat: eos}
            types: {pair: {seq: [{id: x, type: u1}]}}
            """,
            "02 0506 010200 0109 0708",
            #"{"n":2,"a":[5,6],"b":[1,2,0],"c":[{"x":1},{"x":9}],"d":[],"e":[7,8],"f":[]}"#
        ),
        DescriptionCase(
            "the index of an element, in sizes, conditions and arguments",
            """
            meta: {id: t}
            seq:
              - {id: a, size: _index + 1, repeat: expr, repeat-expr: 3}
              - {id: b, type: item(_index * 2), repeat: eos}
            types: {item: {params: [{id: i, type: u1}], seq: [{id: x, type: u1}]}}
            """,
            "01 0203 040506 07 08",
            #"{"a":["01","0203","040506"],"b":[{"i":0,"x":7},{"i":2,"x":8}]}"#
        ),
        DescriptionCase(
            "a repetition that ends in the middle of an element",
            "{meta: {id: t}, seq: [{id: a, type: u2be, repeat: eos}]}",
            "0001 00",
            #"{"a":[1]}"#,
            errors: ["a[1] at offset 2: needs 2 bytes, 1 is left"]
        ),
        DescriptionCase(
            "enums, with numbers that have no name",
            """
            meta: {id: t}
            seq:
              - {id: a, type: u1, enum: animal}
              - {id: b, type: u1, enum: animal}
              - {id: c, type: s1, enum: 'inner::mood'}
              - {id: d, type: inner}
              - {id: e, type: b4, enum: animal}
            instances:
              isCat: {value: 'a == animal::cat'}
              calc: {value: 4 + 3, enum: animal}
              deep: {value: 'd.m == inner::mood::bad'}
            types:
              inner:
                seq: [{id: m, type: s1, enum: mood}, {id: x, type: u1, enum: animal}]
                enums: {mood: {-1: {id: bad, doc: not good}, 0x2: good}}
            enums: {animal: {4: dog, 7: {id: cat, -orig-id: CAT}}}
            """.replacing("isCat", with: "is_cat"),
            "07 09 ff ff04 70",
            #"{"a":{"name":"cat","value":7},"b":{"name":null,"value":9},"c":{"name":"bad","value":-1},"d":{"m":{"name":"bad","value":-1},"x":{"name":"dog","value":4}},"e":{"name":"cat","value":7},"is_cat":true,"calc":{"name":"cat","value":7},"deep":true}"#
        ),
        DescriptionCase(
            "choices by numbers, texts, bytes, enums; with and without an else",
            """
            meta: {id: t, encoding: ASCII, endian: le}
            seq:
              - {id: k, type: u1}
              - {id: a, type: {switch-on: k, cases: {1: u1, 0x2: u2, _: str}}, size: 3}
              - {id: s, type: str, size: 1}
              - {id: b, type: {switch-on: s, cases: {'"x"': one, "'y'": two}}}
              - {id: m, size: 2}
              - {id: c, type: {switch-on: m, cases: {'[1, 2]': one, '[3, 4]': two}}}
              - {id: e, type: u1, enum: kind}
              - {id: d, type: {switch-on: e, cases: {'kind::first': one, 'kind::second': two}}, size: 2}
              - {id: f, type: {switch-on: e, cases: {'kind::first': one}}, size: 1}
              - {id: g, type: {switch-on: e, cases: {'kind::first': one}}}
              - {id: h, type: {switch-on: k > 1, cases: {true: one, false: two}}}
            types: {one: {seq: [{id: x, type: u1}]}, two: {seq: [{id: y, type: u2}]}}
            enums: {kind: {1: first, 2: second}}
            """.replacing("{1: u1, 0x2: u2, _: str}", with: "{1: one, 0x2: two, _: one}"),
            "02 010200 79 0300 0102 05 02 0100 ff 06",
            #"{"k":2,"a":{"y":513},"s":"y","b":{"y":3},"m":"0102","c":{"x":5},"e":{"name":"second","value":2},"d":{"y":1},"f":"ff","g":null,"h":{"x":6}}"#
        ),
        DescriptionCase(
            "a choice of numbers",
            """
            meta: {id: t, endian: le}
            seq:
              - {id: a, type: item, repeat: eos}
            types:
              item: {seq: [{id: k, type: u1}, {id: v, type: {switch-on: k, cases: {1: u1, 2: u2, 4: u4, 8: s1, _: f4}}}]}
            """,
            "01 07 02 0102 08 ff 09 0000803f",
            #"{"a":[{"k":1,"v":7},{"k":2,"v":513},{"k":8,"v":-1},{"k":9,"v":1.0}]}"#
        ),
        DescriptionCase(
            "instances at positions, in other streams, with conditions and repetitions",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: at, type: u1}
              - {id: room, type: inner, size: 3}
            instances:
              a: {pos: at, type: u1}
              b: {pos: 4, type: str, size: 2}
              c: {pos: 4, type: u1, repeat: expr, repeat-expr: 2}
              d: {io: room._io, pos: 1, size: 2}
              e: {pos: 0, type: u1, if: at == 1}
              f: {pos: 100, type: u1}
              g: {pos: _io.size - 1, type: u1}
              h: {pos: at - 10, type: u1}
            types:
              inner:
                seq: [{id: x, type: u1}]
                instances: {y: {pos: 1, type: u1}, z: {io: _root._io, pos: 0, type: u1}}
            """,
            "05 010203 61 62",
            #"{"at":5,"room":{"x":1,"y":2,"z":5},"a":98,"b":"ab","c":[97,98],"d":"0203","e":null,"g":98}"#,
            errors: ["f: the position 100 is behind the end, at 6", "h: the position -5 is before the beginning"]
        ),
        DescriptionCase(
            "an instance that a field needs is read in between, and the place is kept",
            """
            meta: {id: t}
            seq: [{id: a, type: u1}, {id: b, size: last}, {id: c, type: u1}]
            instances: {last: {pos: _io.size - 1, type: u1}}
            """,
            "01 0203 02",
            #"{"a":1,"b":"0203","c":2,"last":2}"#
        ),
        DescriptionCase(
            "an instance that contains its own type is followed once",
            "{meta: {id: t}, seq: [{id: a, type: u1}], instances: {again: {pos: 0, type: t}}}",
            "05",
            #"{"a":5,"again":{"a":5}}"#
        ),
        DescriptionCase(
            "parameters of every kind",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: n, type: u1}
              - {id: s, type: inner, size: 1}
              - {id: a, type: 'item(n, "x", n == 1, s, s._io, [1, 2], kind::one, [n, n])'}
            types:
              inner: {seq: [{id: x, type: u1}]}
              item:
                params:
                  - {id: num, type: u4}
                  - {id: text, type: str}
                  - {id: flag, type: bool}
                  - {id: obj, type: inner}
                  - {id: io, type: io}
                  - {id: bytes, type: bytes}
                  - {id: kind, type: u1, enum: kind}
                  - {id: list, type: 'u1[]'}
                seq: [{id: b, size: num}, {id: c, type: u1, if: flag}]
                instances: {d: {value: obj.x + list.size}, e: {io: io, pos: 0, type: u1}}
            enums: {kind: {1: one}}
            """,
            "01 09 aa bb",
            #"{"n":1,"s":{"x":9},"a":{"num":1,"text":"x","flag":true,"obj":{"x":9},"bytes":"0102","kind":{"name":"one","value":1},"list":[1,1],"b":"aa","c":187,"d":11,"e":9}}"#
        ),
        DescriptionCase(
            "parent and root",
            """
            meta: {id: t}
            seq: [{id: n, type: u1}, {id: a, type: outer}, {id: b, type: inner, parent: a}, {id: c, type: alone, parent: false}]
            types:
              outer:
                seq: [{id: m, type: u1}, {id: i, type: inner}]
              inner:
                seq: [{id: x, size: _parent.m}]
                instances: {top: {value: _root.n}, up: {value: _parent._parent.as<t>.n}}
              alone: {seq: [{id: y, type: u1}]}
            """,
            "07 01 02 03 04",
            #"{"n":7,"a":{"m":1,"i":{"x":"02","top":7,"up":7}},"b":{"x":"03","top":7,"up":7},"c":{"y":4}}"#
        ),
        DescriptionCase(
            "types are found from inside to outside",
            """
            meta: {id: t}
            seq: [{id: a, type: one}, {id: b, type: 'one::two'}, {id: c, type: two}]
            types:
              one:
                seq: [{id: x, type: two}]
                types: {two: {seq: [{id: y, type: u1}, {id: z, type: three}]}, three: {seq: [{id: v, type: u1}]}}
              two: {seq: [{id: w, type: u1}]}
            """,
            "01 02 03 04 05",
            #"{"a":{"x":{"y":1,"z":{"v":2}}},"b":{"y":3,"z":{"v":4}},"c":{"w":5}}"#
        ),
        DescriptionCase(
            "a type that contains itself",
            """
            meta: {id: t}
            seq: [{id: a, type: u1}, {id: next, type: t, if: a != 0}]
            """,
            "02 01 00",
            #"{"a":2,"next":{"a":1,"next":{"a":0,"next":null}}}"#
        ),
        DescriptionCase(
            "casts, and one that is wrong",
            """
            meta: {id: t}
            seq: [{id: k, type: u1}, {id: a, type: {switch-on: k, cases: {1: one, 2: two}}}]
            instances: {b: {value: a.as<one>.x}, c: {value: a.as<two>.y}, d: {value: (k + 1).as<u1>}}
            types: {one: {seq: [{id: x, type: u1}]}, two: {seq: [{id: y, type: u1}]}}
            """,
            "01 05",
            #"{"k":1,"a":{"x":5},"b":5,"d":2}"#,
            errors: ["c: this is of the type one, not two"]
        ),
        DescriptionCase(
            "what must hold",
            """
            meta: {id: t, encoding: ASCII}
            seq:
              - {id: a, type: u1, valid: 1}
              - {id: b, type: u1, valid: {min: 2, max: 4}}
              - {id: c, type: str, size: 1, valid: {any-of: ['"x"', '"y"']}}
              - {id: d, type: u1, valid: {expr: _ % 2 == 0}}
              - {id: e, type: u1, enum: k, valid: {in-enum: true}}
              - {id: f, size: 2, valid: '[1, 2]'}
              - {id: g, type: u1, repeat: expr, repeat-expr: 2, valid: {max: 5}}
            instances: {i: {value: a + 1, valid: {eq: 3}}}
            enums: {k: {1: one}}
            """,
            "01 03 78 04 01 0102 05 06",
            #"{"a":1,"b":3,"c":"x","d":4,"e":{"name":"one","value":1},"f":"0102","g":[5]}"#,
            errors: ["g[1] at offset 8: is 6, and must be at most 5", "i: is 2, and must be 3"]
        ),
        DescriptionCase(
            "a name that an enum does not have is not valid",
            "{meta: {id: t}, seq: [{id: a, type: u1, enum: k, valid: {in-enum: true}}], enums: {k: {1: one}}}",
            "02",
            #"{}"#,
            errors: ["a at offset 0: is 2, which the enum has no name for"]
        ),
        DescriptionCase(
            "keys that other tools use",
            """
            meta: {id: t, title: T, application: [a, b], file-extension: bin, license: CC0-1.0, ks-version: '0.9', xref: {wikidata: Q1}, tags: [x]}
            doc: A format.
            doc-ref: https://example.org
            -webide-representation: '{a}'
            seq: [{id: a, type: u1, doc: The a., doc-ref: [one, two], -orig-id: A, -affected-by: 1}]
            """,
            "01",
            #"{"a":1}"#
        ),
    ])
    func reads(_ example: DescriptionCase) throws { try example.check() }
}
