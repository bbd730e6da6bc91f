import type { LanguageId, SourceTree } from "../adapter.ts";
import { packagesIn } from "../go/witness.ts";
import type { HumanEvalTask } from "./humaneval.ts";

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

/** How the tasks of each language become projects. JavaScript runs through the adapter of TypeScript. */
export const PROJECTS: Readonly<Record<LanguageId, (task: HumanEvalTask) => HumanEvalProject>> = {
  typescript: ({ declaration, entry_point, test }) => ({
    path: "src/solution.ts",
    name: entry_point,
    tree: {
      "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
      "src/solution.ts": `${typed(declaration.trim())}\n  throw new Error("hole");\n}\n`,
    },
    tests: { "tests/solution.test.ts": nodeTest(declaration, test) },
    bodyOf: withoutBraces(1),
  }),
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
      // The tests were written for a rand before 0.8, which took two arguments instead of a range.
      "src/lib.rs": `${declaration.trimEnd()}\n    todo!()\n}\n${test.replaceAll(/gen_range\(([^,()]+), ([^()]+)\)/g, "gen_range($1..$2)")}`,
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
    tree: { "src/solution.hpp": `#pragma once\n#include <stdexcept>\n${upToBody(declaration)}\n    throw std::logic_error("hole");\n}\n` },
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

const ARROW = /^const (\w+) = \(([\w, ]*)\) => \{$/gm;

/** Strict TypeScript wants types; \`any\` takes every value that JavaScript takes. */
function typed(declaration: string): string {
  return declaration.replaceAll(
    ARROW,
    (_, name: string, parameters: string) => `export const ${name} = (${parameters.replaceAll(/\w+/g, "$&: any")}): any => {`,
  );
}

/** The function of the tests as one test. Node's own console.assert only prints, so it gets one that throws. */
function nodeTest(declaration: string, test: string): string {
  const names = [...declaration.matchAll(ARROW)].map(([, name = ""]) => name);
  return [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${names.join(", ")} } from "../src/solution.ts";`,
    "const console = { assert: (value, message) => assert.ok(value, message), log() {} };",
    test.trimEnd().replace(/\n(\w+)\(\);?$/, '\ntest("solution", () => $1());\n'),
  ].join("\n");
}

/** The declaration of C++ task 38 goes on into the body. */
function upToBody(declaration: string): string {
  const lines = declaration.split("\n");
  return lines.slice(0, lines.findLastIndex((line) => /^\w.*\{\s*$/.test(line)) + 1).join("\n");
}
