import { once } from "node:events";
import { createInterface } from "node:readline";
import { SlipwayError } from "@slipway/durable/errors";
import type { Git } from "./runner.ts";

export interface RefUpdate {
  readonly ref: string;
  readonly to: string;
  /** What it must be now; null: it must not exist. */
  readonly from: string | null;
}

/**
 * Locks the refs and checks their old values, does `work`, then moves them all. If `work` throws, or this process dies, none
 * moves: git sees its input end and gives the locks back. Resolves to false, without doing the work, when a ref has another value.
 */
export async function withPreparedRefs(
  git: Git,
  updates: readonly RefUpdate[],
  reason: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const child = git.start(["update-ref", "-m", reason, "--stdin"]);
  const ended = once(child, "close");
  // Observed here so that an early end is never an unhandled rejection; it is awaited below.
  ended.catch(() => undefined);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const answers = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const say = (lines: readonly string[]) => child.stdin?.write(`${lines.join("\n")}\n`);
  const heard = async (wanted: string) => (await answers.next()).value === wanted;

  say(["start", ...updates.map(({ ref, to, from }) => `update ${ref} ${to} ${from ?? "0".repeat(to.length)}`), "prepare"]);
  try {
    if (!(await heard("start: ok")) || !(await heard("prepare: ok"))) {
      await ended;
      if (/is at [0-9a-f]+ but expected|reference already exists|unable to resolve reference/.test(stderr)) return false;
      throw refused(stderr);
    }
    await work();
    say(["commit"]);
    if (await heard("commit: ok")) return true;
    await ended;
    throw refused(stderr);
  } finally {
    child.stdin?.end();
    await ended;
  }
}

function refused(stderr: string): SlipwayError {
  return new SlipwayError("git_failed", `git update-ref failed: ${stderr.trim() || "it was killed"}`, {
    command: "update-ref --stdin",
    stderr: stderr.slice(0, 4_096),
  });
}
