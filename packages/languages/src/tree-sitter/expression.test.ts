import { describe, expect, test } from "vitest";
import { cppGrammar } from "../cpp/grammar.ts";
import { goGrammar } from "../go/grammar.ts";
import { javaGrammar } from "../java/grammar.ts";
import { pythonGrammar } from "../python/grammar.ts";
import { rustGrammar } from "../rust/grammar.ts";
import { expressionCheck } from "./expression.ts";
import type { Grammar } from "./grammar.ts";

const problem = (grammar: Grammar, text: string) => expressionCheck(grammar, (name) => ["a", "b", "list", "result"].includes(name))(text);

describe("an expression", () => {
  test.each(
    (
      [
        [pythonGrammar, "all(x <= a for x in list)"],
        [pythonGrammar, "list == sorted(list, key=lambda x: -x)"],
        [pythonGrammar, "a.b.c == math.floor(b) and not result"],
        [pythonGrammar, "isinstance(a, Foo)"],
        [rustGrammar, "list.windows(2).all(|w| w[0] <= w[1])"],
        [rustGrammar, "result.is_some() && a < i32::MAX"],
        [rustGrammar, "matches!(result, Some(x) if x > a)"],
        [goGrammar, "sort.SliceIsSorted(list, func(i, j int) bool { return list[i] < list[j] })"],
        [goGrammar, 'len(list) == a && strings.Contains(b, "x")'],
        [javaGrammar, "list.stream().allMatch(x -> x > a)"],
        [javaGrammar, "list.size() == a && b.length > Math.abs(a)"],
        [cppGrammar, "std::all_of(list.begin(), list.end(), [](int x) { return x > 0; })"],
        [cppGrammar, "list->size() == a"],
      ] satisfies [Grammar, string][]
    ).map(([grammar, text]) => ({ id: grammar.id, grammar, text })),
  )("of $id: $text", ({ grammar, text }) => {
    expect(problem(grammar, text)).toBeNull();
  });

  test.each(
    (
      [
        [pythonGrammar, "the list is sorted", "parse"],
        [pythonGrammar, "list is sorted", "sorted is neither"],
        [pythonGrammar, "a := 1", "changes"],
        [pythonGrammar, "a) or (b", "one expression"],
        [pythonGrammar, "", "one expression"],
        [rustGrammar, "a = 1", "changes"],
        [rustGrammar, "a } fn f() { (b", "expression"],
        [rustGrammar, "unknown > 1", "unknown is neither"],
        [goGrammar, "a; b", "parse"],
        [goGrammar, "a\n", "one expression"],
        [javaGrammar, "a++", "changes"],
        [cppGrammar, "a = b", "changes"],
        [cppGrammar, "every element is positive", "parse"],
      ] satisfies [Grammar, string, string][]
    ).map(([grammar, text, reason]) => ({ id: grammar.id, grammar, text, reason })),
  )("of $id is not: $text", ({ grammar, text, reason }) => {
    expect(problem(grammar, text)).toContain(reason);
  });
});
