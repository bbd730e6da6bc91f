import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { injectionOrder, nextWave, planInjection, type CallNode } from "./order.ts";

const node = (id: string, ...calls: string[]): CallNode => ({ id, calls });

/** Random call graphs over a few names, with cycles, self calls and unknown names. */
const graphs = fc
  .uniqueArray(fc.constantFrom(..."abcdefghij"), { minLength: 1 })
  .chain((ids) =>
    fc
      .tuple(...ids.map((id) => fc.subarray([...ids, "unknown"]).map((calls): CallNode => ({ id, calls }))))
      .map((nodes) => nodes as CallNode[]),
  );

function reaches(nodes: readonly CallNode[], from: string, to: string): boolean {
  const seen = new Set<string>();
  const queue = [from];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const called of nodes.find((one) => one.id === id)?.calls ?? []) {
      if (called === to) return true;
      if (!seen.has(called)) queue.push(called);
      seen.add(called);
    }
  }
  return false;
}

describe("the order of injection", () => {
  test("[CRI-058] leaves come first, and ties are decided by id", () => {
    expect(injectionOrder([node("transfer", "withdraw", "deposit"), node("withdraw"), node("deposit"), node("audit")])).toEqual([
      ["audit"],
      ["deposit"],
      ["withdraw"],
      ["transfer"],
    ]);
  });

  test("[CRI-058] a function never comes before one that it calls, unless both are in a cycle", () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const order = injectionOrder(nodes);
        const place = new Map(order.flatMap((batch, index) => batch.map((id) => [id, index] as const)));
        for (const { id, calls } of nodes)
          for (const called of calls) if (place.has(called)) expect(place.get(called)).toBeLessThanOrEqual(place.get(id) ?? -1);
        expect(order.flat().toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
      }),
    );
  });

  test("[CRI-059] functions are in one batch if and only if each reaches the other", () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const order = injectionOrder(nodes);
        const batchOf = (id: string) => order.findIndex((batch) => batch.includes(id));
        for (const { id } of nodes)
          for (const { id: other } of nodes)
            if (id !== other) expect(batchOf(id) === batchOf(other)).toBe(reaches(nodes, id, other) && reaches(nodes, other, id));
      }),
    );
  });

  test("[CRI-058] it does not depend on the order in which functions are listed", () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat()), (nodes, random) => {
        const shuffled = nodes.map((one) => ({ one, key: random.next().value as number })).toSorted((a, b) => a.key - b.key);
        expect(injectionOrder(shuffled.map(({ one }) => one))).toEqual(injectionOrder(nodes));
      }),
    );
  });

  test("a chain of 5,000 calls does not exhaust the stack", () => {
    const chain = Array.from({ length: 5_000 }, (_, index) =>
      node(`f${String(index).padStart(4, "0")}`, `f${String(index + 1).padStart(4, "0")}`),
    );
    expect(injectionOrder(chain)[0]).toEqual(["f4999"]);
  });
});

describe("a wave", () => {
  const nodes = [node("a"), node("b"), node("c", "a"), node("d", "e"), node("e", "d")];
  const plan = planInjection(nodes);

  test("[CRI-068] holds only functions whose calls are injected, up to the limit", () => {
    expect(nextWave(plan, new Set(), 2)).toEqual([["a"], ["b"]]);
    expect(nextWave(plan, new Set(["a", "b"]), 8)).toEqual([["c"], ["d", "e"]]);
  });

  test("a cycle waits until every call of each of its functions is injected", () => {
    const cycle = planInjection([node("a"), node("d", "e"), node("e", "d", "a")]);
    expect(nextWave(cycle, new Set(), 8)).toEqual([["a"]]);
  });

  test("a cycle larger than the limit is a wave of its own", () => {
    expect(nextWave(plan, new Set(["a", "b", "c"]), 1)).toEqual([["d", "e"]]);
  });

  test("nothing is left when every function is done", () => {
    expect(nextWave(plan, new Set(["a", "b", "c", "d", "e"]), 8)).toEqual([]);
  });
});
