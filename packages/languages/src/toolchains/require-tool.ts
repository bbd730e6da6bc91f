import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { MissingTool } from "../adapter.ts";
import { programsOf, type LanguageMachine } from "./machine.ts";
import type { WantedTool } from "./missing.ts";

/** Throws `tool_missing`, which names the tool and how to install it, if a program is not on PATH. */
export async function requireTool(machine: LanguageMachine, { tool, neededFor, install, program }: WantedTool): Promise<void> {
  if (typeof program !== "string" || (await programsOf(machine)).find(program) !== null) return;
  throw toolMissing({ tool, neededFor, install });
}

export function toolMissing({ tool, neededFor, install }: MissingTool): SlipwayError {
  return new SlipwayError("tool_missing", `${tool} is not installed. It is needed for ${neededFor}.`, {
    tool,
    suggested_next_actions: [install],
  });
}
