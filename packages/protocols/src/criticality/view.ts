import { viewChanges } from "../change/view.ts";
import { plainNode, type RunNode } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import { viewCases } from "./benchmark/view-cases.ts";
import { restoreEndedRun } from "./files/restore-ended.ts";
import { PHASE_TITLES, stateSchema, subStateName, type CriticalityState } from "./machine/states.ts";
import { PHASES, type CriticalityPhase } from "./routing/roles.ts";
import { readArtifacts, type FunctionRow } from "./run-artifacts.ts";
import { shortName } from "./steps.ts";
import { readRun } from "./store.ts";

/** The phases, the functions below Injection, and the change once it is delivered; for a benchmark its cases. */
export async function viewCriticality(reader: Reader, runId: string): Promise<RunNode[]> {
  // A view is shown whether or not files can be written.
  await restoreEndedRun(reader, runId).catch(() => 0);
  const program = await viewProgram(reader, runId, runId);
  return [...(program.length === 0 ? await viewCases(reader, runId) : program), ...(await viewChanges(reader, runId))];
}

/** Phases and functions of a program, below the node `parent`; none before the first phase. */
export async function viewProgram({ records }: Reader, runId: string, parent: string): Promise<RunNode[]> {
  const row = await readRun(records.database.db, runId);
  if (row === null) return [];
  const state = stateSchema.parse(JSON.parse(row.state));
  const { functions } = readArtifacts(row.artifacts);
  const below = parent === runId ? "" : `${parent}/`;
  const named = (node: RunNode): RunNode => ({ ...node, id: `${below}${node.id}` });
  const phases = PHASES.map((phase) => named(phaseNode(phase, state, parent, functions)));
  return [...phases, ...functions.map((one) => ({ ...named(functionNode(one)), parent: `${below}phase:injection` }))];
}

export function phaseOf(state: CriticalityState): CriticalityPhase | null {
  if (state.type === "active") return state.data.phase.phase;
  return state.type === "blocked" ? (state.data.priorPhase as CriticalityPhase) : null;
}

function phaseNode(phase: CriticalityPhase, state: CriticalityState, runId: string, functions: readonly FunctionRow[]): RunNode {
  const current = phaseOf(state);
  const isCurrent = current === phase;
  const isPast = current === null || PHASES.indexOf(phase) < PHASES.indexOf(current);
  const blocked = isCurrent && state.type === "blocked" ? state.data : null;
  const status = blocked !== null ? "blocked" : isCurrent ? "active" : isPast ? "done" : "pending";
  return plainNode({
    id: `phase:${phase}`,
    parent: runId,
    kind: "phase",
    title: PHASE_TITLES[phase],
    status,
    now: isCurrent && state.type === "active" ? nowText(state, phase, functions) : null,
    reason: blocked?.reason.type ?? null,
    links: isCurrent && blocked !== null ? [{ what: "question", to: "slipway criticality resolve" }] : [],
  });
}

function nowText(state: CriticalityState, phase: CriticalityPhase, functions: readonly FunctionRow[]): string {
  const sub = subStateName(state).split(".")[1] ?? "";
  if (phase !== "injection") return sub;
  const done = functions.filter(({ status }) => status === "accepted").length;
  return `${sub}: ${done} of ${functions.length} functions`;
}

function functionNode({ id, status, attempts, tier }: FunctionRow): RunNode {
  const attempt = attempts === 0 ? null : `${attempts}${tier === null ? "" : ` (${tier})`}`;
  return plainNode({ id: `function:${id}`, parent: "phase:injection", kind: "function", title: shortName(id), status, attempt });
}
