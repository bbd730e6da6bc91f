import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { planPack } from "@slipway/agents/packs/plan";
import { givenFiles } from "@slipway/agents/packs/source";
import { packStore, type OpenPack } from "@slipway/agents/packs/store";
import { workplaceIn } from "@slipway/agents/packs/workplace";
import type { Workplace } from "@slipway/agents/provider";
import { openRepository } from "@slipway/kernel/host/git/repository";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";

let sandbox: Promise<Sandbox> | null = null;

/** A context pack with these files, all of them writable, and the real sandbox around it. */
export async function openPlace(files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-clients-")));
  const home = join(root, "user");
  mkdirSync(home);
  const repository = join(root, "repository");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], { cwd: repository });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  const repo = await openRepository(repository);
  const plan = planPack({
    tree: null,
    rules: [{ path: ".", level: "FULL", permission: "write", reason: "everything is to be seen and changed" }],
    files: givenFiles(files, "sha1"),
    others: [],
    objectFormat: "sha1",
  });
  const pack: OpenPack = await packStore(repo, join(root, "packs"), { now: Date.now }).open(plan, { id: "pack", links: true });
  const workplace: Workplace = workplaceIn(pack, () => (sandbox ??= openSandbox()));
  return {
    home,
    pack,
    workplace,
    survivors: () => livingIn(pack.folder),
    processes: () => processesIn(pack.folder),
    close: async () => {
      await pack.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A killed process may take a moment to end. */
async function livingIn(folder: string): Promise<number[]> {
  for (let tries = 0; tries < 40 && processesIn(folder).length > 0; tries++) await sleep(25);
  return processesIn(folder);
}

/** Processes that work in the folder, anywhere in the process tree. */
function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => linkOf(`/proc/${pid}/cwd`).startsWith(folder) && stateOf(pid) !== "Z");
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function stateOf(pid: number): string | undefined {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) ? readFileSync(stat, "utf8").split(") ")[1]?.[0] : undefined;
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
