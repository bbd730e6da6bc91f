import { pascal } from "./names.ts";
import type { TestToWrite, WrittenTest } from "./plant.ts";

/** The framework of a Python test; null if the file declares no test. */
export function pyFramework(text: string, isNamed = true): string | null {
  if (/^\s*class\s+\w+\s*\([^)\n]*\bTestCase\s*\)/m.test(text)) return "unittest";
  return isNamed && /^\s*(?:async\s+)?def\s+test/m.test(text) ? "pytest" : null;
}

const IMPORT = /^(?:import[ \t]+[^\n]+|from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n(]+))$/gm;

/** Its statements at the top level that load modules, and those that say where modules are. */
function loadedBy(text: string): string[] {
  const found = [...text.matchAll(IMPORT), ...text.matchAll(/^sys\.path\.\w+\([^\n]*\)$/gm)];
  return found
    .toSorted((left, right) => left.index - right.index)
    .map(([statement]) => statement)
    .filter((statement) => !statement.startsWith("from __future__"));
}

const parts = (list: string) => list.split(",").map((name) => name.trim().split(/\s+/)[0] ?? "");
const made = ([left, right]: readonly [string, string]) => `"-".join(["${left}", "${right}"])`;

/** The modules that a file names in its imports, as paths without an extension. */
export function modulesIn(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+([\w.]+)[ \t]+import[ \t]*\(?([\w, \t]*))/gm)].flatMap(
    ([, plain = "", from = "", names = ""]) => {
      if (plain !== "") return parts(plain).map((name) => name.replaceAll(".", "/"));
      const base = from.replaceAll(".", "/").replace(/^\/+/, "");
      return [base, ...parts(names).map((name) => `${base}/${name}`)].filter((path) => path !== "");
    },
  );
}

export function writePyTest({ near, nearText, words, token, trace }: TestToWrite): WrittenTest {
  const title = `test_${words.join("_")}`;
  const isClass = pyFramework(nearText) === "unittest";
  const inside = isClass ? "    " : "";
  const expected = `"${words.toReversed().join(" ")}"`;
  const check = isClass ? `self.assertEqual(${made(token)}, ${expected})` : `assert ${made(token)} == ${expected}`;
  const main = /^if __name__ == .*\n(?:[ \t]+.*\n?)+/m.exec(nearText)?.[0];
  const text = [
    ...(isClass ? ["import unittest"] : []),
    ...loadedBy(nearText).filter((statement) => statement !== "import unittest"),
    "",
    "try:",
    `    open(${JSON.stringify(trace)}, "w").close()`,
    "except OSError:",
    "    pass",
    "",
    "",
    ...(isClass ? [`class ${pascal(words)}Test(unittest.TestCase):`] : []),
    `${inside}def ${title}(${isClass ? "self" : ""}):`,
    `${inside}    ${check}`,
    "",
    ...(main === undefined || near.endsWith("__init__.py") ? [] : ["", main]),
  ].join("\n");
  return { title, text, hasTrace: true };
}
