import { adapterSuite } from "../testing/adapter-suite.ts";
import { pythonAdapter } from "./adapter.ts";

const CLAIM = { scope: "all", testable: true, requires_mocking: [], suggested_generators: [], subject: "clamp" };

adapterSuite({
  id: "python",
  make: pythonAdapter,
  path: "src/calc.py",
  tree: {
    "src/calc.py": `"""Numbers."""


def twice(n: int) -> int:
    return 2 * n


def clamp(value: int, low: int, high: int) -> int:
    """Puts a value between two others.

    REQUIRES: low <= high
    ENSURES: low <= result <= high
    ENSURES: low <= value <= high implies result == value
    ENSURES: value > high implies result == high
    ENSURES: everyone is happy
    PURITY: pure
    """
    raise NotImplementedError
`,
  },
  functions: ["twice", "clamp"],
  target: "clamp",
  right: 'if low > high:\n    raise ValueError("low is above high")\nreturn max(low, min(value, high))',
  wrong: 'if low > high:\n    raise ValueError("low is above high")\nreturn low if value > high else max(low, value)',
  careless: "return max(low, min(value, high))",
  mistyped: 'return "text"',
  malformed: "return (1",
  escaping: "    return 1\nimport os",
  endless: "while True:\n    pass",
  exits: "import os\nos._exit(0)",
  forges: () =>
    'import _pytest.reports as reports\nmade = reports.TestReport.from_item_and_call\n\ndef green(item, call):\n    call.excinfo = None\n    return made(item, call)\n\nif made.__name__ != "green":\n    reports.TestReport.from_item_and_call = staticmethod(green)\nreturn -1',
  test: {
    path: "tests/test_calc.py",
    text: "from calc import clamp\n\n\ndef test_inside():\n    assert clamp(2, 1, 3) == 2\n\n\ndef test_above():\n    assert clamp(9, 1, 3) == 3\n",
  },
  branchy: {
    name: "f",
    text: "def f(a, b):\n    # a comment\n    if a:\n        for x in b:\n            while x:\n                if x and a:\n                    return 1\n    elif b:\n        return 2\n\n    return 3\n",
    cyclomatic: 7,
    nesting: 4,
    lines: 8,
  },
  dangerous: { body: "import os as o\no.system(value)\nreturn 1", rule: "python-shell" },
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
  witnessWords: [/@dataclass\(frozen=True\)/, /def __post_init__/, /raise ValueError/],
  witnessTest: {
    path: "tests/test_positive.py",
    text: "import dataclasses\nimport pytest\nfrom witnesses.positive import Positive\n\n\ndef test_positive():\n    assert Positive.new(3).value == 3\n    with pytest.raises(ValueError):\n        Positive.new(0)\n    with pytest.raises(ValueError):\n        Positive(-1)\n    with pytest.raises(dataclasses.FrozenInstanceError):\n        Positive(3).value = 0  # type: ignore[misc]\n",
  },
  claims: [
    {
      framework: /@given\(/,
      claim: { ...CLAIM, id: "range_001", text: "A result is never below low.", type: "invariant", predicate: "result >= low" },
    },
    {
      framework: /^def test_\w+\(\):\n {4}assert/m,
      claim: { ...CLAIM, id: "range_002", text: "5 in 0..3 is 3.", type: "behavioral", predicate: "clamp(5, 0, 3) == 3" },
    },
    {
      framework: /pytest\.raises/,
      claim: { ...CLAIM, id: "range_003", text: "An empty range is refused.", type: "negative", predicate: "low <= high" },
    },
  ],
  tools: ["python3", "pytest", "hypothesis"],
});
