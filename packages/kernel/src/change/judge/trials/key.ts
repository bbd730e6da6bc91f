import { statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { digestOf } from "@slipway/durable/canonical";
import { stepEnvironment } from "../gates/environment.ts";
import type { PlannedGate, PlannedStep } from "../gates/precedence.ts";
import type { GateRequest } from "../gates/run.ts";
import { findOnPath } from "../../../host/sandbox/host.ts";
import { realPathOrNull } from "../../../host/sandbox/paths.ts";

/** Written by package managers whenever they change the installed packages. */
const STAMPS = [".", ".package-lock.json", ".modules.yaml", ".yarn-state.yml", "pyvenv.cfg", "lib"];

/**
 * Trials with the same key have the same result, as far as that can be known without running them. The mode is not part of it: if `fast`
 * and `full` have the same steps, one trial counts for both.
 */
export function trialKey(tree: string, gate: PlannedGate, request: GateRequest): string {
  const { profile: _profile, mode: _mode, ...steps } = gate;
  const { policy, sandbox, readOnly, shared } = request;
  return digestOf({
    tree,
    gate: steps,
    policy: { env: policy.envAllowlist, unsupported: policy.allowUnsupportedParser ?? false },
    sight: { sandbox: sandbox.kind, readOnly, shared: (shared ?? []).map(({ from, to }) => ({ to, stamps: stampsOf(from) })) },
    started: gate.steps.map((step) => startedBy(step, request)),
  });
}

/** The variables a step gets, and the program it starts. Only the digest contains the values of variables. */
function startedBy(step: PlannedStep, { hostEnv, policy, toolchain }: GateRequest) {
  const env = stepEnvironment(hostEnv, policy.envAllowlist, step.env, toolchain);
  const path = env["PATH"] ?? "";
  const named = [step.command[0] ?? "", "node", "python3"].map((program) => findOnPath(program, path));
  return { env, folders: path.split(delimiter), programs: named.map((program) => (program === null ? null : stampOf(program))) };
}

function stampsOf(folder: string) {
  return STAMPS.map((name) => stampOf(join(folder, name)));
}

function stampOf(path: string) {
  const real = realPathOrNull(path);
  const stats = real === null ? undefined : statSync(real, { throwIfNoEntry: false });
  return stats === undefined ? null : { real, mtime: Math.floor(stats.mtimeMs), size: stats.isFile() ? stats.size : null };
}
