import { readFileSync } from "node:fs";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { z } from "zod";
import type { LanguageAdapter, SourceTree } from "../adapter.ts";
import { packagesIn } from "../go/witness.ts";
import { inCopy } from "../toolchains/work-folder.ts";
import type { GrammarId } from "../tree-sitter/grammars.ts";

const taskSchema = z.object({
  task_id: z.string(),
  declaration: z.string(),
  canonical_solution: z.string(),
  buggy_solution: z.string(),
  test: z.string(),
  prompt: z.string().default(""),
  entry_point: z.string(),
  import: z.string().optional(),
  test_setup: z.string().optional(),
});
export type HumanEvalTask = z.infer<typeof taskSchema>;

export function readTasks(file: string): HumanEvalTask[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => taskSchema.parse(JSON.parse(line)));
}

/** A task as a project with one hole. */
export interface HumanEvalProject {
  readonly tree: SourceTree;
  readonly path: string;
  readonly name: string;
  readonly tests: SourceTree;
  bodyOf(solution: string): string;
}

/** The text up to its last closing braces. */
const withoutBraces = (count: number) => (solution: string) => {
  let text = solution.trimEnd();
  for (let left = count; left > 0; left--) text = text.slice(0, text.lastIndexOf("}")).trimEnd();
  return text;
};

/** Enough of testify for the tests of the corpus: an offline machine has no module of it. */
const ASSERT_PACKAGE = `package assert

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

type Assertions struct{ t *testing.T }

func New(t *testing.T) *Assertions { return &Assertions{t} }

func same(expected, actual interface{}) bool {
	left, isBytes := expected.([]byte)
	right, areBytes := actual.([]byte)
	if isBytes && areBytes {
		return bytes.Equal(left, right)
	}
	return reflect.DeepEqual(expected, actual)
}

func (a *Assertions) Equal(expected, actual interface{}, _ ...interface{}) bool {
	a.t.Helper()
	if !same(expected, actual) {
		a.t.Errorf("expected %v, got %v", fmt.Sprint(expected), fmt.Sprint(actual))
		return false
	}
	return true
}

func (a *Assertions) NotEqual(expected, actual interface{}, _ ...interface{}) bool {
	a.t.Helper()
	if same(expected, actual) {
		a.t.Errorf("expected another value than %v", fmt.Sprint(expected))
		return false
	}
	return true
}

func (a *Assertions) True(value bool, _ ...interface{}) bool { a.t.Helper(); return a.Equal(true, value) }
func (a *Assertions) False(value bool, _ ...interface{}) bool { a.t.Helper(); return a.Equal(false, value) }
func (a *Assertions) Nil(value interface{}, _ ...interface{}) bool {
	a.t.Helper()
	return a.Equal(true, value == nil || (reflect.ValueOf(value).Kind() == reflect.Ptr && reflect.ValueOf(value).IsNil()))
}
`;

const PROJECTS: Readonly<Record<GrammarId, (task: HumanEvalTask) => HumanEvalProject>> = {
  python: ({ declaration, entry_point, test }) => ({
    path: "src/solution.py",
    name: entry_point,
    tree: { "src/solution.py": `${declaration.trimEnd()}\n    raise NotImplementedError\n` },
    tests: {
      "tests/test_solution.py": `from solution import *\n${test.trimEnd().replace(/\ncheck\((\w+)\)$/, "\n\ndef test_solution():\n    check($1)\n")}`,
    },
    bodyOf: (solution) => solution,
  }),
  rust: ({ declaration, entry_point, test }) => ({
    path: "src/lib.rs",
    name: entry_point,
    tree: {
      "Cargo.toml":
        '[package]\nname = "solution"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nrand = "*"\nregex = { version = "*", default-features = false, features = ["std", "unicode"] }\nmd5 = "*"\n',
      "src/lib.rs": `${declaration.trimEnd()}\n    todo!()\n}\n${test}`,
    },
    tests: {},
    bodyOf: withoutBraces(1),
  }),
  go: ({ prompt, entry_point, test, test_setup = "", canonical_solution, buggy_solution }) => ({
    path: "solution.go",
    name: entry_point,
    tree: {
      "go.mod": "module solution\n\ngo 1.19\n",
      "assert/assert.go": ASSERT_PACKAGE,
      "solution.go": `package solution\n\n${goImports(`${prompt}${canonical_solution}${buggy_solution}`)}\n${prompt.replace(/^\s*import\s*(?:\([^)]*\)|"[^"]*")/, "").trimEnd()}\n\tpanic("hole")\n}\n`,
    },
    tests: { "solution_test.go": goTest(test_setup, test) },
    bodyOf: withoutBraces(1),
  }),
  java: ({ declaration, entry_point, test }) => ({
    path: "src/Solution.java",
    name: `Solution.${entry_point}`,
    tree: { "src/Solution.java": `${declaration.trimEnd()}\n        throw new UnsupportedOperationException("hole");\n    }\n}\n` },
    tests: { "tests/Main.java": `import java.util.*;\nimport java.lang.*;\nimport java.util.stream.*;\n\n${test}\n` },
    bodyOf: withoutBraces(2),
  }),
  cpp: ({ declaration, entry_point, test }) => ({
    path: "src/solution.hpp",
    name: entry_point,
    tree: { "src/solution.hpp": `#pragma once\n#include <stdexcept>\n${declaration.trimEnd()}\n    throw std::logic_error("hole");\n}\n` },
    tests: { "tests/solution_test.cpp": `#include "../src/solution.hpp"\n${test}\n` },
    bodyOf: withoutBraces(1),
  }),
};

