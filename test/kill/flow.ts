import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSpecs } from "@slipway/kernel/change/plan/specs/read";
import { HOURS } from "@slipway/protocols/factory/demo/files";
import { SHOP } from "@slipway/protocols/features/demo/files";
import { makeRepository } from "slipway/demo/scratch";
import { bundle } from "./bundle.ts";
import { demoOf } from "./demo-of.ts";
import { quietIo, type Orders } from "./orders.ts";

export interface Flow {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly specs: readonly string[];
  readonly protocol?: string;
  /** The second request of the protocol's demo. */
  readonly second?: boolean;
  readonly log: string;
  readonly deaths: string;
  /** The program that drives it. */
  readonly program: string;
  /** The user's uncommitted files when the run began. */
  readonly before: UserState;
}

export interface UserState {
  readonly head: string;
  readonly status: string;
  readonly files: Readonly<Record<string, string>>;
}

const bundled = new Map<string, Promise<string>>();

/** Once per process. */
export function programFor(name: string): Promise<string> {
  const found = bundled.get(name) ?? bundle(join(import.meta.dirname, "..", "dist", "kill", `${name}.js`));
  bundled.set(name, found);
  return found;
}

/** A demo repository whose user has uncommitted, staged and untracked work, on the base branch or on another one. */
export async function prepare(branch: "main" | "mine", features: "one" | "all" = "one"): Promise<Flow> {
  const { io, begin } = place();
  const folder = await makeRepository(io, "repository", SHOP);
  const specs = await findSpecs(folder, "specs");
  return begin(folder, branch, features === "one" ? specs.slice(0, 1) : specs, await programFor("child"));
}

/** The same with the page of the factory's demo. */
export async function prepareFactory(branch: "main" | "mine"): Promise<Flow> {
  const { io, begin } = place();
  return begin(await makeRepository(io, "repository", HOURS), branch, [], await programFor("factory-child"));
}

/** The same with the demo of a protocol that takes a request or an interview. */
export async function prepareRequest(protocol: "criticality" | "forge" | "crew", branch: "main" | "mine", second = false): Promise<Flow> {
  const { io, begin } = place();
  const { files } = await demoOf(protocol);
  const flow = begin(await makeRepository(io, "repository", files), branch, [], await programFor("request-child"));
  // Its own, to see what is left there.
  const TMPDIR = join(flow.env["HOME"] ?? "", "tmp");
  mkdirSync(TMPDIR);
  return { ...flow, protocol, second, env: { ...flow.env, TMPDIR } };
}

function place() {
  const home = mkdtempSync(join(tmpdir(), "slipway-kill-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
    NODE_COMPILE_CACHE: join(tmpdir(), "slipway-kill-cache"),
  };
  function begin(folder: string, branch: "main" | "mine", specs: readonly string[], program: string): Flow {
    if (branch === "mine") git(folder, ["switch", "--quiet", "--create", "mine"]);
    writeFileSync(join(folder, "README.md"), "# Corner shop\n\nMy own words, not committed.\n");
    writeFileSync(join(folder, "notes.txt"), "untracked\n");
    writeFileSync(join(folder, "staged.txt"), "staged\n");
    git(folder, ["add", "staged.txt"]);
    mkdirSync(join(home, "logs"));
    const [log, deaths] = [join(home, "logs", "log"), join(home, "logs", "deaths")];
    return { folder, env, specs, log, deaths, program, before: userState(folder) };
  }
  return { io: quietIo(home, env), begin };
}

export function userState(folder: string): UserState {
  const names = ["README.md", "notes.txt", "staged.txt"];
  return {
    head: git(folder, ["symbolic-ref", "HEAD"]),
    status: git(folder, ["status", "--porcelain", "--untracked-files=all"]),
    files: Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")])),
  };
}

export function git(folder: string, args: readonly string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" });
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ChildOptions {
  readonly atPoints: boolean;
  /** Only at about this share of the points, always the same ones. */
  readonly share?: number;
  readonly focus?: Orders["focus"];
  readonly dieAfterMs?: number;
}

/** One process of the flow. `dieAfterMs` kills it, and its children, from outside. */
export function spawnChild(flow: Flow, options: ChildOptions): Promise<Ended> {
  const { folder, env, specs, protocol, second, log, deaths, program } = flow;
  const orders: Orders = {
    folder,
    env,
    specs,
    log,
    deaths: options.atPoints ? deaths : null,
    share: options.share ?? 1,
    ...(protocol === undefined ? {} : { protocol }),
    ...(second === undefined ? {} : { second }),
    ...(options.focus === undefined ? {} : { focus: options.focus }),
  };
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const timer = options.dieAfterMs === undefined ? undefined : setTimeout(() => killGroup(child.pid), options.dieAfterMs);
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

/** Kills the whole process group: git dies at any point, as in a power cut. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}

interface Sweep {
  readonly limit?: number;
  readonly focus?: Orders["focus"];
  /** Checked after each death, and at the end. */
  readonly eachTime?: () => void;
}

/** Dies once at every point of the flow, each time in a new process, until one reaches the end. */
export async function dieEverywhere(
  flow: Flow,
  share = 1,
  { limit = 1000, focus, eachTime = () => undefined }: Sweep = {},
): Promise<{ deaths: number; last: Ended }> {
  for (let deaths = 0; deaths < limit; deaths++) {
    const last = await spawnChild(flow, { atPoints: true, share, ...(focus === undefined ? {} : { focus }) });
    eachTime();
    if (last.signal !== "SIGKILL") return { deaths, last };
  }
  throw new Error(`the flow did not end within ${limit} processes`);
}

/** Dies at moments that `random` chooses, inside git or elsewhere; later deaths come later, so that it ends. */
export async function dieAtRandom(flow: Flow, random: () => number, kills: number): Promise<{ deaths: number; last: Ended }> {
  let deaths = 0;
  for (let turn = 0; turn < kills; turn++) {
    const last = await spawnChild(flow, { atPoints: false, dieAfterMs: 150 + random() * 900 });
    if (last.signal !== "SIGKILL") return { deaths, last };
    deaths++;
  }
  return { deaths, last: await spawnChild(flow, { atPoints: false }) };
}

export function deathsOf(flow: Flow): string[] {
  return existsSync(flow.deaths) ? readFileSync(flow.deaths, "utf8").trim().split("\n") : [];
}
