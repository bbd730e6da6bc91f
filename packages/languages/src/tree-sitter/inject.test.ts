import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cppGrammar } from "../cpp/grammar.ts";
import { goGrammar } from "../go/grammar.ts";
import { javaGrammar } from "../java/grammar.ts";
import { pythonGrammar } from "../python/grammar.ts";
import { rustGrammar } from "../rust/grammar.ts";
import type { Grammar } from "./grammar.ts";
import { injectBody } from "./inject.ts";
import { parseSource } from "./source.ts";

const inject = (grammar: Grammar, text: string, name: string, body: string) =>
  injectBody(grammar, parseSource(grammar, text), name, body).text;
const refused = (code: string) => expect.objectContaining({ code }) as Error;

const PYTHON = `import os\n\n\nclass Box:\n    @property\n    async def f(self, a):\n        """Doc."""\n        raise NotImplementedError\n\n    def g(self): raise NotImplementedError\n\n\ndef h(a):  # note\n    raise NotImplementedError\n# end\n`;

describe("a body of Python", () => {
  test("is indented below its function, and documentation, decorators and comments stay", () => {
    expect(inject(pythonGrammar, PYTHON, "Box.f", "if a:\n    return 1\nreturn 2")).toBe(
      PYTHON.replace("        raise NotImplementedError\n", "        if a:\n            return 1\n        return 2\n"),
    );
    expect(inject(pythonGrammar, PYTHON, "Box.g", "    return 1\n")).toBe(
      PYTHON.replace("g(self): raise NotImplementedError", "g(self):\n        return 1"),
    );
    expect(inject(pythonGrammar, PYTHON, "h", "\n\n\treturn a\n\n")).toBe(
      PYTHON.replace("    raise NotImplementedError\n# end", "    return a\n# end"),
    );
  });

  test("keeps the lines of a literal, which may be indented less than the code", () => {
    const body = '    text = """one\n  two\nthree"""\n    return text';
    expect(inject(pythonGrammar, PYTHON, "Box.g", body)).toContain(
      'g(self):\n        text = """one\n  two\nthree"""\n        return text\n\n\ndef h',
    );
  });

  test("that lost the indentation of its first line is repaired", () => {
    expect(inject(pythonGrammar, PYTHON, "h", "if a:\n        return 1\n    return 2")).toContain(
      "# note\n    if a:\n        return 1\n    return 2\n# end",
    );
  });

  test("may begin and end with a comment, and hold functions of its own", () => {
    const text = inject(pythonGrammar, PYTHON, "h", "# first\ndef k(x):\n    return x\nreturn k(a)\n# last");
    expect(text).toContain("# note\n    # first\n    def k(x):\n        return x\n    return k(a)\n    # last\n# end\n");
  });

  test("a second body replaces the first one whole", () => {
    const once = injectBody(pythonGrammar, parseSource(pythonGrammar, PYTHON), "h", "x = 1\nreturn x");
    expect(injectBody(pythonGrammar, once, "h", "raise NotImplementedError").text).toBe(PYTHON);
  });

  test.each([
    ["an unclosed bracket", "return (1", "body_syntax"],
    ["a dedent to no open block", "    if a:\n            x\n        return 1", "body_syntax"],
    ["nothing", "", "body_syntax"],
    ["only a comment", "# later", "body_syntax"],
    ["an unclosed string", 'return """a', "body_syntax"],
    ["a line left of the block", "    return 1\nimport os", "body_escapes"],
    ["another function left of the block", "    return 1\ndef evil(): pass", "body_escapes"],
  ])("%s is refused", (_, body, code) => {
    expect(() => inject(pythonGrammar, PYTHON, "h", body)).toThrow(refused(code));
  });
});

const BRACED: readonly { readonly grammar: Grammar; readonly text: string; readonly name: string; readonly escapes: readonly string[] }[] =
  [
    {
      grammar: rustGrammar,
      text: "/// Doc.\nimpl<T: Ord> Box<T> {\n    /// In.\n    pub fn f(&self, a: i32) -> i32 {\n        todo!()\n    }\n}\nfn after() {}\n/* end */\n",
      name: "Box.f",
      escapes: ["a }\n fn evil(&self) -> i32 { 1", "1 } } fn evil() { { 1"],
    },
    {
      grammar: goGrammar,
      text: 'package a\n\n// Doc.\nfunc (b *Box) F(a int) int {\n\tpanic("hole")\n}\n\nfunc after() {}\n/* end */\n',
      name: "Box.F",
      escapes: ["return 1\n}\nfunc init() {", "return 1 } /* "],
    },
    {
      grammar: javaGrammar,
      text: 'class Box {\n    int f(int a) {\n        throw new UnsupportedOperationException("hole");\n    }\n    void after() {}\n    /* end */\n}\n',
      name: "Box.f",
      escapes: ["return 1; } static { System.exit(0);", "return 1; } /* "],
    },
    {
      grammar: cppGrammar,
      text: '#include <stdexcept>\nnamespace box {\ntemplate <typename T>\nint f(T a) { throw std::logic_error("hole"); }\nvoid after() {}\n/* end */\n}\n',
      name: "box.f",
      escapes: [
        "return 1; } int evil() { return 2;",
        "#define after before\nreturn 1;",
        '#include "/etc/passwd"\nreturn 1;',
        "return 1; } /* ",
      ],
    },
  ];

