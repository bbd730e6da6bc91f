import { closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import { isBelow } from "./arguments.ts";
import type { SharedPath } from "./contract.ts";
import type { SpawnError } from "../launcher/protocol.ts";
import { isExecutable } from "./host.ts";

export interface CommandEnvironment {
  readonly cwd: string;
  readonly path: string;
  /** Folders that the command can see; null if it sees everything. */
  readonly visible: readonly string[] | null;
  /** Folders that will be mounted at `to` and are still at `from`. */
  readonly shared?: readonly SharedPath[];
}

/** The path of a command's program, and of its interpreter if it is a script. */
export interface FoundProgram {
  readonly path: string;
  readonly interpreter: string | null;
}

/** Looks a program up before the start, because afterwards a missing program looks like a failed one. */
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

/** Null if the program was found. */
export function missingCommand(command: readonly string[], surroundings: CommandEnvironment): SpawnError | null {
  const found = findCommand(command, surroundings);
  return "path" in found ? null : found;
}

const FIRST_BYTES = 256;

/** The program that a first line such as `#!/usr/bin/env node` starts. */
function interpreterOf(script: string, surroundings: CommandEnvironment): string | null {
  const [, program] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(firstBytes(beforeMounting(script, surroundings))) ?? [];
  if (program === undefined) return null;
  return candidatesFor(program, surroundings).find((path) => canStart(path, surroundings)) ?? null;
}

function firstBytes(path: string): string {
  try {
    // Without O_NONBLOCK, opening a pipe would block forever.
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

/** The host path of a path inside the sandbox, before mounting. */
function beforeMounting(path: string, { shared = [] }: CommandEnvironment): string {
  const mount = shared.find(({ to }) => isBelow(to, path));
  return mount === undefined ? path : join(mount.from, relative(mount.to, path));
}

/** Checks the real path, because a link in a visible folder may point to a hidden one. */
function isVisible(path: string, surroundings: CommandEnvironment): boolean {
  const { visible, shared = [] } = surroundings;
  if (visible === null) return true;
  const real = realpathSync(beforeMounting(path, surroundings));
  const seen = [...visible, ...shared.map(({ from }) => from)];
  return visible.some((root) => isBelow(root, path)) && seen.some((root) => isBelow(root, real));
}
