import type { Spoilable } from "./spoilable.ts";

/** In languages whose assertions are mostly conditions or macros, one more is put at the beginning of a test. */
interface FunctionTests {
  readonly file: RegExp;
  /** Its groups are the title and, for Go, the parameter. */
  readonly test: RegExp;
  readonly insert: (text: string, parameter: string) => (left: string, right: string) => string;
}

const RULES: readonly FunctionTests[] = [
  {
    file: /_test\.go$/,
    test: /^func (Test\w+)\((\w+) \*testing\.T\) \{/gm,
    insert: (_, parameter) => (left, right) => `\n\t${parameter}.Fatalf("unexpected value %s-%s", "${left}", "${right}")`,
  },
  {
    file: /\.rs$/,
    test: /^[ \t]*#\[(?:\w+::)?test\]\s{0,200}(?:pub\s+)?(?:async\s+)?fn\s+(\w+)\s*\(\s*\)[^{;]{0,200}\{/gm,
    insert: () => (left, right) => ` assert_eq!(["${left}", "${right}"].join("-"), "");`,
  },
  {
    file: /\.java$/,
    test: /^[ \t]*@Test\s+(?:public\s+)?void\s+(\w+)\s*\(\s*\)[^{;]{0,200}\{/gm,
    insert(text) {
      const assertions = text.includes("org.junit.jupiter") ? "org.junit.jupiter.api.Assertions" : "org.junit.Assert";
      return (left, right) => ` ${assertions}.assertEquals("", String.join("-", "${left}", "${right}"));`;
    },
  },
];

export function functionsToSpoil(path: string, text: string): Spoilable[] {
  const rule = RULES.find(({ file }) => file.test(path));
  if (rule === undefined) return [];
  return [...text.matchAll(rule.test)].flatMap((match): Spoilable[] => {
    const [whole, title = "", parameter = ""] = match;
    const end = match.index + whole.length;
    if (
      /#\[(?:ignore|should_panic)|@(?:Disabled|Ignore)\b/.test(
        text
          .slice(Math.max(0, match.index - 200), end)
          .split(/[};]/)
          .at(-1) ?? "",
      )
    )
      return [];
    return [{ title, method: "insert", from: end, to: end, text: null, actual: null, insert: rule.insert(text, parameter) }];
  });
}
