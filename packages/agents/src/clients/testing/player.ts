import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The player's behaviour with the recorded stream. */
export interface Order {
  /** The fixtures of one client. */
  readonly fixtures: string;
  readonly slug: string;
  /** The folder for its notes. */
  readonly marks: string;
  readonly how: "as recorded" | "hang" | "hang with a child" | "crash" | "break off" | "be killed" | "silent" | "flood" | "linger";
  /** The change of the recorded agent in the pack; null for none. */
  readonly write: { readonly path: string; readonly content: string } | null;
}

/** Replays the recorded output of a real client: same bytes, same end. */
const order = JSON.parse(process.argv[2] ?? "") as Order;
const take = note("takes", "x");
const file = join(order.fixtures, `${order.slug}${take === 1 ? "" : `.${take}`}`);
const stdout = readFileSync(`${file}.jsonl`);
const end = JSON.parse(readFileSync(`${file}.end.json`, "utf8")) as { exitCode?: number; stderr: string };

await new Response(process.stdin as never).text();
note("pids", String(process.pid));
if (order.write !== null) writeFileSync(order.write.path, order.write.content);

switch (order.how) {
  case "as recorded":
    process.stderr.write(end.stderr);
    await say(stdout);
    process.exitCode = end.exitCode ?? 1;
    break;
  case "hang with a child":
  case "hang":
    if (order.how === "hang with a child") {
      const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "inherit" });
      note("pids", String(child.pid));
    }
    await say(firstLines(1));
    note("reached", "x");
    setTimeout(() => undefined, 60_000);
    break;
  case "linger":
    await say(stdout);
    note("reached", "x");
    setTimeout(() => undefined, 60_000);
    break;
  case "crash":
    await say(firstLines(1));
    process.kill(process.pid, "SIGSEGV");
    break;
  case "break off":
    await say(stdout.subarray(0, stdout.length / 2));
    break;
  case "be killed":
    await say(stdout);
    process.kill(process.pid, "SIGKILL");
    break;
  case "silent":
    break;
  case "flood":
    await say(firstLines(1));
    for (;;) await say(Buffer.from(`${JSON.stringify({ type: "noise", text: "x".repeat(65_536) })}\n`));
}

function firstLines(count: number): Buffer {
  return Buffer.from(
    stdout
      .toString("utf8")
      .split("\n")
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

function say(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(bytes, () => resolve()));
}

/** Returns the number of such notes so far. */
function note(name: string, line: string): number {
  const path = join(order.marks, name);
  appendFileSync(path, `${line}\n`);
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").length : 0;
}
