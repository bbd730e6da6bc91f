import type { MissingTool } from "../adapter.ts";
import { programsOf, type LanguageMachine } from "./machine.ts";

/** A tool of a language, and how to install it. */
export interface WantedTool extends MissingTool {
  /** The program on PATH, or a file of the system. */
  readonly program: string | { readonly files: readonly string[] };
}

/** The tools that are not installed. `exists` is asked for files. */
export async function missingAmong(
  wanted: readonly WantedTool[],
  machine: LanguageMachine,
  exists: (path: string) => boolean,
): Promise<MissingTool[]> {
  const programs = await programsOf(machine);
  return wanted
    .filter(({ program }) => (typeof program === "string" ? programs.find(program) === null : !program.files.some(exists)))
    .map(({ tool, neededFor, install }) => ({ tool, neededFor, install }));
}
