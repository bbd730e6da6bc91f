import { randomBytes } from "node:crypto";
import { readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { inheritedLimits, limitedCommand, type LimitingHost } from "./arguments.ts";
import { findCommand } from "./command.ts";
import {
  DEFAULT_LIMITS,
  type ProcessOutcome,
  type Sandbox,
  type SandboxOverride,
  type SandboxRequest,
  type SharedPath,
} from "./contract.ts";
import { startChild } from "../launcher/start.ts";
import { findOnPath, hardOpenFiles } from "./host.ts";
import { sharedSource } from "./mount-points.ts";
import { holdPlaceholder } from "./placeholders.ts";
import { emptyFolders } from "./empty-folders.ts";
import { kindAt, resolveWithoutLinks } from "./paths.ts";
import { neverStarted, planRequest } from "./request.ts";
import { feedInput } from "./stdin.ts";
import { supervise } from "./supervise.ts";
import { TAG_VARIABLE, taggedTree } from "./tagged-tree.ts";

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * No isolation: the command sees the host's files and network. It still gets a clean environment, its own process group and
 * limits, and all its processes end with it. Only for a run that records who allowed this, and why.
 */
export function unsandboxed(override: SandboxOverride): Sandbox {
  if (override.reason.trim() === "" || override.by.trim() === "") {
    throw new SlipwayError("sandbox_unavailable", "Running without a sandbox needs a reason and the name of who allows it.", {
      suggested_next_actions: ["Give both; they are recorded with the run."],
    });
  }
  return { kind: "none", override, run };
}

const homes = emptyFolders("slipway-home-");
let knownHost: LimitingHost | null = null;

/** Cached, because it does not change while this process runs. */
function limitingHost(): LimitingHost {
  knownHost ??= { prlimit: findOnPath("prlimit", SYSTEM_PATH), maxOpenFiles: hardOpenFiles(), limitsTasks: false };
  return knownHost;
}

async function run(request: SandboxRequest): Promise<ProcessOutcome> {
  if (request.layer !== undefined || (request.outputs ?? []).length > 0)
    throw new SlipwayError("sandbox_unavailable", "Without a sandbox a command has neither a layer over its worktree nor outputs.", {
      field: request.layer === undefined ? "outputs" : "layer",
    });
  const plan = planRequest(request, { ...DEFAULT_LIMITS, ...request.limits });
  const undo: (() => void)[] = [];
  try {
    for (const [index, path] of (request.shared ?? []).entries()) {
      const unlink = linkShared(plan.worktree, path, `shared[${index}]`);
      if (unlink !== null) undo.push(unlink);
    }
    const home = plan.env.HOME ?? plan.home ?? temporaryHome(undo);
    const ownNode = dirname(process.execPath);
    const path = [plan.env.PATH ?? ownNode, SYSTEM_PATH, ownNode].join(delimiter);
    const program = findCommand(plan.command, { cwd: plan.cwd, path, visible: null });
    if (!("path" in program)) return neverStarted(program);

    const tag = randomBytes(12).toString("hex");
    const [file = "", ...args] = limitedCommand(plan.command, plan.limits, limitingHost());
    const launched = await startChild({
      file,
      args,
      limits: inheritedLimits(plan.limits, limitingHost()),
      bound: true,
      cwd: plan.cwd,
      env: { ...plan.env, PATH: path, HOME: home, [TAG_VARIABLE]: tag },
      stdio: [request.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    if ("error" in launched) return neverStarted(launched.error);
    feedInput(launched.child, request.input);
    const ended = await supervise(launched.child, taggedTree(launched.pid, tag), { ...request, worktree: plan.worktree }, plan.limits);
    return { ...ended, program };
  } finally {
    for (const step of undo.toReversed()) step();
  }
}

/** A link replaces the mount, so the shared folder is writable here. */
function linkShared(worktree: string, { from, to }: SharedPath, field: string): (() => void) | null {
  const target = sharedSource(from, field);
  const path = resolveWithoutLinks(worktree, to, `${field}.to`);
  const kind = kindAt(path);
  const ours = kind === "link" && readlinkSync(path) === target;
  if (kind !== "missing" && !ours) return null;
  if (!ours) symlinkSync(target, path);
  return holdPlaceholder(path, () => {
    if (kindAt(path) === "link") unlinkSync(path);
  });
}

function temporaryHome(undo: (() => void)[]): string {
  const home = homes.take();
  undo.push(() => homes.giveBack(home));
  return home;
}
