import { statSync } from "node:fs";
import { basename } from "node:path";
import type { ProcessOutcome, Sandbox } from "../sandbox/contract.ts";
import { realPathOrNull } from "../sandbox/paths.ts";

/** What a step was started with: where it was found, and its version where it is a program that tells it at once. */
export interface SeenProgram {
  readonly path: string;
  readonly version: string | null;
  /** What runs it, where it is a script. */
  readonly interpreter: { readonly path: string; readonly version: string | null } | null;
}

/** Only of these it is known that the question does nothing else. */
const ASKS: readonly (readonly [name: RegExp, argument: string])[] = [
  [/^node$/, "--version"],
  [/^(?:python|pypy)[\d.]*$/, "--version"],
  [/^go$/, "version"],
  [/^(?:cargo|rustc|ruby|php|deno|bun|java|perl)$/, "--version"],
];
const SECONDS = 10;

export interface Asking {
  readonly sandbox: Sandbox;
  /** Where the question is asked: the folder the step works in. */
  readonly worktree: string;
  readonly readOnly: readonly string[];
}

/** By real path, time and size: a gate that runs again starts no process for it. */
const known = new Map<string, Promise<string | null>>();

/** Asked inside the sandbox: what lies at the path may have been written by anybody. */
export async function versionOf(path: string, asking: Asking): Promise<string | null> {
  const real = realPathOrNull(path);
  const argument = ASKS.find(([name]) => real !== null && (name.test(basename(path)) || name.test(basename(real))))?.[1];
  const found = real === null ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === null || argument === undefined || found === undefined) return null;
  const key = `${path}\0${real}\0${found.mtimeMs}\0${found.size}\0${asking.sandbox.kind}`;
  const asked = known.get(key) ?? ask(path, argument, asking);
  known.set(key, asked);
  const version = await asked;
  // It may have been the machine's fault.
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
