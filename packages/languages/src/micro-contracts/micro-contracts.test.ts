import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PURITIES, type Clause } from "./contract.ts";
import { parseContract } from "./parse.ts";
import { oldExpressions, readPredicate, replaceOld, splitImplications } from "./predicates.ts";
import { printContract } from "./print.ts";
import { verificationOf, VERIFICATION_METHODS } from "./verification.ts";

const text = fc
  .array(
    fc.constantFrom("amount", ">", "0", "result", "===", "old(a.b)", "implies", "x.length", '"a: b"', "&&", "ENSURES:", "(b)", "ü", "𝒳"),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((words) => words.join(" "));
const bound = fc.constantFrom(
  "O(1)",
  "O(log n)",
  "O(n)",
  "O(n log n)",
  "O(n^2)",
  "O(n * m) where n = a.length, m = b.length",
  "O((n + m) log n)",
);
const claim = fc.tuple(fc.stringMatching(/^[a-z_]{1,8}$/), fc.nat()).map(([word, number]) => `${word}_${number}`);
const clause: fc.Arbitrary<Clause> = fc.oneof(
  fc.record({ kind: fc.constantFrom("REQUIRES", "ENSURES", "INVARIANT"), predicate: text, line: fc.constant(0) }),
  fc.record({ kind: fc.constant("COMPLEXITY"), bound, line: fc.constant(0) }),
  fc.record({ kind: fc.constant("PURITY"), purity: fc.constantFrom(...PURITIES), line: fc.constant(0) }),
  fc.record({ kind: fc.constant("CLAIM_REF"), claim, line: fc.constant(0) }),
);

const CONTRACT = `Finds a number.
Note: it is fast.

REQUIRES: haystack is sorted ascending (witnessed by SortedArray type)
REQUIRES: haystack.length > 0
ENSURES: result !== null implies
  haystack[result] === needle

INVARIANT: haystack.length === old(haystack.length)
COMPLEXITY: O(log n) where n = haystack.length
PURITY: pure
CLAIM_REF: search_001`;

const problemsOf = (doc: string, claims: ReadonlySet<string> | null = null) =>
  parseContract(doc, 10, claims).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe("[CRI-103] a contract", () => {
  test("is a list of clauses after an optional description, with continuation lines", () => {
    const { clauses, problems } = parseContract(CONTRACT, 1, new Set(["search_001"]));
    expect(problems).toEqual([]);
    expect(clauses).toEqual([
      { kind: "REQUIRES", predicate: "haystack is sorted ascending (witnessed by SortedArray type)", line: 4 },
      { kind: "REQUIRES", predicate: "haystack.length > 0", line: 5 },
      { kind: "ENSURES", predicate: "result !== null implies haystack[result] === needle", line: 6 },
      { kind: "INVARIANT", predicate: "haystack.length === old(haystack.length)", line: 9 },
      { kind: "COMPLEXITY", bound: "O(log n) where n = haystack.length", line: 10 },
      { kind: "PURITY", purity: "pure", line: 11 },
      { kind: "CLAIM_REF", claim: "search_001", line: 12 },
    ]);
  });

  test("is read back from its print unchanged", () => {
    fc.assert(
      fc.property(fc.array(clause, { minLength: 1, maxLength: 12 }), (clauses) => {
        const numbered = clauses.map((one, index) => ({ ...one, line: index + 7 }));
        expect(parseContract(printContract({ clauses }), 7, null)).toEqual({ clauses: numbered, problems: [] });
      }),
    );
  });

  test.each([
    ["an empty text", "", "10:1 The contract is empty"],
    ["only a description", "Adds two numbers.\nNothing else.", "10:1 The contract is empty"],
    ["an unknown keyword", "ENSURES: a\nMODIFIES: b", "11:1 MODIFIES: is no clause"],
    ["an unknown keyword in the description", "  TODO: later\nENSURES: a", "10:3 TODO: is no clause"],
    ["text between clauses", "ENSURES: a\nand this\nENSURES: b", "11:1 After the first clause only clauses"],
    ["text after a blank line, indented", "ENSURES: a\n\n  b", "12:3 After the first clause only clauses"],
    ["a clause without a value", "ENSURES:\nENSURES: b", "10:9 ENSURES: has no value."],
    ["a clause in another case", "requires: a > 0", '10:1 Write this clause as "REQUIRES: …".'],
    ["a clause without a colon", "REQUIRES a > 0", '10:1 Write this clause as "REQUIRES: …".'],
    ["a clause indented below another", "ENSURES: a\n  ENSURES: b", "11:3 ENSURES: is indented more"],
    ["a purity that is none", "PURITY: clean", '10:9 "clean" is no purity'],
    ["a purity in capitals", "PURITY: Pure", '10:9 "Pure" is no purity'],
    ["a bound without O", "COMPLEXITY: n log n", '10:13 "n log n" is no bound'],
    ["a bound with open brackets", "COMPLEXITY: O((n)", '10:13 "O((n)" is no bound'],
    ["a bound that closes too early", "COMPLEXITY: O(n))(n)", '10:13 "O(n))(n)" is no bound'],
    ["a bound with nothing in it", "COMPLEXITY: O()", '10:13 "O()" is no bound'],
    ["a claim id of another form", "CLAIM_REF: Balance-1", '10:12 "Balance-1" is no claim id'],
    ["a NUL", "ENSURES: a\0b", "10:11 A contract must not contain control characters."],
    ["an escape sequence", "ENSURES: \u001b[2Ja", "10:10 A contract must not contain control characters."],
    ["a line separator", "ENSURES: a\u2028REQUIRES: b", "10:11 A contract must not contain control characters."],
  ])("%s is an error with line and column", (_, doc, expected) => {
    expect(problemsOf(doc)[0]).toContain(expected);
  });

  test("a claim that the specification does not have is an error", () => {
    expect(problemsOf("ENSURES: a\nCLAIM_REF: balance_001", new Set(["balance_002"]))).toEqual([
      '11:12 The specification has no claim "balance_001".',
    ]);
    expect(problemsOf("CLAIM_REF: balance_001", new Set(["balance_001"]))).toEqual([]);
  });

  test("every malformed line among valid clauses is named, and the others are read", () => {
    const wrong = fc.constantFrom(
      "MODIFIES: a",
      "PURITY: maybe",
      "COMPLEXITY: fast",
      "CLAIM_REF: A_1",
      "some words",
      "ENSURES",
      "ensures: a",
    );
    fc.assert(
      fc.property(fc.array(clause, { minLength: 1, maxLength: 6 }), wrong, fc.nat(), fc.nat(1000), (clauses, line, where, first) => {
        const lines = printContract({ clauses }).split("\n");
        const at = 1 + (where % lines.length);
        const read = parseContract([...lines.slice(0, at), line, ...lines.slice(at)].join("\n"), first, null);
        expect(read.problems.map((problem) => problem.line)).toEqual([first + at]);
        expect(read.clauses).toHaveLength(clauses.length);
      }),
    );
  });

  test("Windows line ends and a huge text are read", () => {
    expect(parseContract("ENSURES: a\r\nPURITY: io\r\n", 1, null)).toEqual({
      clauses: [
        { kind: "ENSURES", predicate: "a", line: 1 },
        { kind: "PURITY", purity: "io", line: 2 },
      ],
      problems: [],
    });
    expect(parseContract("ENSURES: a\n".repeat(20_000), 1, null).clauses).toHaveLength(20_000);
  });
});

describe("a predicate", () => {
  const words = (given: string) => (/^[\w\s]+\s[\w\s]+$/.test(given) ? "it does not parse" : null);

  test("with implies has premises and a conclusion", () => {
    expect(readPredicate("a > 0 implies b(c implies d) implies e", words)).toEqual({
      kind: "expression",
      premises: ["a > 0", "b(c implies d)"],
      conclusion: "e",
    });
    expect(splitImplications('x === " implies " implies y')).toEqual(['x === " implies "', "y"]);
    expect(splitImplications("xs.implies(y)")).toEqual(["xs.implies(y)"]);
    expect(readPredicate("a implies ", words)).toMatchObject({ kind: "prose", reason: expect.stringContaining("both sides") });
  });

  test("that is no expression is prose, with the reason", () => {
    expect(readPredicate("the list is sorted", words)).toEqual({ kind: "prose", text: "the list is sorted", reason: "it does not parse" });
  });

  test("names its witness", () => {
    expect(readPredicate("xs is sorted (witnessed by Sorted type)", words)).toEqual({
      kind: "witnessed",
      text: "xs is sorted",
      witness: "Sorted",
    });
    expect(readPredicate("n >= 0 (witnessed by NonNegative)", words)).toMatchObject({ kind: "witnessed", witness: "NonNegative" });
    expect(readPredicate("n >= 0 (witnessed by Sorted<number> type)", words)).toMatchObject({ witness: "Sorted" });
  });

  test("has old values, outside of text literals", () => {
    expect(oldExpressions('old(a.b(1)) + "old(c)" + bold(d) + old(e[")"])').map(({ inner }) => inner)).toEqual(["a.b(1)", 'e[")"]']);
    expect(replaceOld("old(a) + old(b)", (_, index) => `old${index}`)).toBe("old0 + old1");
    expect(oldExpressions("old(a")).toEqual([]);
    expect(oldExpressions("old(old(a))").map(({ inner }) => inner)).toEqual(["old(a)"]);
  });
});

describe("[CRI-104] each category of clause is verified in its own way", () => {
  test.each<[Clause, string | null]>([
    [{ kind: "REQUIRES", predicate: "xs is sorted (witnessed by Sorted type)", line: 1 }, "compiler"],
    [{ kind: "REQUIRES", predicate: "n > 0", line: 1 }, "generated test"],
    [{ kind: "ENSURES", predicate: "result > 0", line: 1 }, "generated test"],
    [{ kind: "INVARIANT", predicate: "balance >= 0 (witnessed by NonNegative)", line: 1 }, "property test"],
    [{ kind: "COMPLEXITY", bound: "O(1)", line: 1 }, "benchmark"],
    [{ kind: "PURITY", purity: "pure", line: 1 }, "static analysis"],
    [{ kind: "CLAIM_REF", claim: "a_1", line: 1 }, null],
  ])("%j: %s", (one, method) => {
    expect(verificationOf(one)).toBe(method);
  });

  test("and there are six", () => {
    expect(Object.keys(VERIFICATION_METHODS)).toHaveLength(6);
  });
});
