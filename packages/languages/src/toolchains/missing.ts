import type { MissingTool } from "../adapter.ts";
import { programsOf, type LanguageMachine } from "./machine.ts";

/** A tool of a language, and how to install it. */
export interface WantedTool extends MissingTool {
  /** The program on PATH, or a question about the files of the system. */
  readonly program: string | (() => boolean);
}

/** The tools that are not installed. */
export async function missingAmong(wanted: readonly WantedTool[], machine: LanguageMachine): Promise<MissingTool[]> {
  const programs = await programsOf(machine);
  return wanted
    .filter(({ program }) => (typeof program === "string" ? programs.find(program) === null : !program()))
    .map(({ tool, neededFor, install }) => ({ tool, neededFor, install }));
}
