import { SlipwayError } from "../../schema/errors.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { Refusal, type Operation } from "./operation.ts";
import { openBench } from "./testing/door.ts";

const SYSTEM = { type: "system", id: "test" } as const;

/** Refuses, and records the call. */
function refusing(effect: boolean): Operation<{ value: number }, null, null> {
  return {
    name: "refuse",
    roles: ["system"],
    input: z.strictObject({ value: z.int() }),
    ...(effect && { effect: async () => null }),
    async commit(tx, { value }) {
      await tx
        .insertInto("signals")
        .values({ run_id: "", name: `asked-${value}`, value: "1", sent_by: "", at: 0, consumed_at: null })
        .execute();
      return new Refusal(new SlipwayError("blocked_by_collision_policy", "not now", { value }), { value, waits: true });
    },
  };
}

test.each([true, false])(
  "a refusal keeps its writes, is returned to every repeat and has an event (with an effect: %s)",
  async (effect) => {
    const bench = await openBench();
    const ask = (door = bench.door) => door.perform(refusing(effect), SYSTEM, "one", { value: 7 }).catch((error: unknown) => error);
    const first = await ask();
    expect(first).toMatchObject({ code: "blocked_by_collision_policy", message: "not now", details: { value: 7 } });
    expect(await bench.db.selectFrom("signals").select("name").execute()).toEqual([{ name: "asked-7" }]);
    expect(await ask(bench.another())).toEqual(first);
    expect(await bench.db.selectFrom("signals").select("name").execute()).toHaveLength(1);
    const events = await bench.db.selectFrom("events").select(["name", "payload"]).execute();
    expect(events.map(({ name, payload }) => [name, (JSON.parse(payload) as { event: unknown }).event])).toEqual([
      ["refuse", { value: 7, waits: true }],
    ]);
    expect(await bench.db.selectFrom("operations").select("status").execute()).toEqual([{ status: "failed" }]);
    await bench.close();
  },
);
