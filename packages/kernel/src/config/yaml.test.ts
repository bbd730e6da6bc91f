import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { refusalOf, violationsIn } from "./testing/refusal.ts";
import { parseYamlConfig } from "./yaml.ts";

const FILE = "slipway/x.yaml";
const schema = z.strictObject({
  name: z.string().min(2),
  size: z.number().max(10).default(1),
  inner: z.strictObject({ colour: z.enum(["red", "blue"]), tags: z.array(z.string()).default([]) }).optional(),
});

const read = (input: string | Uint8Array) => parseYamlConfig(FILE, input, schema);
const refused = (input: string | Uint8Array) => refusalOf(() => read(input));
const rules = (input: string | Uint8Array) => violationsIn(refused(input)).map(({ rule, line }) => `${rule}@${line}`);

const row = (name: string, inner: string) => `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(", ")}]\n`;

describe("a valid file", () => {
  test("returns the value with defaults, from text or bytes, with or without a byte-order mark", () => {
    const text = "name: ab # a comment\ninner:\n  colour: red\n";
    const value = { name: "ab", size: 1, inner: { colour: "red", tags: [] } };
    expect(read(text)).toEqual(value);
    expect(read(Buffer.from(text))).toEqual(value);
    expect(read(Buffer.from(`\ufeff${text}`))).toEqual(value);
  });

  test("may share parts through anchors", () => {
    const shared = parseYamlConfig(FILE, "a: &a [x, y]\nb: *a\n", z.record(z.string(), z.array(z.string())));
    expect(shared).toEqual({ a: ["x", "y"], b: ["x", "y"] });
  });

  test("round-trips everything that the library writes", () => {
    const anything = z.record(z.string(), z.unknown());
    const safeKey = fc.string().filter((key) => !["__proto__", "constructor", "prototype"].includes(key) && key.isWellFormed());
    const value = fc.dictionary(
      safeKey,
      fc.oneof(
        fc.integer(),
        fc.boolean(),
        fc.array(fc.integer()),
        fc.string().filter((text) => text.isWellFormed()),
      ),
    );
    fc.assert(
      fc.property(value, (original) => {
        expect(parseYamlConfig(FILE, stringify(original, { aliasDuplicateObjects: false }), anything)).toEqual({ ...original });
      }),
    );
  });
});

