import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openLedgerBench, RUN } from "./testing/ledger-bench.ts";

const CHILD = join(import.meta.dirname, "testing/writer-child.ts");

test("[FOR-069] four processes write to the ledger at the same time, and every row arrives", async () => {
  const { bench, ledger } = await openLedgerBench();
  const write = (name: string) =>
    promisify(execFile)(process.execPath, ["--conditions=slipway-source", CHILD, bench.folder, RUN, name, "25"]);
  await Promise.all(["a", "b", "c", "d"].map(write));
  const { checks } = await ledger.rows(RUN);
  const counts = Map.groupBy(checks, ({ task_id }) => task_id);
  expect([...counts].map(([name, rows]) => [name, rows.length]).toSorted()).toEqual([
    ["a", 25],
    ["b", 25],
    ["c", 25],
    ["d", 25],
  ]);
});
