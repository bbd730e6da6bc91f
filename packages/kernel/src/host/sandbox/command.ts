import { closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import { isBelow } from "./arguments.ts";
import type { SharedPath } from "./contract.ts";
import type { SpawnError } from "../launcher/protocol.ts";
import { isExecutable } from "./host.ts";

export interface CommandEnvironment {
  readonly cwd: string;
  readonly path: string;
  /** Folders the command can see; null when it sees everything. */
  readonly visible: readonly string[] | null;
  /** Folders that are mounted at `to` and lie at `from` until then. */
  readonly shared?: readonly SharedPath[];
}

/** Where the program of a command is, and what interprets it where it is a script. */
export interface FoundProgram {
  readonly path: string;
  readonly interpreter: string | null;
}

/** Whether a program can be found, asked before anything starts: afterwards a missing program and a program that failed look the same. */
export function findCommand([program = ""]: readonly string[], surroundings: CommandEnvironment): FoundProgram | SpawnError {
  const candidates = candidatesFor(program, surroundings);
  const path = candidates.find((candidate) => canStart(candidate, surroundings));
  if (path !== undefined) return { path, interpreter: interpreterOf(path, surroundings) };
  const hidden = candidates.find((candidate) => isExecutable(beforeMounting(candidate, surroundings)));
  const message =
    hidden === undefined
      ? `"${program}" was not found ${program.includes("/") ? `at ${candidates[0]}` : `on PATH (${surroundings.path})`}, or is not executable.`
      : `"${program}" exists at ${hidden}, which the sandbox does not show.`;
  return { code: "ENOENT", message, transient: false };
}

/** Null means found. */
export function missingCommand(command: readonly string[], surroundings: CommandEnvironment): SpawnError | null {
  const found = findCommand(command, surroundings);
  return "path" in found ? null : found;
}

const FIRST_BYTES = 256;

/** What a first line such as `#!/usr/bin/env node` starts. */
function interpreterOf(script: string, surroundings: CommandEnvironment): string | null {
  const [, program] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(firstBytes(beforeMounting(script, surroundings))) ?? [];
  if (program === undefined) return null;
  return candidatesFor(program, surroundings).find((path) => canStart(path, surroundings)) ?? null;
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

function candidatesFor(program: string, { cwd, path }: CommandEnvironment): string[] {
  if (program.includes("/")) return [isAbsolute(program) ? program : resolve(cwd, program)];
  return path.split(delimiter).map((folder) => resolve(cwd, folder, program));
}

function canStart(path: string, surroundings: CommandEnvironment): boolean {
  return isExecutable(beforeMounting(path, surroundings)) && isVisible(path, surroundings);
}

/** Where a path of the command is now, while nothing is mounted yet. */
function beforeMounting(path: string, { shared = [] }: CommandEnvironment): string {
  const mount = shared.find(({ to }) => isBelow(to, path));
  return mount === undefined ? path : join(mount.from, relative(mount.to, path));
}

/** A link may point from a visible folder to one that is not. */
function isVisible(path: string, surroundings: CommandEnvironment): boolean {
  const { visible, shared = [] } = surroundings;
  if (visible === null) return true;
  const real = realpathSync(beforeMounting(path, surroundings));
  const seen = [...visible, ...shared.map(({ from }) => from)];
  return visible.some((root) => isBelow(root, path)) && seen.some((root) => isBelow(root, real));
}
