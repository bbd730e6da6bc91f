import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { removeTree } from "../files/remove-tree.ts";
import type { Sandbox, SandboxRequest } from "./contract.ts";
import { openSandbox } from "./sandbox.ts";

const WARM_UP = 5;

/** Alternates the actions, so that load of the machine hits all of them. Returns the milliseconds of each, without warm-up rounds. */
export async function inTurns<Name extends string>(
  rounds: number,
  actions: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, readonly number[]>> {
  const entries = Object.entries(actions) as [Name, () => Promise<unknown>][];
  const measured = Object.fromEntries(entries.map(([name]) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, action] of entries) {
      const started = performance.now();
      await action();
      if (round >= 0) measured[name].push(performance.now() - started);
    }
  }
  return measured;
}

/** The same command as a plain child of this process. */
export function bareSpawn(): Promise<void> {
  return new Promise((resolve) => spawn("true", [], { stdio: ["ignore", "pipe", "pipe"] }).once("close", () => resolve()));
}

export function overheadRow(what: string, bare: readonly number[], measured: readonly number[], barMs: number): BenchRow {
  const [floor, whole] = [median(bare), median(measured)];
  const overhead = whole - floor;
  const value = `${overhead.toFixed(1)} ms (${whole.toFixed(1)} ms, bare spawn ${floor.toFixed(1)} ms, median of ${bare.length})`;
  return { what, value, ratio: Number((whole / floor).toFixed(2)), bar: `≤ ${barMs} ms`, ok: overhead <= barMs };
}

export function notMeasured(what: string, why: string, barMs: number): BenchRow {
  return { what, value: `not measured: ${why}`, ratio: null, bar: `≤ ${barMs} ms`, ok: true };
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

const PLAIN = "sandboxed exec over a bare spawn";
const LAYERED = "sandboxed exec with a layer over a bare spawn";
const BAR_MS = 15;

/** The time that the sandbox adds to a command, for the current user. */
export async function benchSandbox(rounds = 100): Promise<BenchRow[]> {
  const sandbox = await openSandbox().catch(() => null);
  if (sandbox === null) return [PLAIN, LAYERED].map((what) => notMeasured(what, "no sandbox here", BAR_MS));
  const folder = await mkdtemp(join(tmpdir(), "slipway-bench-sandbox-"));
  const worktree = join(folder, "worktree");
  mkdirSync(worktree);
  const { bare, plain, layered } = await inTurns(rounds, {
    bare: bareSpawn,
    plain: () => exec(sandbox, { worktree }),
    layered: () =>
      sandbox.layers === true ? withLayer(join(folder, "layer"), (layer) => exec(sandbox, { worktree, layer })) : bareSpawn(),
  });
  await rm(folder, { recursive: true, force: true });
  const layeredRow = sandbox.layers === true ? overheadRow(LAYERED, bare, layered, BAR_MS) : notMeasured(LAYERED, "no layers here", BAR_MS);
  return [overheadRow(PLAIN, bare, plain, BAR_MS), layeredRow];
}

async function exec(sandbox: Sandbox, request: Pick<SandboxRequest, "worktree" | "layer">): Promise<void> {
  const { exitCode, spawnError } = await sandbox.run({ ...request, command: ["true"], timeoutMs: 60_000 });
  if (exitCode !== 0) throw new Error(`true did not end with 0 in the sandbox: ${spawnError?.message ?? exitCode}`);
}

async function withLayer(layer: string, work: (layer: string) => Promise<void>): Promise<void> {
  mkdirSync(layer);
  await work(layer);
  await removeTree(layer);
}
