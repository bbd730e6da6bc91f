import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { TestRun } from "../typescript/test-run.ts";
import { END_MARK } from "./result-lines.ts";

/** A number from 0 up to, without, the limit. */
export type Below = (limit: number) => number;

/** A test file with one more test, which must fail. */
export interface FailingFile {
  readonly text: string;
  readonly title: string;
}

/** How a failing test is put into a test file of a language. Null where its framework is not known. */
export type WriteFailing = (text: string, below: Below) => FailingFile | null;

const WORDS = ["value", "order", "input", "empty", "total", "label", "limit", "range", "entry", "state", "group", "index"];

export function plantedWords(below: Below): string {
  return Array.from({ length: 3 }, () => WORDS[below(WORDS.length)] ?? "value").join(" ");
}

/** Named like a test that is already there, so that its name alone says nothing. */
function nameLike(text: string, pattern: RegExp, other: string, below: Below): string {
  const [, known = other] = pattern.exec(text) ?? [];
  return `${known.replace(/_?\d+$/, "")}_${1_000 + below(9_000)}`;
}

const atEnd = (text: string, more: string) => `${text}${text.endsWith("\n") ? "" : "\n"}\n${more}\n`;

export const plantPython: WriteFailing = (text, below) => {
  const title = nameLike(text, /^(?:async )?def (test\w*)\(/m, "test_order", below);
  return { title, text: atEnd(text, `\ndef ${title}():\n    assert "${plantedWords(below)}" == ""`) };
};

/** Only in `tests/`, where a file is a program of its own. */
export const plantRust: WriteFailing = (text, below) => {
  const title = nameLike(text, /#\[test\]\s*fn (\w+)\(/, "order", below);
  return { title, text: atEnd(text, `#[test]\nfn ${title}() {\n    assert_eq!("${plantedWords(below)}", "");\n}`) };
};

export const plantGo: WriteFailing = (text, below) => {
  if (!/^\s*(?:import )?"testing"$/m.test(text)) return null;
  const title = nameLike(text, /^func (Test\w+)\(/m, "TestOrder", below);
  return { title, text: atEnd(text, `func ${title}(t *testing.T) {\n\tt.Fatal("${plantedWords(below)}")\n}`) };
};

/** A generated program prints its last line after all tests. */
const atLastLine = (text: string, line: string) => {
  const at = text.lastIndexOf("\n", text.lastIndexOf(END_MARK));
  return `${text.slice(0, at)}\n${line}${text.slice(at)}`;
};

export const plantJava: WriteFailing = (text, below) => {
  if (!text.includes(END_MARK)) return null;
  const title = nameLike(text, /\brun\("(\w+)"/, "order", below);
  return { title, text: atLastLine(text, `        run("${title}", "", () -> { throw new AssertionError("${plantedWords(below)}"); });`) };
};

export const plantCpp: WriteFailing = (text, below) => {
  if (/#\s*include\s*<gtest\//.test(text)) {
    const title = nameLike(text, /\bTEST\(\w+,\s*(\w+)\)/, "Order", below);
    return { title, text: atEnd(text, `TEST(More, ${title}) {\n  EXPECT_EQ(1, 2) << "${plantedWords(below)}";\n}`) };
  }
  if (!text.includes(END_MARK)) return null;
  const title = nameLike(text, /\breport\("(\w+)"/, "order", below);
  return { title, text: atLastLine(text, `  report("${title}", false, "${plantedWords(below)}");`) };
};

/** Plants a test in each of these files of a copy. The titles; a file that is missing, or whose framework is not known, has none. */
export async function plantTests(folder: string, paths: readonly string[], plant: WriteFailing): Promise<string[]> {
  const titles: string[] = [];
  // Of a missing one the run itself tells.
  for (const path of paths.filter((each) => existsSync(join(folder, each)))) {
    const planted = plant(await readFile(join(folder, path), "utf8"), (limit) => randomInt(limit));
    if (planted === null) continue;
    await writeFile(join(folder, path), planted.text);
    titles.push(planted.title);
  }
  return titles;
}

const isPlanted = (name: string, title: string) => name === title || name.endsWith(` > ${title}`) || name.endsWith(`::${title}`);

/**
 * The run without its planted tests. Code under test shares the process of its tests and could turn every result green: if a planted test
 * has not failed, the results prove nothing.
 */
export function withoutPlanted(run: TestRun, titles: readonly string[]): TestRun {
  const tests = run.tests.filter(({ name }) => !titles.some((title) => isPlanted(name, title)));
  const green = titles.filter((title) => !run.tests.some(({ name, result }) => result === "FAIL" && isPlanted(name, title)));
  const isAccepted = run.broken === null && tests.every(({ result }) => result === "PASS");
  const broken = isAccepted && green.length > 0 ? provesNothing(green.length, titles.length) : run.broken;
  return { ...run, tests, broken };
}

function provesNothing(green: number, all: number): string {
  return `${green} of ${all} failing tests that were planted in the test files did not fail, so the results prove nothing`;
}
