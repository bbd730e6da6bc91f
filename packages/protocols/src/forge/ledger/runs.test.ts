import { expect, test } from "vitest";
import { readForgeRun, saveForgeRun } from "./runs.ts";
import { FEATURE, openLedgerBench, RUN } from "./testing/ledger-bench.ts";

const LATER = "2026-02-27T09:00:00Z";

test("a run is found by its durable run, or as the newest; its state is replaced", async () => {
  const { bench, call } = await openLedgerBench();
  bench.clock.time = 5_000;
  await saveForgeRun(bench.door, call(), { run_key: "run-2", run_id: LATER, feature_id: "other", state: "{}", ledger: "yaml" });
  bench.clock.time = 6_000;
  await saveForgeRun(bench.door, call(), {
    run_key: `key-of-${RUN}`,
    run_id: RUN,
    feature_id: FEATURE,
    state: '{"step":"2"}',
    ledger: "sqlite",
  });
  const first = { run_key: `key-of-${RUN}`, run_id: RUN, feature_id: FEATURE, state: '{"step":"2"}', ledger: "sqlite", updated_at: 6_000 };
  expect(await readForgeRun(bench.db, null)).toEqual(first);
  expect(await readForgeRun(bench.db, `key-of-${RUN}`)).toEqual(first);
  expect(await readForgeRun(bench.db, "run-2")).toMatchObject({ run_id: LATER, ledger: "yaml" });
  expect(await readForgeRun(bench.db, "run-3")).toBeNull();
});

test("[FOR-143] a resumed run keeps its run_id and its ledger", async () => {
  const { bench, call } = await openLedgerBench("yaml");
  const run = { run_key: `key-of-${RUN}`, run_id: RUN, feature_id: FEATURE, state: "{}", ledger: "yaml" } as const;
  for (const wrong of [{ run_id: LATER }, { ledger: "sqlite" as const }])
    await expect(saveForgeRun(bench.door, call(), { ...run, ...wrong })).rejects.toMatchObject({ code: "policy_violation" });
  expect(await readForgeRun(bench.db, `key-of-${RUN}`)).toMatchObject({ run_id: RUN, ledger: "yaml" });
});
