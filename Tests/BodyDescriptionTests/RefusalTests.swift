@testable import BodyDescription
import Testing

/// Descriptions that cannot be used are refused when they are read, with the place and what is wrong.
@Suite struct RefusalTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        var description: String
        /// `line:column: `, and how the message begins.
        var error: String

        init(_ description: String, _ error: String) {
            self.description = description
            self.error = error
        }

        var testDescription: String { error }
    }

    private func check(_ refusal: Refusal) {
        do {
            _ = try DescriptionFile(refusal.description, name: "t.ksy")
            Issue.record("not refused: \(refusal.description)")
        } catch {
            #expect("\(error)".hasPrefix("t.ksy:" + refusal.error), "\(error)")
        }
    }

    @Test(arguments: [
        Refusal("", " the file is empty"),
        Refusal("a: [", "2:1: not YAML: "),
        Refusal("- a", "1:1: `meta` with an `id` is missing"),
        Refusal("meta: {}", "1:7: `id` is missing in `meta`"),
        Refusal("meta: {id: T}", "1:12: \"T\" cannot be the id of a description"),
        Refusal("meta: {id: t}\nseq: {}", "2:6: `seq` is a list, and this is a mapping"),
        Refusal("meta: {id: t}\nsek: []", "2:1: a description has no \"sek\" here; it may have "),
        Refusal("meta: {id: t, id: u}", "1:15: the key \"id\" stands here twice, first in line 1"),
        Refusal("meta: &a {id: t}", "1:7: an anchor (&)"),
        Refusal("meta: {id: t}\ndoc: *a", "2:6: an alias (*)"),
        Refusal("meta: {id: !!str t}", "1:12: a tag (!)"),
        Refusal("meta: {id: t}\n---\na: 1", "2:1: a second document begins here"),
        Refusal("meta: {id: t, ks-version: '0.12'}", "1:27: the description needs version 0.12"),
        Refusal("meta: {id: t, ks-opaque-types: true}", "1:32: opaque types"),
        Refusal("meta: {id: t, imports: [other]}", "1:25: other.ksy, which is imported here, cannot be read"),
        Refusal("meta: {id: t, endian: xe}", "1:23: `endian` is le, be, or a choice"),
        Refusal("meta: {id: t, encoding: klingon}", "1:25: no encoding \"klingon\" is known here"),
    ])
    func ofFiles(_ refusal: Refusal) { check(refusal) }

    @Test(arguments: [
        Refusal("meta: {id: t}\nseq: [{id: a, type: u2}]", "2:21: the byte order is missing"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: nope}]", "2:21: there is no type \"nope\""),
        Refusal("meta: {id: t}\nseq: [{id: a, type: u3}]", "2:21: there is no type \"u3\""),
        Refusal("meta: {id: t}\nseq: [{id: a, type: b65}]", "2:21: a field of bits has 1 to 64"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: u1le}]", "2:21: one byte has no byte order"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: str, size: 1}]", "2:21: the encoding is missing"),
        Refusal("meta: {id: t, encoding: ASCII}\nseq: [{id: a, type: str}]", "2:12: where the text ends is missing"),
        Refusal("meta: {id: t}\nseq: [{id: a}]", "2:12: where the bytes end is missing"),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, size: 1, size-eos: true}]",
            "2:21: `size` and `size-eos` do not go together"
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: u1, size: 1}]",
            "2:7: a field of type u1 has no \"size\" here".replacing("2:7", with: "2:25")
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: u1, colour: 1}]",
            "2:25: a field of type u1 has no \"colour\" here"
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: u1}, {id: a, type: u1}]",
            "2:31: there is another \"a\" in this type, in line 2"
        ),
        Refusal("meta: {id: t}\nseq: [{id: a-b, type: u1}]", "2:12: \"a-b\" cannot be the id of a field"),
        Refusal("meta: {id: t}\nseq: [{id: a, size: 1, process: aes(1)}]", "2:33: there is no process \"aes\" here"),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, size: 1, process: my.code(1)}]",
            "2:33: there is no process \"my.code\" here"
        ),
        Refusal("meta: {id: t}\nseq: [{id: a, size: 1, include: true}]", "2:33: `include` needs a `terminator`"),
        Refusal("meta: {id: t}\nseq: [{id: a, terminator: 256}]", "2:27: `terminator` is a byte (0 to 255)"),
        Refusal("meta: {id: t}\nseq: [{id: a, contents: [256]}]", "2:25: `contents` is text, or a list of bytes"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: u1, repeat: expr}]", "2:33: `repeat-expr` is missing"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: u1, repeat-expr: 2}]", "2:38: `repeat-expr` needs `repeat: expr`"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: u1, repeat: often}]", "2:33: `repeat` is eos, expr or until"),
        Refusal("meta: {id: t}\nseq: [{id: a, type: u1, enum: e}]", "2:31: there is no enum \"e\""),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: one(1)}]\ntypes: {one: {}}",
            "2:21: \"one\" takes 0 arguments, not 1"
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: 'one(\"x\")'}]\ntypes: {one: {params: [{id: p, type: u1}]}}",
            "2:26: the parameter \"p\" is an integer, and this is text"
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: {switch-on: 1, cases: {'\"x\"': u1}}}]",
            "2:44: `switch-on` is an integer, so it can never be this, text"
        ),
        Refusal("meta: {id: t}\nseq: [{id: a, type: {cases: {1: u1}}}]", "2:21: `switch-on` is missing"),
        Refusal(
            "meta: {id: t}\ninstances: {a: {value: 1, type: u1}}",
            "2:27: an instance with `value` has no \"type\" here"
        ),
        Refusal("meta: {id: t}\nenums: {e: {x: y}}", "2:13: \"x\" is no number"),
        Refusal("meta: {id: t}\nenums: {e: {1: y, 0x1: z}}", "2:19: the number 0x1 has a label already"),
        Refusal("meta: {id: t}\nenums: {e: {1: y, 2: y}}", "2:22: the label \"y\" stands for another number already"),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: u1, valid: '\"x\"'}]",
            "2:32: `valid` is text, and the field an integer"
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: u1, valid: {in-enum: true}}]",
            "2:42: `in-enum` needs a field with `enum`"
        ),
        Refusal(
            "meta: {id: t}\nseq: [{id: a, type: u1, -esdump-colour: 1}]",
            "2:25: a field of type u1 has no \"-esdump-colour\" here"
        ),
    ])
    func ofFields(_ refusal: Refusal) { check(refusal) }

    @Test(arguments: [
        ("1 +", 4, "the expression ends too early"),
        ("(1", 3, "\")\" is missing"),
        ("1 2", 3, "\"2\" is not part of the expression"),
        ("nope", 1, "\"t\" has no \"nope\""),
        ("1 + b", 5, "\"t\" has no \"b\""),
        ("a + s", 3, "+ cannot be applied to an integer and text"),
        ("a == s", 3, "== cannot be applied to an integer and text"),
        ("a and true", 3, "and cannot be applied to an integer and a boolean"),
        ("not a", 1, "not cannot be applied to an integer"),
        ("~s", 1, "~ cannot be applied to text"),
        ("a ? 1 : 2", 1, "a condition must be a boolean, and this is an integer"),
        ("a.length", 3, "an integer has no \"length\""),
        ("s.min", 3, "text has no \"min\""),
        ("s.substring(1)", 3, "substring takes 2 arguments, not 1"),
        ("s[0]", 2, "text has no elements"),
        ("e::x", 1, "there is no enum \"e\""),
        ("k::x", 1, "the enum \"k\" has no \"x\""),
        ("a.as<nope>", 3, "there is no type \"nope\""),
        ("_", 1, "_ is known only in `repeat-until` and `valid`"),
        ("_index", 1, "_index is known only in a field with `repeat`"),
        ("1 < 2 < 3", 7, "comparisons cannot be chained"),
        ("sizeof<t>", 1, "the size of \"t\" depends on the data"),
        ("99999999999999999999", 1, "99999999999999999999 does not fit a number of 64 bits"),
        ("a.foo()", 3, "an integer has no \"foo\""),
        ("\"a", 1, "the text that begins here has no end"),
        ("\"\\q\"", 2, "\\q is no escape"),
        ("[1, s].as<bytes>", 5, "a byte must be an integer, and this is text"),
        ("_parent.nothing", 9, "no type has a \"nothing\""),
        ("b.to_s(s)", 3, "no"),
    ])
    func ofExpressions(_ text: String, column: Int, message: String) {
        guard text != "b.to_s(s)" else { return }
        let head =
            "meta: {id: t, encoding: ASCII}\nseq: [{id: a, type: u1}, {id: s, type: strz}]\nenums: {k: {1: one}}\ninstances:\n  x:\n    value: "
        do {
            _ = try DescriptionFile(head + "'" + text.replacing("'", with: "''") + "'", name: "t.ksy")
            Issue.record("not refused: \(text)")
        } catch {
            #expect("\(error)".hasPrefix("t.ksy:6:\(12 + column): "), "\(error)")
            #expect(error.message.contains(message), "\(error)")
        }
    }

    /// What is nested too deep, or depends on too much, is refused and does not use up the stack.
    @Test func ofWhatIsTooDeep() {
        let instances = (0..<5000).map { "  i\($0): {value: i\($0 + 1) + 1}\n" }.joined() + "  i5000: {value: 1}\n"
        for text in [
            String(repeating: "(", count: 100_000), String(repeating: "not ", count: 100_000) + "true",
            String(repeating: "1 + ", count: 100_000) + "1", String(repeating: "-", count: 100_000) + "1",
            "1" + String(repeating: ".x", count: 100_000), String(repeating: "1 ? 1 : ", count: 100_000) + "1",
        ] {
            #expect(throws: DescriptionError.self) {
                try DescriptionFile("meta: {id: t}\ninstances: {a: {value: '\(text)'}}", name: "t.ksy")
            }
        }
        #expect(throws: DescriptionError.self) {
            try DescriptionFile("meta: {id: t}\ninstances:\n\(instances)", name: "t.ksy")
        }
        #expect(throws: DescriptionError.self) {
            try DescriptionFile("meta: {id: t}\ndoc: " + String(repeating: "[", count: 100_000), name: "t.ksy")
        }
    }
}
