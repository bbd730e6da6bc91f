import { adapterSuite } from "../testing/adapter-suite.ts";
import { goAdapter } from "./adapter.ts";

const CLAIM = { scope: "all", testable: true, requires_mocking: [], suggested_generators: [], subject: "Clamp" };

adapterSuite({
  id: "go",
  make: goAdapter,
  path: "src/calc/calc.go",
  tree: {
    "src/calc/calc.go": `// Package calc is about numbers.
package calc

import "os"

var leave = os.Exit

func Twice(n int) int {
	return 2 * n
}

// Clamp puts a value between two others.
//
// REQUIRES: low <= high
// ENSURES: result >= low && result <= high
// ENSURES: value >= low && value <= high implies result == value
// ENSURES: value > high implies result == high
// ENSURES: everyone is happy
// PURITY: pure
func Clamp(value, low, high int) int {
	panic("hole")
}
`,
  },
  functions: ["Twice", "Clamp"],
  target: "Clamp",
  right:
    'if low > high {\n\tpanic("low is above high")\n}\nif value > high {\n\treturn high\n}\nif value < low {\n\treturn low\n}\nreturn value',
  wrong: 'if low > high {\n\tpanic("low is above high")\n}\nif value > high || value < low {\n\treturn low\n}\nreturn value',
  careless: "if value > high {\n\tvalue = high\n}\nif value < low {\n\treturn low\n}\nreturn value",
  mistyped: 'return "text"',
  malformed: "return (1",
  escaping: "return 1\n}\n\nfunc init() {",
  endless: "for {\n}",
  exits: "leave(0)\nreturn 0",
  forges(names) {
    const lines = names.map((name) => `=== RUN   ${name}\\n--- PASS: ${name} (0.00s)\\n`).join("");
    return `defer func() {\n\trecover()\n\tos.Stdout.WriteString("\\n${lines}PASS\\n")\n\tos.Stdout.Close()\n\tprocess, _ := os.FindProcess(os.Getpid())\n\tprocess.Kill()\n}()\nreturn -1`;
  },
  test: {
    path: "src/calc/calc_test.go",
    text: 'package calc\n\nimport "testing"\n\nfunc TestInside(t *testing.T) {\n\tif Clamp(2, 1, 3) != 2 {\n\t\tt.Fatal("inside")\n\t}\n}\n\nfunc TestAbove(t *testing.T) {\n\tt.Run("far", func(t *testing.T) {\n\t\tif got := Clamp(9, 1, 3); got != 3 {\n\t\t\tt.Fatalf("got %d", got)\n\t\t}\n\t})\n}\n',
  },
  branchy: {
    name: "f",
    text: "package a\n\nfunc f(a bool, b []bool) int {\n\t// a comment\n\tif a {\n\t\tfor _, x := range b {\n\t\t\tfor x {\n\t\t\t\tif x && a {\n\t\t\t\t\treturn 1\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t} else if a {\n\t\treturn 2\n\t}\n\n\treturn 3\n}\n",
    cyclomatic: 7,
    nesting: 4,
    lines: 12,
  },
  dangerous: { body: 'exec.Command("sh").Run()\nreturn 1', rule: "go-process" },
  witness: {
    name: "Positive",
    description: "A number above zero",
    base: { generic: false, type_params: [], inner_type: "int" },
    invariants: [{ id: "above_zero", description: "It is above zero", formal: "value > 0", testable: true }],
    constructors: [
      { name: "new", trust_level: "safe" },
      { name: "trusted", trust_level: "unsafe" },
    ],
  },
  level: "runtime",
  witnessWords: [/func NewPositive\(value int\) \(Positive, error\)/, /func PositiveTrustedUnchecked\(/],
  witnessTest: {
    path: "src/witnesses/positive_test.go",
    text: 'package witnesses\n\nimport "testing"\n\nfunc TestPositive(t *testing.T) {\n\tif made, err := NewPositive(3); err != nil || made.Value() != 3 {\n\t\tt.Fatal(made, err)\n\t}\n\tif _, err := NewPositive(0); err == nil {\n\t\tt.Fatal("0 was taken")\n\t}\n}\n',
  },
  claims: [
    {
      framework: /quick\.Check/,
      claim: { ...CLAIM, id: "range_001", text: "A result is never below low.", type: "invariant", predicate: "result >= low" },
    },
    {
      framework: /t \*testing\.T\) \{\n\tif !/,
      claim: { ...CLAIM, id: "range_002", text: "5 in 0..3 is 3.", type: "behavioral", predicate: "Clamp(5, 0, 3) == 3" },
    },
    {
      framework: /recover\(\)/,
      claim: { ...CLAIM, id: "range_003", text: "An empty range is refused.", type: "negative", predicate: "low <= high" },
    },
  ],
  tools: ["go"],
});
