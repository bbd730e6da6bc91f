import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { linesOf } from "./store.ts";
import { openBudgetBench, RUN, type BudgetBench } from "./testing/budget-bench.ts";

let bench: BudgetBench;
afterEach(() => bench.close());

function startChild(...args: string[]) {
  const script = new URL("./testing/child.ts", import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", script, bench.folder, ...args],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  return { child, ended: once(child, "close").then(([code]) => code as number | null) };
}

test("parallel processes use up one budget without exceeding it, and a killed one counts at its worst case", async () => {
  bench = await openBudgetBench();
  const killed = startChild("killed", "hang");
  await once(killed.child.stdout, "data");
  killed.child.kill("SIGKILL");
  await killed.ended;
  const children = ["one", "two", "three"].map((name) => startChild(name));
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  const [line] = await linesOf(bench.db, RUN);
  // 2.00 less 0.10 for the killed one leaves 26 calls of 0.07, because the 27th might cost 0.10.
  expect(line).toMatchObject({ limit: 2, reserved: 0, spent: expect.closeTo(0.1 + 26 * 0.07, 6) });
  const rows = await bench.db.selectFrom("telemetry").select("cost_usd").execute();
  expect(rows).toHaveLength(26);
});
