import type { BenchmarkCase } from "./case.ts";

const COUNTS = String.raw`/** What is counted in a text. */
export interface TextCounts {
  readonly lines: number;
  readonly words: number;
  readonly characters: number;
}

/**
 * Lines end with a line feed. Words are separated by spaces, tabs and line feeds. Characters are UTF-16 units.
 * ENSURES: result.characters === text.length
 * ENSURES: result.lines === text.split("\n").length - 1
 * ENSURES: text.trim() === "" implies result.words === 0
 * PURITY: pure
 */
export function countText(text: string): TextCounts {
  throw new Error("hole");
}

/**
 * ENSURES: result.lines === left.lines + right.lines
 * ENSURES: result.words === left.words + right.words
 * ENSURES: result.characters === left.characters + right.characters
 * PURITY: pure
 */
export function addCounts(left: TextCounts, right: TextCounts): TextCounts {
  throw new Error("hole");
}
`;

const OPTIONS = String.raw`/** Which columns are shown, always in the order lines, words, characters, and of which files. */
export interface CountOptions {
  readonly lines: boolean;
  readonly words: boolean;
  readonly characters: boolean;
  readonly files: readonly string[];
}

/**
 * Reads arguments: -l, -w and -c choose columns, and letters may be joined as in -lw. Without any of them all columns are chosen. After
 * -- everything is a file. A single - is a file. Null if another option is given, or no file.
 * ENSURES: args.length === 0 implies result === null
 * ENSURES: result === null || result.files.length > 0
 * ENSURES: result === null || result.lines || result.words || result.characters
 * PURITY: pure
 */
export function parseOptions(args: readonly string[]): CountOptions | null {
  throw new Error("hole");
}
`;

const ROW = String.raw`import type { TextCounts } from "./counts.ts";
import type { CountOptions } from "./options.ts";

/**
 * One row: the chosen numbers and the name, separated by one space each, without a line feed.
 * ENSURES: result.endsWith(name)
 * PURITY: pure
 */
export function rowText(counts: TextCounts, options: CountOptions, name: string): string {
  throw new Error("hole");
}
`;

const TOOL = String.raw`import { addCounts, countText } from "../domain/counts.ts";
import { parseOptions } from "../domain/options.ts";
import { rowText } from "../domain/row.ts";

/** What a command writes, and its exit code. */
export interface ToolOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A file by its name. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/**
 * The line on standard error for a wrong command: "count: MESSAGE", with a line feed.
 * ENSURES: result === "count: " + message + "\n"
 * PURITY: pure
 */
export function complaint(message: string): string {
  throw new Error("hole");
}

/**
 * Counts the named files: one row each, then, for two files or more, a row with the name "total". Every row ends with a line feed. A file
 * that does not exist is a complaint "NAME: no such file"; the others are counted, and the code is 1. Wrong arguments are the complaint
 * "usage: count [-lwc] FILE...", and the code is 2. Otherwise the code is 0.
 * ENSURES: result.code >= 0 && result.code <= 2
 * ENSURES: args.length === 0 implies result.code === 2 && result.stdout === ""
 * ENSURES: result.code === 0 implies result.stderr === ""
 * PURITY: pure
 */
export function runTool(args: readonly string[], files: readonly NamedText[]): ToolOutput {
  throw new Error("hole");
}
`;

/** A command line tool that counts lines, words and characters. */
export const CLI_TOOL: BenchmarkCase = {
  id: "integration/cli-tool",
  level: "integration",
  title: "a command line tool that counts words",
  files: {
    "src/domain/counts.ts": COUNTS,
    "src/domain/options.ts": OPTIONS,
    "src/domain/row.ts": ROW,
    "src/services/tool.ts": TOOL,
  },
  calls: {
    "src/services/tool.ts#runTool": [
      "src/domain/counts.ts#countText",
      "src/domain/counts.ts#addCounts",
      "src/domain/options.ts#parseOptions",
      "src/domain/row.ts#rowText",
      "src/services/tool.ts#complaint",
    ],
  },
  hidden: String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { runTool } from "../../src/services/tool.ts";

const FILES = [
  { name: "a.txt", text: "one two\nthree\n" },
  { name: "-x", text: "four" },
];

test("counts one file", () => {
  assert.deepEqual(runTool(["a.txt"], FILES), { code: 0, stdout: "2 3 14 a.txt\n", stderr: "" });
});

test("shows chosen columns in their own order", () => {
  assert.equal(runTool(["-wl", "a.txt"], FILES).stdout, "2 3 a.txt\n");
  assert.equal(runTool(["-c", "a.txt"], FILES).stdout, "14 a.txt\n");
});

test("adds a total for several files", () => {
  assert.equal(runTool(["-w", "--", "a.txt", "-x"], FILES).stdout, "3 a.txt\n1 -x\n4 total\n");
});

test("goes on after a file that does not exist", () => {
  assert.deepEqual(runTool(["-l", "b.txt", "a.txt"], FILES), { code: 1, stdout: "2 a.txt\n2 total\n", stderr: "count: b.txt: no such file\n" });
});

test("explains wrong arguments", () => {
  const usage = { code: 2, stdout: "", stderr: "count: usage: count [-lwc] FILE...\n" };
  for (const args of [[], ["-l"], ["-z", "a.txt"], ["--words", "a.txt"]]) assert.deepEqual(runTool(args, FILES), usage);
});
`,
};
