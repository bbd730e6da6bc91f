import { pendingOf } from "./machine/pending.ts";
import { NOTHING_PENDING, stateFile, type StateFile } from "./machine/state-file.ts";
import type { CriticalityState } from "./machine/states.ts";
import { TRANSITIONS } from "./machine/transitions.ts";
import { PHASES, type CriticalityPhase } from "./routing/roles.ts";
import type { RunTrace } from "./run-trace.ts";
import { SPEC_FILE } from "./spec/put-spec.ts";
import type { RunProgress } from "./telemetry/telemetry.ts";
import type { Work } from "./work.ts";

export interface RunStateParts {
  readonly projectId: string;
  readonly state: CriticalityState;
  readonly work: Work;
  readonly trace: RunTrace;
  /** Paths below `archive/`. */
  readonly archived: readonly string[];
  readonly at: string;
}

/** The content of state.json. Paths are relative to the run's folder. */
export function runStateFile({ projectId, state, work, trace, archived, at }: RunStateParts): StateFile {
  return stateFile({
    projectId,
    protocolState: state,
    artifacts: {
      spec: work.specification === null ? null : SPEC_FILE,
      lattice: work.lattice === null ? null : "lattice",
      tests: work.clusters.length === 0 ? null : "tests",
      archive: [...new Set(archived.map((path) => path.split("/").slice(0, 2).join("/")))],
    },
    pending: pendingIn(state),
    metrics: trace.metrics,
    createdAt: trace.tally.startedAt,
    lastCheckpoint: at,
  });
}

/** A blocked or completed run has no work under way. */
function pendingIn(state: CriticalityState): StateFile["pending"] {
  if (state.type !== "active") return NOTHING_PENDING;
  const pending = pendingOf(state.data.phase, TRANSITIONS);
  return {
    modelCall: pending.type === "awaitingModel" ? { role: pending.call.role, prompt: pending.call.prompt } : null,
    compilerRun: pending.type === "awaitingCompiler",
    testRun: pending.type === "awaitingTests" ? { scope: pending.scope } : null,
  };
}

/** How far the work is, for telemetry.json. */
export function progressIn(state: CriticalityState, { lattice, progress, clusters, passed }: Work): RunProgress {
  return {
    phase: phaseIn(state),
    functionsTotal: lattice?.functions.length ?? 0,
    functionsComplete: Object.keys(progress?.bodies ?? {}).length,
    testsTotal: clusters.flatMap(({ tests }) => tests).length,
    testsPassing: passed.length,
  };
}

function phaseIn(state: CriticalityState): CriticalityPhase {
  if (state.type === "active") return state.data.phase.phase;
  return (state.type === "blocked" ? PHASES.find((phase) => phase === state.data.priorPhase) : undefined) ?? "massDefect";
}
