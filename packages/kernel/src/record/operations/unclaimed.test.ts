import { SlipwayError } from "../../schema/errors.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { unfinishedOperations } from "./ledger.ts";
import type { Actor, Operation } from "./operation.ts";
import { openBench, type Bench } from "./testing/door.ts";

const system: Actor = { type: "system", id: "test" };
let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

function looking(effect: () => Promise<string>, commit?: () => never): Operation<{ text: string }, string, { seen: string }> {
  return {
    name: "look.at",
    roles: ["system"],
    input: z.strictObject({ text: z.string() }),
    unclaimed: true,
    effect,
    commit: async (_tx, _input, seen) => commit?.() ?? { seen },
  };
}
const perform = (operation: ReturnType<typeof looking>, door = bench.door) => door.perform(operation, system, "op", { text: "a" });

describe("an operation without a claim", () => {
  test("is in the ledger only after its end, and then answers without an effect", async () => {
    const effect = vi.fn(async () => {
      expect(await bench.db.selectFrom("operations").selectAll().execute()).toEqual([]);
      return "first";
    });
    expect(await perform(looking(effect))).toEqual({ seen: "first" });
    expect(await perform(looking(effect), bench.another())).toEqual({ seen: "first" });
    expect(effect).toHaveBeenCalledTimes(1);
    await expect(bench.door.perform(looking(effect), system, "op", { text: "b" })).rejects.toMatchObject({ code: "operation_conflict" });
  });

  test("two at the same time: one ends it, and both get its answer", async () => {
    const both = Promise.withResolvers<void>();
    let inside = 0;
    const effect = (name: string) => async () => {
      if (++inside === 2) both.resolve();
      await both.promise;
      return name;
    };
    const [one, other] = await Promise.all([perform(looking(effect("one"))), perform(looking(effect("other")), bench.another())]);
    expect(one).toEqual(other);
  });

  test("a refusal is recorded, from the effect or the commit; any other failure leaves nothing and may be retried", async () => {
    const refusal = () => Promise.reject(new SlipwayError("policy_violation", "no"));
    await expect(perform(looking(() => Promise.reject(new Error("the disk"))))).rejects.toThrow("the disk");
    expect(await unfinishedOperations(bench.db)).toEqual([]);
    await expect(perform(looking(refusal))).rejects.toMatchObject({ code: "policy_violation" });
    await expect(perform(looking(async () => "later"))).rejects.toMatchObject({ code: "policy_violation" });
    const late = looking(
      async () => "seen",
      () => {
        throw new SlipwayError("version_conflict", "too late");
      },
    );
    await expect(bench.door.perform(late, system, "late", { text: "a" })).rejects.toMatchObject({ code: "version_conflict" });
  });
});
