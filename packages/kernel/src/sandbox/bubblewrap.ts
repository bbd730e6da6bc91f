import { join } from "node:path";
import {
  ARGUMENTS_FD,
  bubblewrapArguments,
  inheritedLimits,
  limitedCommand,
  sandboxEnvironment,
  sandboxFiles,
  visibleRoots,
  type SandboxPlan,
} from "./arguments.ts";
import { missingCommand } from "./command.ts";
import { DEFAULT_LIMITS, type Limits, type ProcessOutcome, type SandboxRequest } from "./contract.ts";
import { startChild } from "../launcher/start.ts";
import { openGateway } from "./gateway.ts";
import type { SandboxHost } from "./host.ts";
import { forwardedCommand, parseHosts, type HostPort } from "./hosts.ts";
import { prepareMountPoints } from "./mount-points.ts";
import { namespaceTree } from "./namespace-tree.ts";
import { neverStarted, planRequest } from "./request.ts";
import { BubblewrapStatus, setupFailure } from "./status.ts";
import { feedInput } from "./stdin.ts";
import { supervise } from "./supervise.ts";
import { ownTurn } from "./turns.ts";

/** Runs one command in its own namespaces. */
export async function runInBubblewrap(request: SandboxRequest, host: SandboxHost, limits: Partial<Limits>): Promise<ProcessOutcome> {
  const planned = planRequest(request, { ...DEFAULT_LIMITS, ...limits, ...request.limits });
  const hosts = planned.network ? [] : parseHosts(request.hosts ?? []);
  const mountPoints = prepareMountPoints(planned.worktree, request.shared ?? [], request.git !== "none");
  const gateway = hosts.length === 0 ? null : await openGateway(hosts);
  try {
    const { git, shared } = mountPoints;
    return await runPlan({ ...planned, git, shared, gateway: gateway?.folder ?? null }, request, host, hosts);
  } finally {
    await gateway?.close();
    mountPoints.release();
  }
}

async function runPlan(plan: SandboxPlan, request: SandboxRequest, host: SandboxHost, hosts: readonly HostPort[]): Promise<ProcessOutcome> {
  const { PATH = "" } = sandboxEnvironment(plan, host);
  const missing = missingCommand(plan.command, { cwd: plan.cwd, path: PATH, visible: visibleRoots(plan, host) });
  if (missing !== null) return neverStarted(missing);

  const node = join(host.nodeFolder, "node");
  const own = plan.gateway === null ? plan.command : forwardedCommand(hosts, plan.command, node, host.perl);
  const command = limitedCommand(own, plan.limits, host);
  // Starting a process is a few milliseconds in one piece.
  await ownTurn();
  const launched = await startChild({
    file: host.bwrap,
    args: ["--args", String(ARGUMENTS_FD), "--", ...command],
    // Process 1 inside is bubblewrap itself, and its environment can be read there: it gets none.
    env: {},
    cwd: "/",
    limits: inheritedLimits(plan.limits, host),
    bound: true,
    // The arguments through a pipe, so that the values of variables are not in the process list of the host.
    stdio: [
      request.input === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      "pipe",
      { feed: `${bubblewrapArguments(plan, host).join("\0")}\0` },
      ...sandboxFiles(plan, host),
    ],
  });
  if ("error" in launched)
    return neverStarted({ ...launched.error, code: "SANDBOX_SETUP", message: `bubblewrap did not start: ${launched.error.message}` });
  const { child, pid } = launched;
  feedInput(child, request.input);

  const status = new BubblewrapStatus(child);
  const ended = await supervise(child, namespaceTree(pid, status), { ...request, worktree: plan.worktree }, plan.limits);
  const stopped = ended.timedOut || ended.aborted || ended.limit !== null;
  if (stopped || status.commandEnded) return ended;
  return { ...neverStarted(setupFailure(status.complaint)), durationMs: ended.durationMs };
}
