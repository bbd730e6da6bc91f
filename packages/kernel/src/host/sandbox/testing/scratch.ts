import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProcessOutcome, Sandbox, SandboxRequest } from "../contract.ts";

/** A folder that is removed at the end of the test. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ran extends ProcessOutcome {
  readonly stdout: string;
  readonly stderr: string;
}

export async function runShell(sandbox: Sandbox, worktree: string, script: string, more: Partial<SandboxRequest> = {}): Promise<Ran> {
  return runCommand(sandbox, worktree, ["sh", "-c", script], more);
}

export async function runNode(sandbox: Sandbox, worktree: string, script: string, more: Partial<SandboxRequest> = {}): Promise<Ran> {
  return runCommand(sandbox, worktree, ["node", "-e", script], more);
}

export async function runCommand(
  sandbox: Sandbox,
  worktree: string,
  command: readonly string[],
  more: Partial<SandboxRequest> = {},
): Promise<Ran> {
  const output = { stdout: "", stderr: "" };
  const outcome = await sandbox.run({
    worktree,
    command,
    timeoutMs: 50_000,
    killGraceMs: 300,
    onOutput: (stream, chunk) => (output[stream] += Buffer.from(chunk).toString("utf8")),
    ...more,
  });
  return { ...outcome, ...output };
}

/**
 * Whether tests with a real sandbox can run here; warns if not. Asks the machine and not our own probe:
 * a sandbox that does not isolate must fail tests, not skip them.
 */
export function sandboxWorksHere(): boolean {
  const { status, stderr, error } = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"], {
    encoding: "utf8",
  });
  if (status === 0) return true;
  console.warn(`Tests with a real sandbox are skipped: ${error?.message ?? stderr}`);
  return false;
}

/** The processes of the machine that have this word among their arguments; a dead one has no arguments. */
export function hostProcessesNamed(mark: string): string[] {
  return hostCommandLines().filter((line) => line.includes(mark));
}

/** The arguments of all processes of the machine. */
export function hostCommandLines(): string[] {
  if (!existsSync("/proc/self")) return execFileSync("ps", ["-Ao", "args="], { encoding: "utf8" }).split("\n");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1");
      } catch {
        return "";
      }
    });
}
