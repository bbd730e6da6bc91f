import { closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";
import { isBelow } from "./arguments.ts";
import type { SpawnError } from "../launcher/protocol.ts";
import { isExecutable } from "./host.ts";

export interface Surroundings {
  readonly cwd: string;
  readonly path: string;
  /** Folders the command can see; null when it sees everything. */
  readonly visible: readonly string[] | null;
}

/** Where the program of a command is, and what interprets it where it is a script. */
export interface FoundProgram {
  readonly path: string;
  readonly interpreter: string | null;
}

/** Whether a program can be found, asked before anything starts: afterwards a missing program and a program that failed look the same. */
export function findCommand([program = ""]: readonly string[], surroundings: Surroundings): FoundProgram | SpawnError {
  const candidates = candidatesFor(program, surroundings);
  const path = candidates.find((candidate) => isExecutable(candidate) && isVisible(candidate, surroundings.visible));
  if (path !== undefined) return { path, interpreter: interpreterOf(path, surroundings) };
  const hidden = candidates.find((candidate) => isExecutable(candidate));
  const message =
    hidden === undefined
      ? `"${program}" was not found ${program.includes("/") ? `at ${candidates[0]}` : `on PATH (${surroundings.path})`}, or is not executable.`
      : `"${program}" exists at ${hidden}, which the sandbox does not show.`;
  return { code: "ENOENT", message, transient: false };
}

/** Null means found. */
export function missingCommand(command: readonly string[], surroundings: Surroundings): SpawnError | null {
  const found = findCommand(command, surroundings);
  return "path" in found ? null : found;
}

const FIRST_BYTES = 256;

/** What a first line such as `#!/usr/bin/env node` starts. */
function interpreterOf(script: string, surroundings: Surroundings): string | null {
  const [, program] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(firstBytes(script)) ?? [];
  if (program === undefined) return null;
  return candidatesFor(program, surroundings).find((path) => isExecutable(path) && isVisible(path, surroundings.visible)) ?? null;
}

function firstBytes(path: string): string {
  try {
    // A pipe would block an open for reading for ever.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(FIRST_BYTES);
      return bytes.toString("latin1", 0, readSync(file, bytes, 0, FIRST_BYTES, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

function candidatesFor(program: string, { cwd, path }: Surroundings): string[] {
  if (program.includes("/")) return [isAbsolute(program) ? program : resolve(cwd, program)];
  return path.split(delimiter).map((folder) => resolve(cwd, folder, program));
}

/** A link may point from a visible folder to one that is not. */
function isVisible(path: string, visible: readonly string[] | null): boolean {
  if (visible === null) return true;
  return [path, realpathSync(path)].every((place) => visible.some((root) => isBelow(root, place)));
}
