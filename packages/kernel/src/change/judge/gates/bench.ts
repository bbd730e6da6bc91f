import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@slipway/durable/environment";
import { createRedactor } from "../../../host/redaction/redactor.ts";
import type { Sandbox } from "../../../host/sandbox/contract.ts";
import { bareSpawn, inTurns, notMeasured, overheadRow } from "../../../host/sandbox/bench.ts";
import { openSandbox } from "../../../host/sandbox/sandbox.ts";
import { unsandboxed } from "../../../host/sandbox/unsandboxed.ts";
import { runGate, type GateResult } from "./run.ts";
import type { BenchRow } from "@slipway/durable/bench/durable";
import type { GatesConfig } from "../../../config/gates.ts";

const STEP = { name: "true", cmd: ["true"] };
const CONFIG: GatesConfig = { version: 1, profiles: { default: { modes: { fast: [STEP], full: [STEP] } } } };
const REDACTOR = createRedactor({ secrets: ["a-secret-of-the-bench"] });
const SANDBOXED = "gate overhead over a bare spawn, sandboxed";

/** The overhead of a gate over its command. */
export async function benchGates(rounds = 60): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-bench-gates-"));
  const sandbox = await openSandbox().catch(() => null);
  const open = unsandboxed({ reason: "measuring the cost of a gate", by: "bench" });
  const { bare, unwalled, walled } = await inTurns(rounds, {
    bare: bareSpawn,
    unwalled: () => trueGate(open, folder, join(folder, "logs")),
    walled: () => (sandbox === null ? bareSpawn() : trueGate(sandbox, folder, join(folder, "logs"))),
  });
  await rm(folder, { recursive: true, force: true });
  return [
    overheadRow("gate overhead over a bare spawn, no sandbox", bare, unwalled, 5),
    sandbox === null ? notMeasured(SANDBOXED, "no sandbox here", 20) : overheadRow(SANDBOXED, bare, walled, 20),
  ];
}

/** A gate whose one step is `true`. */
export function trueGate(sandbox: Sandbox, worktree: string, logFolder: string): Promise<GateResult> {
  return runGate({
    config: CONFIG,
    profile: "default",
    mode: "full",
    worktree,
    policy: { defaultStepTimeoutSeconds: 60, envAllowlist: [], transientErrorCodes: [], transientMaxRetries: 0 },
    sandbox,
    hostEnv: {},
    logFolder,
    redact: REDACTOR,
    clock: systemClock,
  });
}
