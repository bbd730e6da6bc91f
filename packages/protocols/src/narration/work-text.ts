import { workText } from "../change/narrate.ts";
import { PROTOCOLS } from "../protocols.ts";

/** The text of a step under way in a change of any protocol. */
export async function loadWorkText(): Promise<(step: string) => string> {
  const rows = (await Promise.all(PROTOCOLS.map(({ narration }) => narration?.() ?? []))).flat();
  return (step) => workText(step, rows);
}
