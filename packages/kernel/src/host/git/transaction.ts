import { once } from "node:events";
import { createInterface } from "node:readline";
import { SlipwayError } from "../../schema/errors.ts";
import { killGroup } from "./process.ts";
import type { Git } from "./runner.ts";

export interface RefUpdate {
  readonly ref: string;
  readonly to: string;
  /** The expected current value; null if the ref must not exist. */
  readonly from: string | null;
}

const ANSWER_MS = 60_000;

/**
 * Locks the refs and checks their old values, runs `work`, then moves all refs. If `work` throws, or this process dies, none
 * moves: git sees the end of its input and releases the locks. Resolves to false without running `work` if a ref has another value.
 */
export async function withPreparedRefs(
  git: Git,
  updates: readonly RefUpdate[],
  reason: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const child = await git.start(["update-ref", "-m", reason, "--stdin"]);
  const ended = once(child, "close");
  // Awaited below; this only prevents an unhandled rejection.
  ended.catch(() => undefined);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const answers = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const hears = async (wanted: string) => {
    const timer = setTimeout(() => killGroup(child, "SIGKILL"), ANSWER_MS);
    const { value } = await answers.next();
    clearTimeout(timer);
    return value === wanted;
  };
  const finish = async () => {
    child.stdin?.end();
    await ended;
  };

  try {
    child.stdin?.write(["start", ...updates.map(line), "prepare\n"].join("\n"));
    if ((await hears("start: ok")) && (await hears("prepare: ok"))) {
      await work();
      child.stdin?.write("commit\n");
      if (await hears("commit: ok")) return true;
    }
  } finally {
    await finish();
  }
  if (/is at [0-9a-f]+ but expected|reference already exists|unable to resolve reference/.test(stderr)) return false;
  const killed = child.signalCode !== null;
  const details = { command: "update-ref --stdin", stderr: stderr.slice(0, 4_096), killed };
  throw new SlipwayError(
    "git_failed",
    `git update-ref failed: ${stderr.trim() || (killed ? `it was killed by ${child.signalCode}` : "it gave no reason")}`,
    details,
  );
}

function line({ ref, to, from }: RefUpdate): string {
  return `update ${ref} ${to} ${from ?? "0".repeat(to.length)}`;
}
