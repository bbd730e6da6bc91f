import type { TestToWrite, WrittenTest } from "./plant.ts";

/** The packages whose functions declare tests, with the framework's name. */
const FRAMEWORKS: readonly (readonly [specifier: string, framework: string])[] = [
  ["node:test", "node:test"],
  ["vitest", "vitest"],
  ["@jest/globals", "jest"],
  ["bun:test", "bun:test"],
  ["@playwright/test", "playwright"],
  ["ava", "ava"],
];

const quoted = (text: string): string => JSON.stringify(text);
const SPECIFIER = /(?:\bfrom\s*|\brequire\s*\(\s*|^\s*import\s*)["']([^"'\n]{1,300})["']/gm;

/** The framework of a JavaScript or TypeScript test; null if the file declares no test. Global functions count only in a file named like a test. */
export function jsFramework(text: string, isNamed = true): string | null {
  const specifiers = new Set([...text.matchAll(SPECIFIER)].map(([, specifier = ""]) => specifier));
  const known = FRAMEWORKS.find(([specifier]) => specifiers.has(specifier));
  if (known !== undefined) return known[1];
  return isNamed && /(?<![\w$.])(?:test|it|specify)(?:\.\w+)*\s*\(\s*["'`]/.test(text) ? "describe/it" : null;
}

/** What a test loads when it is loaded itself: paths relative to it, and packages, without the framework and without types. */
export function loadedBy(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  const statements = [
    ...code.matchAll(/^\s*import\s+(?!type\b)(?:[\w$*{}\s,]{1,2000}?\bfrom\s*)?["']([^"'\n]{1,300})["'](?!\s*(?:with|assert)\b)/gm),
    ...code.matchAll(/^(?:(?:const|let|var)\s[^\n;]{0,500}?=\s*)?require\(\s*["']([^"'\n]{1,300})["']\s*\)/gm),
    ...code.matchAll(/^(?:(?:const|let|var)\s[^\n;]{0,500}?=\s*)?await import\(\s*["']([^"'\n]{1,300})["']\s*\)/gm),
  ].map(([, specifier = ""]) => specifier);
  const own = new Set(FRAMEWORKS.map(([specifier]) => specifier));
  return [...new Set(statements)].filter(
    (specifier) =>
      !own.has(specifier) &&
      !/^(?:node:)?(?:assert|fs)(?:\/|$)/.test(specifier) &&
      !/\.(?!(?:[cm]?[jt]sx?)$)\w+$/.test(afterSlash(specifier)),
  );
}

/** A package's name may contain dots: only the last part of a path has an extension. */
function afterSlash(specifier: string): string {
  return specifier.startsWith(".") ? specifier.slice(specifier.lastIndexOf("/") + 1) : "";
}

interface Assertion {
  readonly loads: string | null;
  readonly name: string;
  readonly text: (actual: string, expected: string) => string;
}

function assertionOf(text: string, framework: string): Assertion {
  const node = /["']((?:node:)?assert(?:\/strict)?)["']/.exec(text)?.[1];
  if (node !== undefined) return { loads: node, name: "assert", text: (actual, expected) => `assert.equal(${actual}, ${expected});` };
  if (/["']chai["']/.test(text))
    return { loads: "chai", name: "{ expect }", text: (actual, expected) => `expect(${actual}).to.equal(${expected});` };
  if (framework === "node:test")
    return { loads: "node:assert", name: "assert", text: (actual, expected) => `assert.equal(${actual}, ${expected});` };
  if (framework !== "describe/it" || /\bexpect\s*\(/.test(text))
    return { loads: null, name: "", text: (actual, expected) => `expect(${actual}).toBe(${expected});` };
  return { loads: null, name: "", text: (actual) => `throw new Error(${actual});` };
}

export function writeJsTest({ near, nearText, words, token, trace, loads }: TestToWrite): WrittenTest {
  const framework = jsFramework(nearText) ?? "describe/it";
  const title = words.join(" ");
  const isModule = /^\s*(?:import\s|export\s)/m.test(nearText) || /\.m[jt]s$/.test(near);
  const load = (names: string, specifier: string) => {
    if (isModule) return `import ${names === "" ? "" : `${names} from `}${quoted(specifier)};`;
    return `${names === "" ? "" : `const ${names} = `}require(${quoted(specifier)});`;
  };
  const assertion = assertionOf(nearText, framework);
  const specifier = FRAMEWORKS.find(([, name]) => name === framework)?.[0];
  const call = framework === "describe/it" && !/(?<![\w$.])test(?:\.\w+)*\s*\(/.test(nearText) ? "it" : "test";
  const names =
    framework === "ava" ? "test" : assertion.loads === null && framework !== "node:test" ? `{ expect, ${call} }` : `{ ${call} }`;
  const made = ([left, right]: readonly [string, string]) => `[${quoted(left)}, ${quoted(right)}].join("-")`;
  const [actual, expected] = [made(token), quoted(words.toReversed().join(" "))];
  const body = framework === "ava" ? `t.is(${actual}, ${expected});` : assertion.text(actual, expected);
  const text = [
    ...(specifier === undefined ? [] : [load(names, specifier)]),
    ...(assertion.loads === null || framework === "ava" ? [] : [load(assertion.name, assertion.loads)]),
    load("{ writeFileSync }", "node:fs"),
    ...[...new Set([...loadedBy(nearText), ...loads])].map((one) => load("", one)),
    "",
    "try {",
    `  writeFileSync(${quoted(trace)}, "");`,
    "} catch {}",
    "",
    `${call}(${quoted(title)}, (${framework === "ava" ? "t" : ""}) => {`,
    `  ${body}`,
    "});",
    "",
  ].join("\n");
  return { title, text, hasTrace: true };
}
