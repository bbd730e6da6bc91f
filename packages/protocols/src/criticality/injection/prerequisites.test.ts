import { describe, expect, test } from "vitest";
import { parseContract } from "@slipway/languages/micro-contracts/parse";
import { injectionOrder } from "./order.ts";
import { withPrerequisites } from "./prerequisites.ts";

const one = (id: string, signature: string, contract = "PURITY: pure", calls: readonly string[] = []) => ({
  id,
  name: id.split("#")[1] ?? "",
  signature,
  contract: { clauses: parseContract(contract, 1, null).clauses },
  calls,
});

const callsOf = (functions: readonly ReturnType<typeof one>[]) => withPrerequisites(functions).map(({ calls }) => calls);

describe("before a function is written", () => {
  test("the functions that it calls are", () => {
    expect(callsOf([one("a.ts#f", "f(): number", undefined, ["a.ts#g"]), one("a.ts#g", "g(): number")])).toEqual([["a.ts#g"], []]);
  });

  test("the functions of its contract are, because its tests call them", () => {
    const contract = "REQUIRES: isValid(a)\nENSURES: items.every(isValid) implies result === size(a)\nENSURES: result.length > name.length";
    const functions = [
      one("a.ts#f", "f(a: number, name: string): number", contract),
      one("a.ts#isValid", "isValid(a: number): boolean"),
      one("b.ts#isValid", "isValid(a: number): boolean"),
      one("b.ts#size", "size(a: number): number"),
      one("a.ts#length", "length(): number"),
    ];
    expect(callsOf(functions)[0]).toEqual(["a.ts#isValid", "b.ts#size"]);
  });

  test("the constructor of its class and those of its parameters are, because its tests make objects", () => {
    const functions = [
      one("a.ts#Stock.constructor", "constructor(initial: number)", "ENSURES: result.total === initial"),
      one("a.ts#Stock.total", "get total(): number"),
      one("a.py#Cart.__init__", "def __init__(self) -> None"),
      one("b.ts#sum", "sum(stock: Stock, carts: readonly Cart[]): number", "ENSURES: result >= stock.total"),
      one("b.ts#Other.total", "total(): number", "ENSURES: this.missing === 1"),
    ];
    expect(callsOf(functions)).toEqual([
      ["a.ts#Stock.total"],
      ["a.ts#Stock.constructor"],
      [],
      ["a.ts#Stock.total", "a.ts#Stock.constructor", "a.py#Cart.__init__"],
      [],
    ]);
  });

  test("[CRI-059] a constructor and the method of its contract are written together", () => {
    const functions = [
      one("a.ts#Stock.constructor", "constructor(initial: number)", "ENSURES: result.total === initial"),
      one("a.ts#Stock.total", "get total(): number"),
    ];
    expect(injectionOrder(withPrerequisites(functions))).toEqual([["a.ts#Stock.constructor", "a.ts#Stock.total"]]);
  });

  test("its own name in its contract asks for nothing", () => {
    expect(callsOf([one("a.ts#f", "f(n: number): number", "ENSURES: n === 0 || f(n - 1) < result")])).toEqual([[]]);
  });
});
