import fc from "fast-check";
import { expect, test } from "vitest";
import { pythonGrammar } from "../python/grammar.ts";
import { injectBody } from "./inject.ts";
import { parseSource } from "./source.ts";

const line = fc.constantFrom(
  "x = 1",
  "if x:",
  "else:",
  "return x",
  "    y = 2",
  "        z",
  "\tq",
  '"""',
  "'''a",
  "pass",
  "def k():",
  "@d",
  "(",
  ")",
  "# c",
  "",
  "\\",
);

test("[CRI-182] any lines either become a block of the function or are refused, and every byte outside stays", () => {
  const text = "a = 1\nclass C:\n  def f(self):\n    '''Doc.'''\n    raise NotImplementedError\n\n  def g(self): pass\nb = 2\n";
  const ast = parseSource(pythonGrammar, text);
  const span = ast.functions[0]?.body ?? { start: 0, end: 0 };
  const [before, after] = [text.slice(0, span.start), text.slice(span.end)];
  fc.assert(
    fc.property(fc.array(line, { maxLength: 7 }), (lines) => {
      let injected;
      try {
        injected = injectBody(pythonGrammar, ast, "C.f", lines.join("\n"));
      } catch (error) {
        expect((error as { code: string }).code).toMatch(/^body_(?:syntax|escapes)$/);
        return;
      }
      expect(injected.text.startsWith(before)).toBe(true);
      expect(injected.text.endsWith(after)).toBe(true);
      expect(injected.functions.map((one) => one.name).filter((name) => !name.startsWith("C.f."))).toEqual(["C.f", "C.g"]);
      expect(injected.functions[0]?.doc).toBe("Doc.");
    }),
    { numRuns: 1000 },
  );
});
