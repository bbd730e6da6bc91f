import type { CrewRole, DispatchedRole } from "../agents.ts";
import type { CorrectingRole } from "../decisions/correction.ts";
import type { Attempt } from "../rules/repairs.ts";
import type { ReviewResult, ReviewGate } from "../rules/review-gates.ts";
import type { GateState, LoopState } from "../states/states.ts";
import type { BuildRun } from "./ci.ts";

/** The reviews of one task, or of everything (`meta`). */
export interface Pass {
  readonly id: string;
  needed: readonly ReviewGate[];
  readonly results: Partial<Record<ReviewGate, ReviewResult>>;
}

/** A repair that was counted and not yet verified. */
export interface RepairLoop {
  readonly loop: LoopState;
  readonly taskId: string;
  readonly gate: ReviewGate | null;
  readonly findings: readonly string[];
  readonly role: DispatchedRole;
}

/** What the decisions of a question are about. */
export type AskedAbout =
  | { readonly kind: "signals"; readonly role: DispatchedRole }
  | { readonly kind: "research" }
  | { readonly kind: "review_notes"; readonly taskId: string }
  | { readonly kind: "security"; readonly taskId: string }
  | { readonly kind: "exhausted"; readonly taskId: string; readonly loop: LoopState; readonly gate: ReviewGate | null };

/** Where a session is besides its files. Recorded steps lead a replay to the same values. */
export interface Progress {
  readonly numbers: Map<DispatchedRole, number>;
  readonly dispatched: DispatchedRole[];
  /** Authors of artifacts whose last output stands. */
  readonly done: Set<DispatchedRole>;
  readonly notes: Map<DispatchedRole, readonly string[]>;
  /** What people said, for every later dispatch. */
  readonly constraints: string[];
  asked: { readonly about: AskedAbout; readonly ids: readonly string[] } | null;
  researchAsked: boolean;
  correctionBy: CorrectingRole;
  correctionDone: boolean;
  readonly passes: Map<string, Pass>;
  /** Files that the patches of each task changed. */
  readonly changedBy: Map<string, ReadonlySet<string>>;
  repair: RepairLoop | null;
  readonly attempts: Map<string, Attempt[]>;
  /** What Coder said of its change, for the report. */
  readonly patchSummary: string[];
  readonly commands: string[];
  behaviourChanged: boolean;
  touchesSecurity: boolean;
  /** The last run of CI and checks; null once something changed. */
  build: BuildRun | null;
  integrated: boolean;
  releasedBy: DispatchedRole[];
  /** `next.recommended_agent` of Integrator's last output. */
  recommended: CrewRole | null;
  /** Commands whose failure was accepted, with the decision. */
  readonly waivedCommands: Map<string, string>;
  /** Gates whose decision somebody took back in status.json. */
  readonly revoked: Set<GateState>;
  landings: number;
  steps: number;
}

export function noProgress(): Progress {
  return {
    numbers: new Map(),
    dispatched: [],
    done: new Set(),
    notes: new Map(),
    constraints: [],
    asked: null,
    researchAsked: false,
    correctionBy: "Architect",
    correctionDone: false,
    passes: new Map(),
    changedBy: new Map(),
    repair: null,
    attempts: new Map(),
    patchSummary: [],
    commands: [],
    behaviourChanged: false,
    touchesSecurity: false,
    build: null,
    integrated: false,
    releasedBy: [],
    recommended: null,
    waivedCommands: new Map(),
    revoked: new Set(),
    landings: 0,
    steps: 0,
  };
}

/** For a rule whose outcome does not depend on the time; what is stored is made with the time of its write. */
export const ANY_TIME = "1970-01-01T00:00:00.000Z";

/** A name for a step of which a session has several. */
export function nextName(progress: Progress, what: string): string {
  return `${what}:${++progress.steps}`;
}

export function passOf(progress: Progress, id: string): Pass {
  const pass = progress.passes.get(id) ?? { id, needed: [], results: {} };
  progress.passes.set(id, pass);
  return pass;
}
