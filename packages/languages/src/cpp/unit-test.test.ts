import { expect, test } from "vitest";
import { generatedValueSuite } from "../testing/generated-values.ts";
import { cppAdapter } from "./adapter.ts";
import { cppWitness } from "./witness.ts";

const SOURCE = `#pragma once
#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace bank {
/// REQUIRES: a >= 12345
/// REQUIRES: std::is_sorted(c.begin(), c.end())
/// ENSURES: result == c.size()
/// ENSURES: d implies d
/// INVARIANT: h.size() == old(h.size()) + 1 || h.size() == old(h.size())
inline std::size_t many(long a, const std::string& b, const std::vector<int>& c, bool d, double e, char f, std::optional<int> g, std::vector<int>& h, std::set<int> i, unsigned int j, float k) {
  if (a < 12345 || !std::is_sorted(c.begin(), c.end())) throw std::invalid_argument("refused");
  h.push_back(1);
  return c.size();
}

/// REQUIRES: s == "a" || s == "b"
/// ENSURES: s.size() == 1
inline void nothing(std::string s) {
  if (s != "a" && s != "b") throw std::invalid_argument("refused");
}

/// ENSURES: result >= 0.5 || e < 0.5
inline double same(double e) { return e; }

class Account {
 public:
  /// ENSURES: result == n
  int same(int n) { return n; }
};

/// ENSURES: result == 1
template <typename T>
int generic(T n) { return 1; }

/// ENSURES: result == 1
inline int odd(int* n) { return 1; }
}
`;
const PLAIN = `/// ENSURES: result == n\nint plain(int n) { return n; }\n`;
const tree = { "src/bank.hpp": SOURCE, "src/plain.cpp": PLAIN };
const path = "src/bank.hpp";

generatedValueSuite(
  cppAdapter,
  ["g++", "rapidcheck"],
  [
    { title: "of every supported type", tree, path, name: "bank.many", passes: 5 },
    { title: "for a function without a result", tree, path, name: "bank.nothing", passes: 2 },
    { title: "of numbers beside those of the contract", tree, path, name: "bank.same", passes: 1 },
    { title: "for a function without a header, which is declared in the test", tree, path: "src/plain.cpp", name: "plain", passes: 1 },
    { title: "not for a method, which needs an object", tree, path, name: "bank.Account.same", passes: null },
    { title: "not for a template", tree, path, name: "bank.generic", passes: null },
    { title: "not of a pointer", tree, path, name: "bank.odd", passes: null },
  ],
);

test("a witness can be a template, and empty where its type can", () => {
  const made = cppWitness({
    name: "SortedVec",
    description: "A sorted list",
    base: { generic: true, type_params: [{ name: "T", bounds: [] }], inner_type: "std::vector<T>" },
    invariants: [],
    constructors: [{ name: "empty", trust_level: "safe" }],
  });
  expect(made.text).toContain("template <typename T>\nclass SortedVec {");
  expect(made.text).toContain("static SortedVec empty() {\n    std::vector<T> value{};");
});
