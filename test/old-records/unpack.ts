import { execFileSync, spawn } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { systemHost, type ProcessIdentity } from "@slipway/durable/host";
import { trustFilesOf } from "@slipway/kernel/config/trust/testing/trust-anything";
import { PROGRAM } from "slipway/testing/program";

/** The folder where the archives were made: their records contain it. */
const PLACE = "/tmp/slipway-old-records";
const OWNER = join(PLACE, "owner");

/** Claims the folder for this process. Returns the reason if another process has it; removes what a killed test left. */
export function takePlace(): string | null {
  try {
    mkdirSync(PLACE, { mode: 0o700 });
  } catch {
    if (!isLeftOver()) return `${PLACE} is in use; remove it if no other test is running`;
    leavePlace();
    mkdirSync(PLACE, { mode: 0o700 });
  }
  const { host, pid, startedAt } = systemHost();
  writeFileSync(OWNER, JSON.stringify({ host, pid, startedAt }));
  return null;
}

function isLeftOver(): boolean {
  try {
    if (!lstatSync(PLACE).isDirectory() || lstatSync(PLACE).uid !== process.getuid?.()) return false;
    return systemHost().isDead(JSON.parse(readFileSync(OWNER, "utf8")) as ProcessIdentity);
  } catch {
    return false;
  }
}

export function leavePlace(): void {
  rmSync(PLACE, { recursive: true, force: true });
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface OldRepository {
  readonly root: string;
  /** The current program, in a separate process. */
  slipway(...argv: readonly string[]): Promise<Ended>;
  git(...args: readonly string[]): string;
}

export function unpack(name: string, place = PLACE): OldRepository {
  const archive = readFileSync(join(import.meta.dirname, `${name}.tar.br`));
  execFileSync("tar", ["x", "--no-same-owner", "-C", place], { input: brotliDecompressSync(archive) });
  const root = join(place, name, "root");
  const home = join(place, name, "home");
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  trustFilesOf(root, env);
  return {
    root,
    git: (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }),
    slipway: (...argv) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [...PROGRAM, ...argv], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
        const said = { stdout: "", stderr: "" };
        for (const stream of ["stdout", "stderr"] as const)
          child[stream].setEncoding("utf8").on("data", (text: string) => (said[stream] += text));
        child.on("error", reject).on("close", (code) => resolve({ code, ...said }));
      }),
  };
}
