import { adapterSuite } from "../testing/adapter-suite.ts";
import { rustAdapter } from "./adapter.ts";

const CLAIM = { scope: "all", testable: true, requires_mocking: [], suggested_generators: [], subject: "clamp" };

adapterSuite({
  id: "rust",
  make: rustAdapter,
  path: "src/calc.rs",
  tree: {
    "src/calc.rs": `//! Numbers.

pub fn twice(n: i32) -> i32 {
    2 * n
}

/// Puts a value between two others.
///
/// REQUIRES: low <= high
/// ENSURES: result >= low && result <= high
/// ENSURES: value >= low && value <= high implies result == value
/// ENSURES: value > high implies result == high
/// ENSURES: everyone is happy
/// PURITY: pure
pub fn clamp(value: i32, low: i32, high: i32) -> i32 {
    todo!()
}
`,
  },
  functions: ["twice", "clamp"],
  target: "clamp",
  right: 'assert!(low <= high, "low is above high");\nvalue.min(high).max(low)',
  wrong: 'assert!(low <= high, "low is above high");\nif value > high { low } else { value.max(low) }',
  careless: "value.min(high).max(low)",
  mistyped: '"text"',
  malformed: "(1",
  escaping: "1 } fn evil() -> i32 { 2",
  endless: "loop { std::hint::black_box(value); }",
  exits: "std::process::exit(0)",
  forges(names) {
    const lines = names.map((name) => `test ${name} ... ok\\n`).join("");
    return `use std::io::Write;\nuse std::os::fd::FromRawFd;\nlet mut out = unsafe { std::fs::File::from_raw_fd(1) };\nlet _ = out.write_all(b"\\n${lines}\\ntest result: ok. ${names.length} passed; 0 failed; 0 ignored\\n");\nstd::process::exit(0)`;
  },
  test: {
    path: "tests/calc.rs",
    text: "use project::calc::clamp;\n\n#[test]\nfn inside() {\n    assert_eq!(clamp(2, 1, 3), 2);\n}\n\n#[test]\nfn above() {\n    assert_eq!(clamp(9, 1, 3), 3);\n}\n",
  },
  branchy: {
    name: "f",
    text: "fn f(a: bool, b: Vec<bool>) -> i32 {\n    // a comment\n    if a {\n        for x in b {\n            while x {\n                if x && a {\n                    return 1;\n                }\n            }\n        }\n    } else if a {\n        return 2;\n    }\n\n    3\n}\n",
    cyclomatic: 7,
    nesting: 4,
    lines: 12,
  },
  dangerous: { body: 'std::process::Command::new("sh").status().unwrap();\n1', rule: "rust-process" },
  witness: {
    name: "Positive",
    description: "A number above zero",
    base: { generic: false, type_params: [], inner_type: "i32" },
    invariants: [{ id: "above_zero", description: "It is above zero", formal: "value > 0", testable: true }],
    constructors: [
      { name: "new", trust_level: "safe" },
      { name: "trusted", trust_level: "unsafe" },
    ],
  },
  level: "distinction",
  witnessWords: [/pub struct Positive\(i32\);/, /pub fn new\(/, /debug_assert!/, /pub unsafe fn trusted_unchecked\(/],
  witnessTest: {
    path: "tests/positive.rs",
    text: "use project::witnesses::positive::Positive;\n\n#[test]\nfn takes_and_refuses() {\n    assert_eq!(*Positive::new(3).unwrap().value(), 3);\n    assert_eq!(Positive::new(0), Err(0));\n    assert_eq!(*unsafe { Positive::trusted_unchecked(0) }.value(), 0);\n}\n\n#[test]\n#[should_panic]\nfn checks_in_debug() {\n    Positive::trusted(0);\n}\n",
  },
  claims: [
    {
      framework: /proptest! \{/,
      claim: { ...CLAIM, id: "range_001", text: "A result is never below low.", type: "invariant", predicate: "result >= low" },
    },
    {
      framework: /^#\[test\]\nfn/m,
      claim: { ...CLAIM, id: "range_002", text: "5 in 0..3 is 3.", type: "behavioral", predicate: "clamp(5, 0, 3) == 3" },
    },
    {
      framework: /#\[should_panic/,
      claim: { ...CLAIM, id: "range_003", text: "An empty range is refused.", type: "negative", predicate: "low <= high" },
    },
  ],
  tools: ["cargo", "proptest"],
});
