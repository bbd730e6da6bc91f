import { END_MARK, RESULT_MARK } from "../toolchains/result-lines.ts";
import { adapterSuite } from "../testing/adapter-suite.ts";
import { cppAdapter } from "./adapter.ts";

const CLAIM = { scope: "all", testable: true, requires_mocking: [], suggested_generators: [], subject: "clamp_to" };

adapterSuite({
  id: "cpp",
  make: cppAdapter,
  path: "src/calc.cpp",
  tree: {
    "src/calc.hpp": "#pragma once\n\nint twice(int n);\nint clamp_to(int value, int low, int high);\n",
    "src/calc.cpp": `#include "calc.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

int twice(int n) {
    return 2 * n;
}

/// Puts a value between two others.
///
/// REQUIRES: low <= high
/// ENSURES: result >= low && result <= high
/// ENSURES: value >= low && value <= high implies result == value
/// ENSURES: value > high implies result == high
/// ENSURES: everyone is happy
/// PURITY: pure
int clamp_to(int value, int low, int high) {
    throw std::logic_error("hole");
}
`,
  },
  functions: ["twice", "clamp_to"],
  target: "clamp_to",
  right:
    'if (low > high) throw std::invalid_argument("low is above high");\nif (value > high) return high;\nreturn value < low ? low : value;',
  wrong: 'if (low > high) throw std::invalid_argument("low is above high");\nreturn value > high || value < low ? low : value;',
  careless: "if (value > high) return high;\nreturn value < low ? low : value;",
  mistyped: 'return std::string("text");',
  malformed: "return (1;",
  escaping: "return 1; } int evil() { return 2;",
  endless: "volatile int round = 0;\nwhile (true) { round = round + 1; }",
  exits: "std::exit(0);",
  forges(names) {
    const lines = names.map((name) => `__builtin_puts("${RESULT_MARK} \\tPASS\\t${name}\\t");`).join("\n");
    return `${lines}\n__builtin_puts("${END_MARK}");\nstd::exit(0);`;
  },
  test: {
    path: "tests/calc_test.cpp",
    text: '#undef NDEBUG\n#include <cassert>\n#include "calc.hpp"\n\nint main() {\n  assert(clamp_to(2, 1, 3) == 2);\n  assert(clamp_to(9, 1, 3) == 3);\n  return 0;\n}\n',
  },
  branchy: {
    name: "f",
    text: "int f(bool a, std::vector<bool> b) {\n    // a comment\n    if (a) {\n        for (auto x : b) {\n            while (x) {\n                if (x && a) {\n                    return 1;\n                }\n            }\n        }\n    } else if (a) {\n        return 2;\n    }\n\n    return 3;\n}\n",
    cyclomatic: 7,
    nesting: 4,
    lines: 12,
  },
  dangerous: { body: 'std::system("sh");\nreturn 1;', rule: "cpp-shell" },
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
  level: "distinction",
  witnessWords: [/explicit Positive\(int value\)/, /static Positive make\(/, /static Positive trusted_unchecked\(/],
  witnessTest: {
    path: "tests/positive_test.cpp",
    text: '#undef NDEBUG\n#include <cassert>\n#include <stdexcept>\n#include "witnesses/positive.hpp"\n\nint main(int argc, char** argv) {\n  assert(Positive::make(3).value() == 3);\n  bool refused = false;\n  try {\n    Positive::make(0);\n  } catch (const std::invalid_argument&) {\n    refused = true;\n  }\n  assert(refused);\n  return 0;\n}\n',
  },
  claims: [
    {
      framework: /rapidcheck/,
      claim: { ...CLAIM, id: "range_001", text: "A result is never below low.", type: "invariant", predicate: "result >= low" },
    },
    {
      framework: /clamp_to\(5, 0, 3\) == 3/,
      claim: { ...CLAIM, id: "range_002", text: "5 in 0..3 is 3.", type: "behavioral", predicate: "clamp_to(5, 0, 3) == 3" },
    },
    {
      framework: /RC_ASSERT\(refused\)/,
      claim: { ...CLAIM, id: "range_003", text: "An empty range is refused.", type: "negative", predicate: "low <= high" },
    },
  ],
  tools: ["g++", "rapidcheck"],
});
