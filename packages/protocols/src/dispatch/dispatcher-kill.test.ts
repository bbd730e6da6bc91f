import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { layoutAt } from "@slipway/kernel/host/layout";

const CHILD = join(import.meta.dirname, "..", "testing", "dispatcher-child.ts");

async function run(root: string, dieAt = ""): Promise<{ signal: string | null; stdout: string }> {
  const args = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", CHILD, root, dieAt];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return { signal, stdout };
}

/** Two calls are needed, because the first answer is invalid. `lost` counts calls whose end is unknown. */
test.each([
  ["before anything is asked", "started run1/poet:1", { asked: ["0", "1"], lost: 0 }],
  ["when the worst case is reserved", "committed run1/poet:1/reserve:0", { asked: ["0", "1"], lost: 1 }],
  ["in the middle of the first call", "in call 0", { asked: ["0", "0", "1"], lost: 1 }],
  ["right after the first answer", "committed run1/poet:1/reserve:0/settle", { asked: ["0", "1"], lost: 0 }],
  ["in the middle of the second call", "in call 1", { asked: ["0", "1", "1"], lost: 1 }],
  ["right after the last answer", "committed run1/poet:1/reserve:1/settle", { asked: ["0", "1"], lost: 0 }],
  ["before the outcome is recorded", "effect_done run1/poet:1", { asked: ["0", "1"], lost: 0 }],
  ["after it", "committed run1/poet:1", { asked: ["0", "1"], lost: 0 }],
])("killed %s, a received answer is never paid for again, and the recorded cost matches the provider's", async (_when, dieAt, expected) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-desk-kill-")));
  mkdirSync(join(root, ".slipway"));
  expect((await run(root, dieAt)).signal).toBe("SIGKILL");
  expect(JSON.parse((await run(root)).stdout)).toMatchObject({ ok: true, value: { poem: "green" } });

  const spend = existsSync(join(root, "spend")) ? readFileSync(join(root, "spend"), "utf8").trim().split("\n") : [];
  expect(spend.map((line) => line.split(" ")[0])).toEqual(expected.asked);
  const database = new DatabaseSync(layoutAt(root).database);
  const [told] = database.prepare("SELECT sum(calls) AS calls, round(sum(cost_usd), 6) AS cost FROM telemetry").all();
  const lost = database.prepare("SELECT cost_usd FROM reservations WHERE status = 'cut_off'").all();
  const open = database.prepare("SELECT id FROM reservations WHERE status = 'reserved'").all();
  database.close();
  expect(told).toEqual({ calls: 2, cost: 0.02 });
  expect(open).toEqual([]);
  // A call with an unknown end counts at its full reservation, so that a crash cannot overspend a budget.
  expect(lost).toHaveLength(expected.lost);
  for (const { cost_usd } of lost) expect(cost_usd).toBeGreaterThan(0.01);
});
