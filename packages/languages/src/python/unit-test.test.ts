import { describe, expect, test } from "vitest";
import { generatedValueSuite } from "../testing/generated-values.ts";
import { pythonAdapter } from "./adapter.ts";
import { pythonShape } from "./types.ts";

const MODULE = `from __future__ import annotations

import asyncio
from dataclasses import dataclass
from decimal import Decimal
from typing import Callable, Dict, List, Optional, Tuple, Union

LIMIT = 10


@dataclass(frozen=True)
class Positive:
    value: int

    def __post_init__(self):
        if self.value <= 0:
            raise ValueError("not positive")


@dataclass
class Account:
    balance: int

    def deposit(self, amount: Positive) -> int:
        """ENSURES: self.balance == old(self.balance) + amount.value
        ENSURES: result == self.balance
        INVARIANT: self.balance >= -5000
        """
        self.balance += amount.value
        return self.balance

    @staticmethod
    def zero(n: int) -> int:
        """ENSURES: result == 0"""
        return 0


def many(a: int, b: float, c: str, d: List[int], e: Optional[str], f: Dict[str, int], g: Tuple[int, bool], h: set[int], i: bytes, j: Decimal, k: Union[int, None], l: "list[tuple[int, ...]]", m: None) -> int:
    """REQUIRES: a >= 12345
    REQUIRES: d == sorted(d)
    ENSURES: result == len(d)
    ENSURES: e is not None implies len(e) >= 0
    INVARIANT: len(d) == old(len(d))
    """
    if a < 12345 or d != sorted(d):
        raise ValueError("refused")
    return len(d)


async def later(n: int) -> int:
    """ENSURES: result == n"""
    await asyncio.sleep(0)
    return n


def rest(first: int, *others: int) -> int:
    """ENSURES: result == first + sum(others)"""
    return first + sum(others)


def call(f: Callable[[int], int]) -> int:
    """ENSURES: result == 1"""
    return 1


def untyped(a) -> int:
    """ENSURES: result == 1"""
    return 1


def prose(a: int) -> int:
    """ENSURES: the result is nice
    REQUIRES: a is good (witnessed by Good type)
    """
    return 1
`;
const tree = { "src/bank/money.py": MODULE };
const path = "src/bank/money.py";

generatedValueSuite(
  pythonAdapter,
  ["python3", "pytest", "hypothesis"],
  [
    { title: "of every supported annotation", tree, path, name: "many", passes: 5 },
    { title: "of a class whose constructor refuses some, for a method", tree, path, name: "Account.deposit", passes: 3 },
    { title: "for a static method", tree, path, name: "Account.zero", passes: 1 },
    { title: "for a coroutine", tree, path, name: "later", passes: 1 },
    { title: "for variable arguments", tree, path, name: "rest", passes: 1 },
    { title: "cannot be functions", tree, path, name: "call", passes: null },
    { title: "need an annotation", tree, path, name: "untyped", passes: null },
    { title: "need a clause that is an expression", tree, path, name: "prose", passes: null },
  ],
);

describe("the shape of an annotation", () => {
  test.each([
    ["typing.Sequence[str]", "list"],
    ["frozenset[int]", "set"],
    ["list", "list"],
    ["dict", "map"],
    ["set", "set"],
    ["int | None", "optional"],
    ["Optional[Foo]", "optional"],
    ["Foo[int]", "named"],
    ["tuple[int, ...]", "list"],
  ])("%s is %s", (annotation, kind) => {
    expect(pythonShape(annotation)?.kind).toBe(kind);
  });

  test.each(["", "Any", "T", "int | str", "Callable", "list[Any]", "dict[str, T]", "tuple[Any, int]", "Optional[Any]", "None | None"])(
    "%j has none",
    (annotation) => {
      expect(pythonShape(annotation)).toBeNull();
    },
  );
});

describe("the invariant of a class", () => {
  const claim = {
    id: "balance_001",
    text: "A balance never drops below zero.",
    type: "invariant" as const,
    subject: "Account",
    predicate: "self.balance >= 0",
    scope: "all",
    testable: true,
    requires_mocking: [],
    suggested_generators: [],
  };
  const adapter = pythonAdapter({ env: process.env });

  test("becomes a test over sequences of its operations", () => {
    const made = adapter.claimTest(tree, claim);
    expect(made.tests).toEqual(["test_account_claim_balance_001"]);
    expect(made.text).toContain("lambda self, data: self.deposit(data.draw(_valid(Positive)))");
    expect(made.text).toContain("assert (self.balance >= 0)");
  });

  test("is untested if its predicate is a sentence or its class is missing", () => {
    expect(adapter.claimTest(tree, { ...claim, predicate: "the balance is fine" }).tests).toEqual([]);
    expect(adapter.claimTest(tree, { ...claim, subject: "Missing" }).untested[0]?.reason).toContain("Missing");
  });
});
