import { join } from "node:path";
import {
  ARGUMENTS_FD,
  inheritedLimits,
  initialCommand,
  sandboxDescriptors,
  sandboxEnvironment,
  visibleRoots,
  type SandboxPlan,
} from "./arguments.ts";
import { findCommand } from "./command.ts";
import { DEFAULT_LIMITS, type Limits, type ProcessOutcome, type SandboxRequest } from "./contract.ts";
import { openControlGroup, type ControlGroup } from "./control-group.ts";
import { startChild } from "../launcher/start.ts";
import { emptyFolders } from "./empty-folders.ts";
import { openGateway } from "./gateway.ts";
import type { SandboxHost } from "./host.ts";
import { forwardedCommand, parseHosts, type HostPort } from "./hosts.ts";
import { mountPointsInLayer, openLayer, type Layer } from "./layer.ts";
import { prepareMountPoints, type MountPoints } from "./mount-points.ts";
import { namespaceTree } from "./namespace-tree.ts";
import { neverStarted, planRequest } from "./request.ts";
import { placeOn, preparation, stagedSources, veiledFolders } from "./stage.ts";
import { BubblewrapStatus, setupFailure } from "./status.ts";
import { feedInput } from "./stdin.ts";
import { supervise } from "./supervise.ts";
import { assertShowable, hiddenPlaces, type HiddenPlaces } from "./hidden-places.ts";
import { ownTurn } from "./turns.ts";

export interface SandboxRules {
  readonly limits?: Partial<Limits>;
  /** What no command may see; by default of the environment of this process. */
  readonly hidden?: HiddenPlaces;
}

const veils = emptyFolders("slipway-veil-");

/** Runs one command in its own namespaces. */
export async function runInBubblewrap(
  request: SandboxRequest,
  host: SandboxHost,
  { limits, hidden = hiddenPlaces(process.env) }: SandboxRules,
): Promise<ProcessOutcome> {
  const planned = planRequest(request, { ...DEFAULT_LIMITS, ...limits, ...request.limits });
  assertShowable([...planned.readOnly, ...(request.shared ?? []).map(({ from }) => from)], hidden);
  const hosts = planned.network ? [] : parseHosts(request.hosts ?? []);
  const { layer, mountPoints } = prepareWorktree(planned.worktree, request);
  const gateway = hosts.length === 0 ? null : await openGateway(hosts);
  const group = openControlGroup(host.groupPlaces, planned.limits);
  let veil: string | null = null;
  try {
    const count = request.shared?.length ?? 0;
    const [shared, outputs] = [mountPoints.shared.slice(0, count), mountPoints.shared.slice(count)];
    const places = { ...planned, shared, outputs, layer: layer?.folder ?? null, gateway: gateway?.folder ?? null };
    veil = veiledFolders(places, host).length > 0 ? veils.take() : null;
    const plan = { ...places, git: mountPoints.git, veil };
    const outcome = await runPlan(plan, request, host, hosts, group);
    return gateway === null ? outcome : { ...outcome, traffic: gateway.traffic() };
  } finally {
    if (veil !== null) veils.giveBack(veil);
    await Promise.all([gateway?.close(), group?.close()]);
    mountPoints.release();
    layer?.close();
  }
}

/** Makes mount points below the worktree: in the layer or, for the time of the command, in the worktree. */
function prepareWorktree(worktree: string, request: SandboxRequest): { layer: Layer | null; mountPoints: MountPoints } {
  const paths = [...(request.shared ?? []), ...(request.outputs ?? [])];
  const hidesGit = request.git !== "none";
  if (request.layer === undefined) return { layer: null, mountPoints: prepareMountPoints(worktree, paths, hidesGit) };
  const mountPoints = mountPointsInLayer(worktree, paths, hidesGit);
  return { layer: openLayer(request.layer, worktree), mountPoints };
}

async function runPlan(
  plan: SandboxPlan,
  request: SandboxRequest,
  host: SandboxHost,
  hosts: readonly HostPort[],
  group: ControlGroup | null,
): Promise<ProcessOutcome> {
  const { PATH = "" } = sandboxEnvironment(plan, host);
  const program = findCommand(plan.command, { cwd: plan.cwd, path: PATH, visible: visibleRoots(plan, host), shared: plan.shared });
  if (!("path" in program)) return neverStarted(program);

  const node = join(host.nodeFolder, "node");
  const own = plan.gateway === null ? plan.command : forwardedCommand(hosts, plan.command, node, host.perl);
  const command = initialCommand(own, plan, host);
  // Starting a process blocks the event loop for a few milliseconds.
  await ownTurn();
  const launched = await startChild({
    file: placeOn(stagedSources(plan, host), plan.worktree)(host.bwrap),
    args: ["--args", String(ARGUMENTS_FD), "--", ...command],
    // Empty, because the command can read the environment of bubblewrap if that is process 1 inside.
    env: {},
    cwd: "/",
    limits: inheritedLimits(plan.limits, host),
    bound: true,
    ...(plan.home === null ? {} : { temporary: plan.home }),
    prepare: preparation(plan, host, group?.joins ?? []),
    stdio: [request.input === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe", ...sandboxDescriptors(plan, host)],
  });
  if ("error" in launched)
    return neverStarted({ ...launched.error, code: "SANDBOX_SETUP", message: `bubblewrap did not start: ${launched.error.message}` });
  const { child, pid } = launched;
  feedInput(child, request.input);

  const status = new BubblewrapStatus(child);
  const tree = { ...namespaceTree(pid, status), exceeded: () => group?.exceeded() ?? null };
  const ended = await supervise(child, tree, { ...request, worktree: plan.worktree }, plan.limits);
  const stopped = ended.timedOut || ended.aborted || ended.limit !== null;
  if (stopped || status.commandEnded) return { ...ended, program };
  return { ...neverStarted(setupFailure(status.complaint)), durationMs: ended.durationMs };
}
