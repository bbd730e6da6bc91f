import { randomBytes } from "node:crypto";
import { lstat, mkdtemp, readlink, realpath, rm, symlink, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { limitedCommand } from "./arguments.ts";
import { missingCommand } from "./command.ts";
import { DEFAULT_LIMITS, type ProcessOutcome, type Sandbox, type SandboxOverride, type SandboxRequest } from "./contract.ts";
import { findOnPath, hardOpenFiles } from "./host.ts";
import { launch } from "./launch.ts";
import { kindAt, resolveWithoutLinks } from "./paths.ts";
import { neverStarted, planRequest } from "./request.ts";
import { supervise } from "./supervise.ts";
import { TAG_VARIABLE, taggedTree } from "./tagged-tree.ts";

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * No walls: the command sees the host's files and network. It still gets a clear environment, its own process group and
 * limits, and everything it started is ended with it. Only for a run whose record names who allowed this, and why.
 */
export function unsandboxed(override: SandboxOverride): Sandbox {
  if (override.reason.trim() === "" || override.by.trim() === "") {
    throw new SlipwayError("sandbox_unavailable", "Running without a sandbox needs a reason and the name of who allows it.", {
      suggested_next_actions: ["Give both; they are recorded with the run."],
    });
  }
  return { kind: "none", override, run };
}

async function run(request: SandboxRequest): Promise<ProcessOutcome> {
  const plan = await planRequest(request, { ...DEFAULT_LIMITS, ...request.limits });
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const [index, { from, to }] of (request.shared ?? []).entries()) {
      await linkShared(plan.worktree, from, to, `shared[${index}]`, undo);
    }
    const home = plan.env.HOME ?? (await temporaryHome(undo));
    const path = [dirname(process.execPath), plan.env.PATH ?? SYSTEM_PATH].join(delimiter);
    const missing = missingCommand(plan.command[0] ?? "", { cwd: plan.cwd, path, visible: null });
    if (missing !== null) return neverStarted(missing);

    const tag = randomBytes(12).toString("hex");
    const [file = "", ...args] = limitedCommand(plan.command, plan.limits, {
      prlimit: findOnPath("prlimit", SYSTEM_PATH),
      maxOpenFiles: hardOpenFiles(),
      limitsTasks: false,
    });
    const launched = await launch(file, args, {
      cwd: plan.cwd,
      env: { ...plan.env, PATH: path, HOME: home, [TAG_VARIABLE]: tag },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if ("error" in launched) return neverStarted(launched.error);
    return await supervise(launched.child, taggedTree(launched.pid, tag), { ...request, worktree: plan.worktree }, plan.limits);
  } finally {
    for (const step of undo.toReversed()) await step();
  }
}

/** A link stands in for the mount: here the shared folder can be written. */
async function linkShared(worktree: string, from: string, to: string, field: string, undo: (() => Promise<void>)[]): Promise<void> {
  const target = await realpath(from).catch((cause: unknown) => {
    throw new SlipwayError("input_path_not_found", `${field}.from "${from}" does not exist.`, { field: `${field}.from` }, { cause });
  });
  const path = await resolveWithoutLinks(worktree, to, `${field}.to`);
  const kind = await kindAt(path);
  const leftOver = kind === "link" && (await readlink(path)) === target;
  if (kind !== "missing" && !leftOver) return;
  if (!leftOver) await symlink(target, path);
  undo.push(async () => {
    if ((await lstat(path).catch(() => null))?.isSymbolicLink() === true) await unlink(path);
  });
}

async function temporaryHome(undo: (() => Promise<void>)[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "slipway-home-"));
  undo.push(() => rm(home, { recursive: true, force: true }));
  return home;
}
