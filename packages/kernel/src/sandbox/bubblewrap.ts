import type { Writable } from "node:stream";
import {
  ARGUMENTS_FD,
  bubblewrapArguments,
  limitedCommand,
  sandboxEnvironment,
  sandboxFiles,
  visibleRoots,
  type SandboxPlan,
} from "./arguments.ts";
import { missingCommand } from "./command.ts";
import { DEFAULT_LIMITS, type Limits, type ProcessOutcome, type SandboxRequest } from "./contract.ts";
import type { SandboxHost } from "./host.ts";
import { launch } from "./launch.ts";
import { prepareMountPoints } from "./mount-points.ts";
import { namespaceTree } from "./namespace-tree.ts";
import { neverStarted, planRequest } from "./request.ts";
import { BubblewrapStatus, setupFailure } from "./status.ts";
import { supervise } from "./supervise.ts";

/** Runs one command in its own namespaces. */
export async function runInBubblewrap(request: SandboxRequest, host: SandboxHost, limits: Partial<Limits>): Promise<ProcessOutcome> {
  const planned = planRequest(request, { ...DEFAULT_LIMITS, ...limits, ...request.limits });
  const mountPoints = prepareMountPoints(planned.worktree, request.shared ?? []);
  try {
    return await runPlan({ ...planned, git: mountPoints.git, shared: mountPoints.shared }, request, host);
  } finally {
    mountPoints.release();
  }
}

async function runPlan(plan: SandboxPlan, request: SandboxRequest, host: SandboxHost): Promise<ProcessOutcome> {
  const { PATH = "" } = sandboxEnvironment(plan, host);
  const missing = missingCommand(plan.command, { cwd: plan.cwd, path: PATH, visible: visibleRoots(plan, host) });
  if (missing !== null) return neverStarted(missing);

  const command = limitedCommand(plan.command, plan.limits, host);
  const launched = await launch(host.bwrap, ["--args", String(ARGUMENTS_FD), "--", ...command], {
    // Process 1 inside is bubblewrap itself, and its environment can be read there: it gets none.
    env: {},
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    files: sandboxFiles(plan, host),
  });
  if ("error" in launched)
    return neverStarted({ ...launched.error, code: "SANDBOX_SETUP", message: `bubblewrap did not start: ${launched.error.message}` });
  const { child, pid } = launched;
  // Through a pipe, so that the values of variables are not in the process list of the host.
  feed(child.stdio[ARGUMENTS_FD], bubblewrapArguments(plan, host).join("\0") + "\0");

  const status = new BubblewrapStatus(child);
  const ended = await supervise(child, namespaceTree(pid, status), { ...request, worktree: plan.worktree }, plan.limits);
  const stopped = ended.timedOut || ended.aborted || ended.limit !== null;
  if (stopped || status.commandEnded) return ended;
  return { ...neverStarted(setupFailure(status.complaint)), durationMs: ended.durationMs };
}

function feed(stream: unknown, text: string): void {
  const writable = stream as Writable;
  // bubblewrap may end before it has read everything; its status says why.
  writable.on("error", () => undefined);
  writable.end(text);
}