/** A function of each package that bodies of the corpus use, which keeps the import used whatever the body is. */
const GO_SYMBOLS: Readonly<Record<string, string>> = {
  math: "math.Abs",
  sort: "sort.Ints",
  strings: "strings.ToUpper",
  unicode: "unicode.IsUpper",
  regexp: "regexp.MustCompile",
  strconv: "strconv.Itoa",
  bytes: "bytes.Equal",
  time: "time.Now",
  fmt: "fmt.Sprint",
  "math/rand": "rand.Int",
  "crypto/md5": "md5.New",
};

function goImports(code: string): string {
  const used = Object.keys(GO_SYMBOLS).filter((path) => new RegExp(`(?<![\\w.])${path.split("/").at(-1)}\\.`).test(code));
  return `import (\n${used.map((path) => `\t"${path}"\n`).join("")})\n\n${used.map((path) => `var _ = ${GO_SYMBOLS[path]}\n`).join("")}`;
}

/** The tests in the package of the solution, with the packages that they use. */
function goTest(setup: string, test: string): string {
  const named = [...setup.matchAll(/"([\w./-]+)"/g)].map(([, path = ""]) =>
    path.replace("github.com/stretchr/testify/assert", "solution/assert"),
  );
  const used = [...packagesIn(test), ...(/\bfmt\./.test(test) ? ["fmt"] : []), ...(/\brand\./.test(test) ? ["math/rand"] : [])];
  const wanted = [...new Set([...named, ...used])].filter((path) => new RegExp(`\\b${path.split("/").at(-1)}\\.`).test(test));
  return `package solution\n\nimport (\n${wanted.map((path) => `\t"${path}"\n`).join("")})\n\n${test}`;
}

export interface HumanEvalResult {
  readonly task: string;
  /** What was not as it should be; empty for a task as expected. */
  readonly exceptions: readonly string[];
  readonly rejectedBy: "compiler" | "tests" | "broken" | "injection" | null;
}

/** The canonical body must pass and the buggy one must not; a discarded body leaves every byte as it was. */
export async function runTask(
  adapter: LanguageAdapter,
  sandbox: Sandbox,
  task: HumanEvalTask,
  timeoutMs = 60_000,
): Promise<HumanEvalResult> {
  const project = PROJECTS[adapter.id as GrammarId](task);
  const exceptions: string[] = [];
  const run = { sandbox, timeoutMs };
  const text = project.tree[project.path] ?? "";
  try {
    const ast = adapter.parseAst(text);
    // Some entry points are not the names in their declarations.
    const target = ast.functions.find(({ name }) => name === project.name) ?? ast.functions.find(({ isHole }) => isHole);
    if (target?.isHole !== true) exceptions.push(`${project.name} is no hole`);
    const hole = await compile(adapter, project.tree, run);
    if (hole !== null) exceptions.push(`the hole does not compile: ${hole}`);
    const filled = (solution: string): SourceTree => ({
      ...project.tree,
      [project.path]: adapter.emitCode(adapter.injectBody(ast, target?.name ?? project.name, project.bodyOf(solution))),
    });
    const canonical = filled(task.canonical_solution);
    const problem = await compile(adapter, canonical, run);
    if (problem !== null) exceptions.push(`the canonical body does not compile: ${problem}`);
    const verdict = await judge(adapter, { ...canonical, ...project.tests }, run);
    if (verdict !== null) exceptions.push(`the canonical body fails: ${verdict.by}: ${verdict.message}`);
    const rejectedBy = await rejection(adapter, () => filled(task.buggy_solution), project.tests, run);
    if (rejectedBy === null) exceptions.push("the buggy body passes");
    if (adapter.emitCode(ast) !== text) exceptions.push("the discarded body left something behind");
    return { task: task.task_id, exceptions, rejectedBy };
  } catch (error) {
    return { task: task.task_id, exceptions: [...exceptions, error instanceof Error ? error.message : String(error)], rejectedBy: null };
  }
}

interface Run {
  readonly sandbox: Sandbox;
  readonly timeoutMs: number;
}

async function rejection(
  adapter: LanguageAdapter,
  make: () => SourceTree,
  tests: SourceTree,
  run: Run,
): Promise<HumanEvalResult["rejectedBy"]> {
  let tree: SourceTree;
  try {
    tree = make();
  } catch {
    return "injection";
  }
  if ((await compile(adapter, tree, run)) !== null) return "compiler";
  return (await judge(adapter, { ...tree, ...tests }, run))?.by ?? null;
}

async function compile(adapter: LanguageAdapter, tree: SourceTree, run: Run): Promise<string | null> {
  const { passed, problems } = await inCopy(tree, (folder) => adapter.compileCheck(folder, run));
  const [first] = problems;
  return passed ? null : `${first?.file ?? ""}:${first?.line ?? 0}: ${first?.message ?? ""}`;
}

async function judge(
  adapter: LanguageAdapter,
  tree: SourceTree,
  run: Run,
): Promise<{ readonly by: "tests" | "broken"; readonly message: string } | null> {
  const { tests, broken } = await inCopy(tree, (folder) => adapter.runTests(folder, run));
  const failed = tests.find(({ result }) => result === "FAIL");
  if (failed !== undefined) return { by: "tests", message: failed.error?.message ?? "" };
  if (broken !== null) return { by: "broken", message: broken };
  return tests.length === 0 ? { by: "broken", message: "no test ran" } : null;
}
