import type { RunFiles } from "./files/run-files.ts";
import type { CriticalityState } from "./machine/states.ts";
import type { StoredTranscript } from "./model-calls.ts";
import type { CriticalityPhase } from "./routing/roles.ts";
import type { TakenTransition } from "./state-keeper.ts";
import { placeOf } from "./telemetry/transition-events.ts";

/** Phases whose conversation ends when they are left. In the others every call is a conversation of its own. */
const CONVERSING: ReadonlySet<string> = new Set<CriticalityPhase>(["ignition", "lattice", "compositionAudit", "mesoscopic"]);

/** Whether the transition may be taken only after the archive is on disk. */
export function needsArchive(before: CriticalityState, { state: after, actions }: TakenTransition): boolean {
  if (actions.some(({ type }) => type === "archiveArtifacts")) return true;
  const leaves = after.type !== "blocked" && placeOf(before) !== placeOf(after);
  return leaves && CONVERSING.has(placeOf(before)) && actions.some(({ type }) => type === "destroyContext");
}

export function archivesLattice({ actions }: TakenTransition): boolean {
  return actions.some((action) => action.type === "archiveArtifacts" && action.artifacts.includes("lattice"));
}

/** What was said in a phase, by call. For people: no prompt is made from it. */
export function putConversation(
  files: Pick<RunFiles, "putStored">,
  { phase, number }: { readonly phase: string; readonly number: number },
  transcripts: readonly StoredTranscript[],
  read: (digest: string) => Promise<string>,
): void {
  for (const [index, { role, digest }] of transcripts.entries()) {
    const path = `archive/conversations/${number}-${phase}/${index + 1}-${role}.jsonl`;
    files.putStored(path, digest, () => read(digest));
  }
}