describe("an invalid file", () => {
  test("lists every violation with pointer, rule, expectation and position", () => {
    const error = refused("name: a\nsize: 11\ninner:\n  color: red\n  tags: [x, 3]\nextra: 1\n");
    expect(error.code).toBe("config_invalid");
    expect(error.details).toMatchObject({ file: FILE, field: "/name", line: 1, column: 1 });
    expect(violationsIn(error).map(({ pointer, rule, expected, line, column }) => [pointer, rule, expected, line, column])).toEqual([
      ["/name", "minimum", "at least 2 characters", 1, 1],
      ["/size", "maximum", "at most 10", 2, 1],
      ["/inner/colour", "required", 'one of "red", "blue"', 3, 1],
      ["/inner/tags/1", "type", "a string", 5, 13],
      ["/inner/color", "unknown_field", "one of colour, tags", 4, 3],
      ["/extra", "unknown_field", "one of name, size, inner", 6, 1],
    ]);
    expect(error.message).toContain(`${FILE} is not valid:\n  line 1, column 1: /name: expected at least 2 characters, found "a"\n`);
    expect(error.message).toContain('line 4, column 3: /inner/color: unknown field "color"; did you mean "colour"?');
    expect(error.message).toContain('unknown field "extra" (known here: name, size, inner)');
    expect(error.details.suggested_next_actions).toEqual(["Correct slipway/x.yaml at line 1, then run the command again."]);
  });

  test.each([
    ["a key given twice", "name: ab\nname: cd\n", "duplicate_key@2"],
    ["a key given twice, quoted", "name: ab\n'name': cd\n", "duplicate_key@2"],
    ["a key given twice, further in", "name: ab\ninner: { colour: red, colour: red }\n", "duplicate_key@2"],
    ["__proto__", "name: ab\n__proto__: { polluted: true }\n", "unsafe_key@2"],
    ["__proto__, escaped", 'name: ab\n"__pro\\u0074o__": 1\n', "unsafe_key@2"],
    ["constructor", "name: ab\nconstructor: 1\n", "unsafe_key@2"],
    ["an alias without an anchor", "name: *nope\n", "unknown_alias@1"],
    ["an alias that contains itself", "name: ab\ninner: &a { tags: [*a] }\n", "circular_alias@2"],
    ["a tab as indentation", "inner:\n\tcolour: red\n", "tab_as_indent@2"],
    ["a tag", "name: !!js/function x\n", "tag_resolve_failed@1"],
    ["binary", "name: !!binary aGVsbG8=\n", "tag_resolve_failed@1"],
    ["half a character", 'name: ab\nsize: "\\ud800"\n', "unicode@2"],
    ["half a character in a key", '"\\udc00": ab\n', "unicode@1"],
    ["two documents", "name: ab\n---\nname: cd\n", "multiple_docs@2"],
    ["a key that is a list", "? [a, b]\n: 1\n", "non_string_key@1"],
    ["an unclosed bracket", "name: [a\n", "bad_indent@2"],
  ])("%s", (_, text, expected) => {
    expect(refused(text).code).toBe("config_invalid");
    expect(rules(text)[0]).toBe(expected);
  });

  test("an alias bomb, by number or by multiplication", () => {
    const many = `name: &a ab\ninner: { colour: red, tags: [${"*a, ".repeat(101)}] }\n`;
    expect(rules(many)).toEqual(["alias_limit@2"]);
    const bomb = row("a", "x") + row("b", "*a") + row("c", "*b") + row("d", "*c") + row("e", "*d");
    expect(rules(bomb)).toEqual(["alias_limit@1"]);
    expect(refused(bomb).message).toContain("aliases of aliases expand too far");
  });

  test.each([
    ["an empty file", ""],
    ["only comments", "# nothing\n"],
    ["only null", "~\n"],
  ])("%s, naming the missing fields", (_, text) => {
    expect(violationsIn(refused(text))).toMatchObject([{ pointer: "/name", rule: "required", line: 1, column: 1 }]);
  });

  test("a file that is not an object", () => {
    expect(violationsIn(refused("- a\n"))).toMatchObject([{ pointer: "", rule: "type", message: "expected an object, found a list" }]);
    expect(refused("just text").message).toContain("line 1, column 1: expected an object");
  });

  test("bytes that are not UTF-8, naming the line", () => {
    const error = refused(Buffer.concat([Buffer.from("name: ab\n# caf"), Buffer.from([0xe9]), Buffer.from("\n")]));
    expect(error).toMatchObject({
      code: "config_invalid",
      details: { file: FILE, line: 2, suggested_next_actions: ["Save slipway/x.yaml as UTF-8."] },
    });
    expect(refused(Buffer.from([0xff, 0xfe, 0x61, 0x00])).details).toMatchObject({ line: 1 });
  });

  test("more than a mebibyte, before reading it", () => {
    const error = refused(`name: ab\n#${"x".repeat(1024 * 1024)}`);
    expect(error).toMatchObject({ code: "config_invalid", details: { file: FILE } });
    expect(error.message).toContain("1048586 bytes; at most 1048576");
  });

  test("nesting deeper than the limit", () => {
    expect(violationsIn(refused(`name: ${"[".repeat(20_000)}`))[0]).toMatchObject({ rule: "resource_exhaustion" });
  });

  test("at most fifty problems are listed", () => {
    const error = refused(`name: ab\n${Array.from({ length: 60 }, (_, index) => `k${index}: 1\n`).join("")}`);
    expect(violationsIn(error)).toHaveLength(50);
    expect(error.message).toContain("… and 10 more");
  });

  test("the position of a value behind an alias is that of the anchor", () => {
    const nested = z.record(z.string(), z.array(z.strictObject({ n: z.number() })));
    const error = refusalOf(() => parseYamlConfig(FILE, "a: &a\n  - n: 1\nb: *a\nc:\n  - *x\n", nested));
    expect(violationsIn(error)[0]).toMatchObject({ rule: "unknown_alias", line: 5 });
    const wrong = refusalOf(() => parseYamlConfig(FILE, "a: &a\n  - n: one\nb: *a\n", nested));
    expect(violationsIn(wrong).map(({ pointer, line }) => [pointer, line])).toEqual([
      ["/a/0/n", 2],
      ["/b/0/n", 2],
    ]);
  });

  test("any text gives a value or a SlipwayError", () => {
    const token = fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "-",
      "[",
      "]",
      "{",
      "}",
      "&x",
      "*x",
      "!",
      "|",
      ">",
      "'",
      '"',
      "#",
      "?",
      ",",
      "\t",
      "name",
      "%",
      "---",
      "...",
      "\0",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        try {
          expect(read(tokens.join(""))).toHaveProperty("name");
        } catch (error) {
          expect(error).toMatchObject({ code: "config_invalid", details: { file: FILE } });
        }
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(refused(bytes).code).toBe("config_invalid");
      }),
    );
  });
});
