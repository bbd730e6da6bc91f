import { closeSync, readlinkSync } from "node:fs";
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
import { openFiles } from "./files.ts";
import { launch, signalProcess } from "./launch.ts";
import { prepareMountPoints } from "./mount-points.ts";
import { YoungerProcesses, descendants, isSameProcess, readProcess, type ProcessEntry } from "./process-table.ts";
import { neverStarted, planRequest } from "./request.ts";
import { BubblewrapStatus, setupFailure } from "./status.ts";
import { supervise, type ProcessTree } from "./supervise.ts";

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
  const missing = missingCommand(plan.command[0] ?? "", { cwd: plan.cwd, path: PATH, visible: visibleRoots(plan, host) });
  if (missing !== null) return neverStarted(missing);

  const command = limitedCommand(plan.command, plan.limits, host);
  const files = openFiles(sandboxFiles(plan, host));
  const launched = await launch(host.bwrap, ["--args", String(ARGUMENTS_FD), "--", ...command], {
    // Process 1 inside is bubblewrap itself, and its environment can be read there: it gets none.
    env: {},
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", ...files],
  }).finally(() => files.forEach((file) => closeSync(file)));
  if ("error" in launched) return neverStarted({ ...launched.error, message: `bubblewrap did not start: ${launched.error.message}` });
  const { child, pid } = launched;
  // Through a pipe, so that the values of variables are not in the process list of the host.
  feed(child.stdio[ARGUMENTS_FD], bubblewrapArguments(plan, host).join("\0") + "\0");

  const status = new BubblewrapStatus(child);
  const ended = await supervise(child, namespaceTree(pid, status), { ...request, worktree: plan.worktree }, plan.limits);
  const stopped = ended.timedOut || ended.aborted || ended.limit !== null;
  if (stopped || status.commandEnded) return ended;
  return { ...neverStarted(setupFailure(status.complaint)), durationMs: ended.durationMs };
}

/** Killing process 1 of a PID namespace makes the kernel kill all the others, before its death can be seen. */
function namespaceTree(monitor: number, status: BubblewrapStatus): ProcessTree {
  let first: ProcessEntry | null = null;
  let younger: YoungerProcesses | null = null;
  const init = () => (first ??= findInit(monitor, status));
  const members = () => {
    const root = init();
    if (root === null) return [];
    younger ??= new YoungerProcesses(root.pid);
    return descendants(younger.list(), (entry) => entry.pid === root.pid && entry.start === root.start).filter(
      ({ pid }) => pid !== root.pid,
    );
  };
  const kill = () => {
    const root = init();
    if (root !== null && isSameProcess(root)) signalProcess(root.pid, "SIGKILL");
    signalProcess(monitor, "SIGKILL");
  };
  return {
    members,
    kill,
    terminate: () => members().forEach(({ pid }) => signalProcess(pid, "SIGTERM")),
    gone: () => {
      const root = init();
      return status.ended && (root === null || !isSameProcess(root));
    },
    settled: status.closed,
  };
}

/** By parent while the monitor lives, by namespace afterwards: the number alone may belong to somebody else by then. */
function findInit(monitor: number, { childPid, pidNamespace }: BubblewrapStatus): ProcessEntry | null {
  if (childPid === null) return null;
  const entry = readProcess(childPid);
  if (entry === null || entry.dead) return null;
  return entry.parent === monitor || namespaceOf(childPid) === `pid:[${pidNamespace}]` ? entry : null;
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
  }
}

function feed(stream: unknown, text: string): void {
  const writable = stream as Writable;
  // bubblewrap may end before it has read everything; its status says why.
  writable.on("error", () => undefined);
  writable.end(text);
}
