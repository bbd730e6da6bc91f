import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@slipway/durable/environment";
import { createRedactor } from "../redaction/redactor.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { openSandbox } from "../sandbox/sandbox.ts";
import { unsandboxed } from "../sandbox/unsandboxed.ts";
import { runGate } from "./run.ts";
import type { BenchRow } from "@slipway/durable/bench/durable";
import type { GatesConfig } from "./schema.ts";

const STEP = { name: "true", cmd: ["true"] };
const CONFIG: GatesConfig = { version: 1, profiles: { default: { modes: { fast: [STEP], full: [STEP] } } } };
const REDACTOR = createRedactor({ secrets: ["a-secret-of-the-bench"] });
const WARM_UP = 5;

/** What a gate adds to the command it runs. All variants take turns, so that a busy machine is busy for all of them. */
export async function benchGates(rounds = 60): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-bench-gates-"));
  const sandbox = await openSandbox().catch(() => null);
  const open = unsandboxed({ reason: "measuring the cost of a gate", by: "bench" });
  const bare: number[] = [];
  const unwalled: number[] = [];
  const walled: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const keep = round >= 0;
    await timed(bareSpawn, keep ? bare : null);
    await timed(() => gate(open, folder), keep ? unwalled : null);
    if (sandbox !== null) await timed(() => gate(sandbox, folder), keep ? walled : null);
  }
  await rm(folder, { recursive: true, force: true });
  const rows = [row("gate overhead over a bare spawn, no sandbox", bare, unwalled, 5)];
  if (sandbox !== null) return [...rows, row("gate overhead over a bare spawn, sandboxed", bare, walled, 20)];
  return [
    ...rows,
    { what: "gate overhead over a bare spawn, sandboxed", value: "not measured: no sandbox here", ratio: null, bar: "≤ 20 ms", ok: true },
  ];
}

function row(what: string, bare: readonly number[], gated: readonly number[], barMs: number): BenchRow {
  const [floor, measured] = [median(bare), median(gated)];
  const overhead = measured - floor;
  const value = `${overhead.toFixed(1)} ms (${measured.toFixed(1)} ms, bare spawn ${floor.toFixed(1)} ms, median of ${bare.length})`;
  return { what, value, ratio: Number((measured / floor).toFixed(2)), bar: `≤ ${barMs} ms`, ok: overhead <= barMs };
}

async function timed(action: () => Promise<unknown>, into: number[] | null): Promise<void> {
  const started = performance.now();
  await action();
  into?.push(performance.now() - started);
}

function bareSpawn(): Promise<void> {
  return new Promise((resolve) => spawn("true", [], { stdio: ["ignore", "pipe", "pipe"] }).once("close", () => resolve()));
}

function gate(sandbox: Sandbox, folder: string): Promise<unknown> {
  return runGate({
    config: CONFIG,
    profile: "default",
    mode: "full",
    worktree: folder,
    policy: { defaultStepTimeoutSeconds: 60, envAllowlist: [], transientErrorCodes: [], transientMaxRetries: 0 },
    sandbox,
    hostEnv: {},
    logFolder: join(folder, "logs"),
    redact: REDACTOR,
    clock: systemClock,
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