describe.each(BRACED)("a body of $grammar.id", ({ grammar, text, name, escapes }) => {
  const ast = parseSource(grammar, text);
  const { start, end } = ast.functions.find((one) => one.name === name)?.body ?? { start: 0, end: 0 };
  const [before, after] = [text.slice(0, start), text.slice(end)];

  test("replaces the hole, keeps every byte outside it, and can be taken out again", () => {
    const injected = injectBody(grammar, ast, name, "return 1;");
    expect(injected.text.startsWith(before)).toBe(true);
    expect(injected.text.endsWith(after)).toBe(true);
    expect(injected.functions.find((one) => one.name === name)?.isHole).toBe(false);
    const again = injectBody(grammar, injected, name, grammar.hole);
    expect(again.functions).toHaveLength(ast.functions.length);
    expect(again.functions.find((one) => one.name === name)?.isHole).toBe(true);
    expect(injectBody(grammar, again, name, grammar.hole).text).toBe(again.text);
  });

  test("indents the lines of the body alike", () => {
    const { text: injected } = injectBody(grammar, ast, name, "if (a > 1) {\n    return 1;\n}\nreturn 2;");
    const lines = injected.slice(start).split("\n");
    const indent = /^\s*/.exec(lines[1] ?? "")?.[0] ?? "";
    expect(indent).not.toBe("");
    expect(lines.slice(1, 5).map((line) => line.slice(indent.length))).toEqual(["if (a > 1) {", "    return 1;", "}", "return 2;"]);
  });

  test.each(escapes)("that leaves the function is refused: %j", (body) => {
    expect(() => injectBody(grammar, ast, name, body)).toThrow(refused("body_escapes"));
  });

  test.each(["return (1;", "if {", "}", '"unclosed', "return 1; /*", "@@@"])("that does not parse is refused: %j", (body) => {
    expect(() => injectBody(grammar, ast, name, body)).toThrow(refused("body_syntax"));
  });

  test("a name that is not there is an error that lists the names", () => {
    expect(() => injectBody(grammar, ast, "missing", "return 1;")).toThrow(
      expect.objectContaining({
        code: "function_not_found",
        details: expect.objectContaining({ functions: expect.arrayContaining([name]) as unknown }) as unknown,
      }) as Error,
    );
  });

  test("with any tokens either fits into the function or is refused", () => {
    const tokens = fc.constantFrom(
      "{",
      "}",
      "(",
      ")",
      "return 1;",
      ";",
      '"',
      "'",
      "/*",
      "*/",
      "//",
      "\n",
      "a",
      "#if 0",
      "#endif",
      "`",
      "\\",
      "=",
      "r#",
      "fn x()",
      "if (a)",
    );
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 8 }), (parts) => {
        let injected;
        try {
          injected = injectBody(grammar, ast, name, parts.join(" "));
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/^body_(?:syntax|escapes)$/);
          return;
        }
        expect(injected.text.startsWith(before)).toBe(true);
        expect(injected.text.endsWith(after)).toBe(true);
        const body = injected.functions.find((one) => one.name === name)?.body;
        expect(body).toEqual({ start, end: injected.text.length - after.length });
        expect(injected.functions.map((one) => one.name).filter((one) => !one.startsWith(`${name}.`))).toEqual(
          ast.functions.map((one) => one.name),
        );
      }),
      { numRuns: 300 },
    );
  });
});

test("a body of Go keeps a raw string, whose lines are not indented", () => {
  const text = inject(goGrammar, 'package a\nfunc F() string {\n\tpanic("hole")\n}\n', "F", "return `one\n  two\nthree`");
  expect(text).toBe("package a\nfunc F() string {\n\treturn `one\n  two\nthree`\n}\n");
});

test("a body of C++ may ask for the type of a type, which the grammar does not know", () => {
  const text = inject(cppGrammar, 'bool f(int a) { throw std::logic_error("hole"); }\n', "f", "return typeid(a) == typeid(unsigned int);");
  expect(text).toBe("bool f(int a) {\n    return typeid(a) == typeid(unsigned int);\n}\n");
});
