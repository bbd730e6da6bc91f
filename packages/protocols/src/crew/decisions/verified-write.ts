import { isDeepStrictEqual } from "node:util";
import { BLOCKERS } from "../session/status.ts";

/** Files of a session. `write` replaces the file atomically. */
export interface FilePort {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
}

/** After the first write. */
const REWRITES = 3;

export type WriteResult =
  { readonly ok: true; readonly writes: number } | { readonly ok: false; readonly writes: number; readonly error: string };

/** Writes a value as JSON, reads the file again and compares; writes the same value again where that fails. Nobody is asked anything. */
export function writeVerified(port: FilePort, path: string, value: unknown): Promise<WriteResult> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const expected: unknown = JSON.parse(text);
  return repeatedly(port, path, text, (found) => isDeepStrictEqual(JSON.parse(found), expected));
}

/** The same for a file that is no JSON value. */
export function writeTextVerified(port: FilePort, path: string, text: string): Promise<WriteResult> {
  return repeatedly(port, path, text, (found) => found === text);
}

async function repeatedly(port: FilePort, path: string, text: string, isRight: (found: string) => boolean): Promise<WriteResult> {
  let error = "";
  for (let writes = 1; writes <= 1 + REWRITES; writes++) {
    try {
      await port.write(path, text);
      if (isRight(await port.read(path))) return { ok: true, writes };
      error = `${path} holds something else than was written`;
    } catch (cause) {
      error = `${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
    }
  }
  return { ok: false, writes: 1 + REWRITES, error };
}

export interface PersistenceFailure {
  readonly blocker: typeof BLOCKERS.persistence;
  readonly detail: string;
  readonly recovery: string;
  /** By decision, what a person said and no file holds. */
  readonly unsaved: Readonly<Record<string, string>>;
}

/** What the final text and the run log carry where the file cannot be written. */
export function persistenceFailure(path: string, error: string, unsaved: Readonly<Record<string, string>>): PersistenceFailure {
  return {
    blocker: BLOCKERS.persistence,
    detail: `${path} could not be written: ${error}.`,
    recovery: `Make ${path} writable and free some space, then resume the session.`,
    unsaved,
  };
}
