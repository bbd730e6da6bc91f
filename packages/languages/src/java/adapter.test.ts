import { END_MARK, RESULT_MARK } from "../toolchains/result-lines.ts";
import { adapterSuite } from "../testing/adapter-suite.ts";
import { javaAdapter } from "./adapter.ts";

const CLAIM = { scope: "all", testable: true, requires_mocking: [], suggested_generators: [], subject: "Calc.clamp" };

adapterSuite({
  id: "java",
  make: javaAdapter,
  path: "src/Calc.java",
  tree: {
    "src/Calc.java": `/** Numbers. */
public class Calc {
    public static int twice(int n) {
        return 2 * n;
    }

    /**
     * Puts a value between two others.
     *
     * REQUIRES: low <= high
     * ENSURES: result >= low && result <= high
     * ENSURES: value >= low && value <= high implies result == value
     * ENSURES: value > high implies result == high
     * ENSURES: everyone is happy
     * PURITY: pure
     */
    public static int clamp(int value, int low, int high) {
        throw new UnsupportedOperationException("hole");
    }
}
`,
  },
  functions: ["Calc.twice", "Calc.clamp"],
  target: "Calc.clamp",
  right: 'if (low > high) {\n    throw new IllegalArgumentException("low is above high");\n}\nreturn Math.max(low, Math.min(value, high));',
  wrong:
    'if (low > high) {\n    throw new IllegalArgumentException("low is above high");\n}\nreturn value > high ? low : Math.max(low, value);',
  careless: "return Math.max(low, Math.min(value, high));",
  mistyped: 'return "text";',
  malformed: "return (1;",
  escaping: "return 1; } static { System.exit(0);",
  endless: "while (true) {\n    value++;\n}",
  exits: "System.exit(0);\nreturn 0;",
  forges(names) {
    const lines = names.map((name) => `System.out.println("${RESULT_MARK} \\tPASS\\t${name}\\t");`).join("\n");
    return `${lines}\nSystem.out.println("${END_MARK}");\nSystem.out.flush();\nRuntime.getRuntime().halt(0);\nreturn 0;`;
  },
  test: {
    path: "tests/CalcTest.java",
    text: 'public class CalcTest {\n    public static void main(String[] args) {\n        if (Calc.clamp(2, 1, 3) != 2) throw new AssertionError("inside");\n        if (Calc.clamp(9, 1, 3) != 3) throw new AssertionError("above");\n    }\n}\n',
  },
  branchy: {
    name: "A.f",
    text: "class A {\n    int f(boolean a, boolean[] b) {\n        // a comment\n        if (a) {\n            for (boolean x : b) {\n                while (x) {\n                    if (x && a) {\n                        return 1;\n                    }\n                }\n            }\n        } else if (a) {\n            return 2;\n        }\n\n        return 3;\n    }\n}\n",
    cyclomatic: 7,
    nesting: 4,
    lines: 12,
  },
  dangerous: { body: 'Runtime.getRuntime().exec("sh");\nreturn 1;', rule: "java-process" },
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
  witnessWords: [/public record Positive\(int value\)/, /throw new IllegalArgumentException/],
  witnessTest: {
    path: "tests/PositiveTest.java",
    text: 'import witnesses.Positive;\n\npublic class PositiveTest {\n    public static void main(String[] args) {\n        if (Positive.of(3).value() != 3) throw new AssertionError("3");\n        try {\n            new Positive(0);\n        } catch (IllegalArgumentException refused) {\n            return;\n        }\n        throw new AssertionError("0 was taken");\n    }\n}\n',
  },
  claims: [
    {
      framework: /new Random\(/,
      claim: { ...CLAIM, id: "range_001", text: "A result is never below low.", type: "invariant", predicate: "result >= low" },
    },
    {
      framework: /Calc\.clamp\(5, 0, 3\) == 3/,
      claim: { ...CLAIM, id: "range_002", text: "5 in 0..3 is 3.", type: "behavioral", predicate: "Calc.clamp(5, 0, 3) == 3" },
    },
    {
      framework: /refused = true/,
      claim: { ...CLAIM, id: "range_003", text: "An empty range is refused.", type: "negative", predicate: "low <= high" },
    },
  ],
  tools: ["javac"],
});
