import type { CriticalityPhase } from "../routing/roles.ts";
import type { BlockType } from "./block.ts";
import { BLOCK_OPTIONS, type BlockOption } from "./block-options.ts";
import { COMPOSITION_AUDIT, IGNITION, LATTICE } from "./early-rows.ts";
import { INJECTION, MASS_DEFECT, MESOSCOPIC } from "./late-rows.ts";
import { SUB_STATES } from "./states.ts";
import {
  ACTIVE,
  at,
  BLOCK,
  blockedBy,
  exists,
  PERSIST,
  record,
  row,
  said,
  sequence,
  type StateRef,
  type Transition,
} from "./transition.ts";

/** Found in any phase. They come first: no work goes on while one of them holds. */
const ANYWHERE: readonly BlockType[] = [
  "canonical_conflict",
  "archive_failure",
  "provider_unavailable",
  "context_overflow",
  "security_review",
  "user_requested",
];

/** The sub-state in which a phase begins, and in which it resumes after a block. */
export function firstSubState(phase: CriticalityPhase): string {
  return Object.keys(SUB_STATES[phase])[0] ?? "";
}

function resumed({ resumeAt }: BlockOption): StateRef | null {
  if (resumeAt === null) return null;
  return resumeAt === "prior" ? ACTIVE : at(`${resumeAt}.${firstSubState(resumeAt)}`);
}

/** A person's way out of a block: every option that does not end the run. */
const RESOLUTIONS: readonly Transition[] = Object.entries(BLOCK_OPTIONS).flatMap(([reason, options]) =>
  options.flatMap((option) => {
    const to = resumed(option);
    return to === null ? [] : [row(blockedBy(reason as BlockType), to, said(option.id), sequence(record("block_resolution"), PERSIST))];
  }),
);

/** Every way from one state to another. Of the rows that match, the first whose guard holds is taken. */
export const TRANSITIONS: readonly Transition[] = [
  ...ANYWHERE.map((reason) => row(ACTIVE, blockedBy(reason), exists(reason), BLOCK)),
  ...IGNITION,
  ...LATTICE,
  ...COMPOSITION_AUDIT,
  ...INJECTION,
  ...MESOSCOPIC,
  ...MASS_DEFECT,
  ...RESOLUTIONS,
];
