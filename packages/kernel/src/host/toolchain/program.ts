import { statSync } from "node:fs";
import { basename } from "node:path";
import type { ProcessOutcome, Sandbox } from "../sandbox/contract.ts";
import { realPathOrNull } from "../sandbox/paths.ts";

/** The program of a step: its path, and its version if it is a known program. */
export interface SeenProgram {
  readonly path: string;
  readonly version: string | null;
  /** The interpreter, for a script. */
  readonly interpreter: { readonly path: string; readonly version: string | null } | null;
}

/** Programs for which asking for the version has no side effect. */
const ASKS: readonly (readonly [name: RegExp, argument: string])[] = [
  [/^node$/, "--version"],
  [/^(?:python|pypy)[\d.]*$/, "--version"],
  [/^go$/, "version"],
  [/^(?:cargo|rustc|ruby|php|deno|bun|java|perl)$/, "--version"],
];
const SECONDS = 10;

export interface Asking {
  readonly sandbox: Sandbox;
  /** The working folder of the step. */
  readonly worktree: string;
  readonly readOnly: readonly string[];
}

/** Cache by real path, time and size, so that another gate starts no process for it. */
const known = new Map<string, Promise<string | null>>();

/** Runs inside the sandbox, because the program is untrusted. */
export async function versionOf(path: string, asking: Asking): Promise<string | null> {
  const real = realPathOrNull(path);
  const argument = ASKS.find(([name]) => real !== null && (name.test(basename(path)) || name.test(basename(real))))?.[1];
  const found = real === null ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === null || argument === undefined || found === undefined) return null;
  const key = `${path}\0${real}\0${found.mtimeMs}\0${found.size}\0${asking.sandbox.kind}`;
  const asked = known.get(key) ?? ask(path, argument, asking);
  known.set(key, asked);
  const version = await asked;
  // Do not cache a failure, which may be transient.
  if (version === null) known.delete(key);
  return version;
}

async function ask(path: string, argument: string, { sandbox, worktree, readOnly }: Asking): Promise<string | null> {
  let said = "";
  const onOutput = (_stream: unknown, chunk: Uint8Array) => {
    said += Buffer.from(chunk).toString("utf8");
  };
  const request = { worktree, command: [path, argument], env: {}, readOnly, limits: { outputBytes: 16 * 1024 }, timeoutMs: SECONDS * 1000 };
  const outcome = await sandbox.run({ ...request, onOutput }).catch(() => null);
  return outcome?.exitCode === 0 ? (/\d+(?:\.\d+)+/.exec(said)?.[0] ?? null) : null;
}

export async function seenProgram({ program }: ProcessOutcome, asking: Asking): Promise<SeenProgram | null> {
  if (program === undefined) return null;
  const { path, interpreter } = program;
  const by = interpreter === null ? null : { path: interpreter, version: await versionOf(interpreter, asking) };
  return { path, version: await versionOf(path, asking), interpreter: by };
}
