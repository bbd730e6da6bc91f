import { describe, expect, test } from "vitest";
import { generatedValueSuite } from "../testing/generated-values.ts";
import { rustAdapter } from "./adapter.ts";
import { rustParameter, rustShape } from "./types.ts";
import { rustWitness } from "./witness.ts";

const witness = rustWitness({
  name: "Even",
  description: "An even number",
  base: { generic: false, type_params: [], inner_type: "i32" },
  invariants: [{ id: "even", description: "Two divides it", formal: "value % 2 == 0", testable: true }],
  constructors: [{ name: "new", trust_level: "safe" }],
});
const SOURCE = `use std::collections::{BTreeMap, HashMap, HashSet};
use crate::witnesses::even::Even;

/// REQUIRES: a >= 60000
/// REQUIRES: c.windows(2).all(|w| w[0] <= w[1])
/// ENSURES: result == c.len()
/// ENSURES: d.is_some() implies d.unwrap() == d.unwrap()
/// INVARIANT: h.len() == old(h.len()) + 1 || h.len() == old(h.len())
pub fn many(a: u32, b: &str, c: &[i64], d: Option<f64>, e: Vec<String>, f: HashMap<String, i32>, g: (bool, char), h: &mut Vec<i32>, i: HashSet<u8>, j: &BTreeMap<i16, i8>, k: usize) -> usize {
    if a < 60000 || c.windows(2).any(|w| w[0] > w[1]) {
        panic!("refused");
    }
    let _ = (b, d, e, f, g, i, j, k);
    h.push(1);
    c.len()
}

/// ENSURES: result * 2 == *n.value()
pub fn half(n: Even) -> i32 {
    n.value() / 2
}

pub struct Account;
impl Account {
    /// ENSURES: result == n
    pub fn same(n: i32) -> i32 {
        n
    }

    /// ENSURES: result == n
    pub fn method(&self, n: i32) -> i32 {
        n
    }
}

/// ENSURES: result == n
fn private(n: i32) -> i32 {
    n
}

/// ENSURES: result == 1
pub fn generic<T: Ord>(_n: T) -> i32 {
    private(1)
}

/// ENSURES: result == 1
pub fn odd_type(_n: Account) -> i32 {
    1
}
`;
const tree = { "src/bank/money.rs": SOURCE, [witness.path]: witness.text };
const path = "src/bank/money.rs";

generatedValueSuite(
  rustAdapter,
  ["cargo", "proptest"],
  [
    { title: "of every supported type", tree, path, name: "many", passes: 5 },
    { title: "of a witness, through its constructor", tree, path, name: "half", passes: 1 },
    { title: "for a function of a type", tree, path, name: "Account.same", passes: 1 },
    { title: "not for a method, which needs an object", tree, path, name: "Account.method", passes: null },
    { title: "not for a private function, which a test cannot call", tree, path, name: "private", passes: null },
    { title: "not for a generic function", tree, path, name: "generic", passes: null },
    { title: "not of a type without a constructor that is known", tree, path, name: "odd_type", passes: null },
  ],
);

describe("the shape of a type", () => {
  test.each([
    ["()", "none"],
    ["BTreeSet<i32>", "set"],
    ["Option<Vec<u8>>", "optional"],
    ["Even", "named"],
    ["Sorted<i32>", "named"],
  ])("%s is %s", (type, kind) => {
    expect(rustShape(type)?.kind).toBe(kind);
  });

  test.each(["T", "impl Fn()", "Vec<T>", "(i32, T)", "HashMap<String, T>", "Option<&T>", "HashSet<T>"])("%s has none", (type) => {
    expect(rustShape(type)).toBeNull();
  });

  test("an unsized type needs a reference", () => {
    expect(rustParameter("str")).toBeNull();
    expect(rustParameter("[i32]")).toBeNull();
    expect(rustParameter("&'a mut [i32]")).toMatchObject({ by: "mutable", owned: "Vec<i32>" });
  });
});

test("witnesses of collections import them and can be empty", () => {
  const made = rustWitness({
    name: "SortedVec",
    description: "A sorted list",
    base: { generic: true, type_params: [{ name: "T", bounds: ["Ord", "Clone"] }], inner_type: "VecDeque<T>" },
    invariants: [],
    constructors: [
      { name: "empty", trust_level: "safe" },
      { name: "from_sorted", trust_level: "unsafe" },
    ],
  });
  expect(made.text).toContain("use std::collections::VecDeque;");
  expect(made.text).toContain("pub struct SortedVec<T: Ord + Clone>(VecDeque<T>);");
  expect(made.text).toContain("pub fn empty() -> Result<Self, VecDeque<T>>");
  expect(made.level).toBe("distinction");
});
