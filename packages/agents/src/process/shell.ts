import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { SlipwayError } from "../errors.ts";
import { withHome } from "./home.ts";
import type { PackView } from "./run.ts";

export interface ShellOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ShellEnd {
  /** Null if the line was stopped. */
  readonly exit_code: number | null;
  /** stdout and stderr as they came, only the end of a long output, and why the line was stopped. */
  readonly output: string;
}

const SHOWN_CHARACTERS = 20_000;
/** A character of UTF-8 has up to four bytes. */
const KEPT_BYTES = 4 * SHOWN_CHARACTERS;
const MAX_OUTPUT_BYTES = 16 * 1024 ** 2;

/** Runs a line that a model wrote. Never without the sandbox: nobody has read it. */
export async function runShell(sandbox: Sandbox, view: PackView, line: string, { timeoutMs, signal }: ShellOptions): Promise<ShellEnd> {
  if (sandbox.kind === "none") {
    throw new SlipwayError("sandbox_unavailable", "Commands of an agent run only in the sandbox, and this machine has none.", {
      suggested_next_actions: ["Work with the other tools."],
    });
  }
  let kept = Buffer.alloc(0);
  let bytes = 0;
  return withHome("shell", async (home) => {
    const outcome = await sandbox.run({
      worktree: view.folder,
      folders: view.access ?? [],
      git: "none",
      command: ["/bin/sh", "-c", line],
      env: { LANG: "C.UTF-8" },
      home,
      network: false,
      limits: { outputBytes: MAX_OUTPUT_BYTES },
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
      onOutput: (_stream, chunk) => {
        bytes += chunk.byteLength;
        kept = Buffer.concat([kept, chunk]).subarray(-KEPT_BYTES);
      },
    });
    if (outcome.aborted) signal?.throwIfAborted();
    const { timedOut, limit, spawnError, exitCode } = outcome;
    const stopped = timedOut
      ? `stopped after ${timeoutMs / 1000} seconds`
      : limit === null
        ? spawnError?.message
        : `stopped at its limit of ${limit}`;
    return { exit_code: stopped === undefined ? exitCode : null, output: shown(kept, bytes, stopped) };
  });
}

function shown(kept: Buffer, bytes: number, stopped: string | undefined): string {
  const text = kept.toString("utf8").toWellFormed();
  const end = text.slice(-SHOWN_CHARACTERS).toWellFormed();
  const cut = bytes > kept.byteLength || end.length < text.length ? "[the beginning is cut off]\n" : "";
  return `${cut}${end}${stopped === undefined ? "" : `\n[${stopped}]`}`;
}
