import { statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { digestOf } from "@slipway/durable/canonical";
import { stepEnvironment } from "../gates/environment.ts";
import type { PlannedGate, PlannedStep } from "../gates/precedence.ts";
import type { GateRequest } from "../gates/run.ts";
import { findOnPath } from "../../../host/sandbox/host.ts";
import { realPathOrNull } from "../../../host/sandbox/paths.ts";

/** Written by package managers whenever they have changed what they installed. */
const STAMPS = [".", ".package-lock.json", ".modules.yaml", ".yarn-state.yml", "pyvenv.cfg", "lib"];

/**
 * Two trials with the same key have the same result, as far as that can be told without running them. The mode is no part of it: where
 * `fast` and `full` are the same steps, one trial speaks for both.
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

/** The variables a step gets, and the program it starts; values of variables only go into the digest. */
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
  const found = real === null ? undefined : statSync(real, { throwIfNoEntry: false });
  return found === undefined ? null : { real, mtime: Math.floor(found.mtimeMs), size: found.isFile() ? found.size : null };
}
