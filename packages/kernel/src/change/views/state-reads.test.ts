import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../open-database.ts";
import { heldLocks } from "../turn/locks/store.ts";
import { openPlanBench, type PlanBench } from "../testing/plan-bench.ts";

let bench: PlanBench;
beforeEach(async () => {
  bench = await openPlanBench();
  await bench.addFeature("one");
});
afterEach(() => bench.close());

const state = async () => (await bench.kernel.features.getState("one")).state;

test("without a write the cached state is returned", async () => {
  const first = await state();
  expect(await state()).toBe(first);
});

test("a write of this process is visible at once, and a rolled back one is not", async () => {
  const { version } = await state();
  await bench.acquire("one", "openapi");
  expect(await state()).toMatchObject({ version: version + 1, locks: { held: ["openapi"] } });
  const undone = bench.db.transaction().execute(async (tx) => {
    await tx.updateTable("features").set({ status_reason: "for a moment" }).execute();
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await state()).not.toHaveProperty("status_reason");
});

test("a write of another process is visible at once", async () => {
  await state();
  const other = await openDatabase({ path: bench.kernel.records.layout.database });
  await other.db.updateTable("features").set({ status_reason: "written elsewhere" }).execute();
  await other.close();
  expect(await state()).toMatchObject({ status_reason: "written elsewhere" });
});

test("an expired lock or a clock that is set back changes the state without a write", async () => {
  await bench.acquire("one", "openapi");
  expect((await state()).locks.held).toEqual(["openapi"]);
  const [lease] = await heldLocks(bench.db, "one");
  const before = bench.clock.time;
  bench.clock.time = (lease?.expiresAt ?? 0) - 1;
  expect((await state()).locks.held).toEqual(["openapi"]);
  bench.clock.time += 1;
  expect((await state()).locks.held).toEqual([]);
  bench.clock.time = before;
  expect((await state()).locks.held).toEqual(["openapi"]);
});
