import { realpathSync } from "node:fs";
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

/**
 * Whether a program can be found, asked before anything starts: afterwards a missing program and a program that
 * failed look the same. Null means found.
 */
export function missingCommand([program = ""]: readonly string[], surroundings: Surroundings): SpawnError | null {
  const candidates = candidatesFor(program, surroundings);
  if (candidates.some((candidate) => isExecutable(candidate) && isVisible(candidate, surroundings.visible))) return null;
  const hidden = candidates.find((candidate) => isExecutable(candidate));
  const message =
    hidden === undefined
      ? `"${program}" was not found ${program.includes("/") ? `at ${candidates[0]}` : `on PATH (${surroundings.path})`}, or is not executable.`
      : `"${program}" exists at ${hidden}, which the sandbox does not show.`;
  return { code: "ENOENT", message, transient: false };
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
