import { gateWithTests } from "./ask-about-tests.ts";
import type { ChangeRun } from "./change-run.ts";
import { gate, gateAll } from "./gate.ts";
import type { AttemptResult } from "./phase.ts";
import { CHANGE_STEPS } from "./steps.ts";
import { moveTo } from "./unblock.ts";

/** Runs every gate of a change that is built, from the fast one on, and makes it ready to merge. The value is null if a person gave up. */
export async function passGates(change: ChangeRun, name: string): Promise<AttemptResult<true | null>> {
  const fast = await gateWithTests(change, name, "building", (attempt) => gate(change, "fast", attempt));
  if (!fast.ok) return fast;
  if (fast.value === null) return { ok: true, value: null };
  if (!(await moveTo(change, `qa-entry:${name}`, "qa", "the fast gates passed"))) return { ok: true, value: null };
  const all = await gateWithTests(change, name, "qa", (attempt) => gateAll(change, attempt));
  if (!all.ok) return all;
  if (all.value === null) return { ok: true, value: null };
  const entered = await moveTo(change, CHANGE_STEPS.ready.named(name), "ready_to_merge", "every required gate passed");
  return { ok: true, value: entered ? true : null };
}
