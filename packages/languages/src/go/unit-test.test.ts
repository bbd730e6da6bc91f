import { expect, test } from "vitest";
import { generatedValueSuite } from "../testing/generated-values.ts";
import { goAdapter } from "./adapter.ts";
import { goWitness } from "./witness.ts";

const SOURCE = `package money

import "errors"

// REQUIRES: a >= 12345
// REQUIRES: sort.IntsAreSorted(c)
// ENSURES: result == len(c)
// ENSURES: d implies d
// INVARIANT: len(c) == old(len(c))
func Many(a int64, b string, c []int, d bool, e map[string]float64, f uint8, g [][]string, h float32, rest ...int) int {
	if a < 12345 {
		panic("refused")
	}
	for i := 1; i < len(c); i++ {
		if c[i] < c[i-1] {
			panic("refused")
		}
	}
	return len(c)
}

// REQUIRES: n > 0
// ENSURES: err != nil implies n > 0
// ENSURES: result == n || n <= 0
func Checked(n int) (int, error) {
	if n <= 0 {
		return 0, errors.New("refused")
	}
	return n, nil
}

// REQUIRES: s == "a" || s == "b"
// ENSURES: err == nil
func only(s string) error {
	if s != "a" && s != "b" {
		return errors.New("refused")
	}
	return nil
}

// REQUIRES: n >= 0.5
func nothing(n float64) {
	if n < 0.5 {
		panic("refused")
	}
}

type Account struct{}

// ENSURES: result == n
func (a Account) Same(n int) int { return n }

// ENSURES: result == 1
func generic[T any](n T) int { return 1 }

// ENSURES: result == 1
func odd(n chan int) int { return 1 }
`;
const tree = { "src/money/money.go": SOURCE };
const path = "src/money/money.go";

generatedValueSuite(
  goAdapter,
  ["go"],
  [
    { title: "of every supported type", tree, path, name: "Many", passes: 5 },
    { title: "for a function that refuses with an error", tree, path, name: "Checked", passes: 2 },
    { title: "for a function with an error alone", tree, path, name: "only", passes: 1 },
    { title: "for a function without a result", tree, path, name: "nothing", passes: 1 },
    { title: "not for a method, which needs an object", tree, path, name: "Account.Same", passes: null },
    { title: "not for a generic function", tree, path, name: "generic", passes: null },
    { title: "not of a channel", tree, path, name: "odd", passes: null },
  ],
);

test("a witness imports the packages that its check uses, and keeps its type parameters", () => {
  const made = goWitness({
    name: "SortedList",
    description: "A sorted list",
    base: { generic: true, type_params: [{ name: "T", bounds: [] }], inner_type: "[]T" },
    invariants: [
      {
        id: "sorted",
        description: "It is sorted",
        formal: "sort.SliceIsSorted(value, func(i, j int) bool { return i < j })",
        testable: true,
      },
    ],
    constructors: [],
  });
  expect(made.text).toContain('\t"errors"\n\t"sort"\n');
  expect(made.text).toContain("type SortedList[T any] struct");
  expect(made.text).toContain("func NewSortedList[T any](value []T) (SortedList[T], error)");
});
