import type { IgnitionResult } from "./ignition/ignition.ts";
import type { AuditReport } from "./audit/report.ts";
import type { AttemptRecord } from "./injection/inject-batch.ts";
import type { InjectionProgress } from "./injection/progress.ts";
import { claimsOf, type Lattice } from "./lattice/lattice.ts";
import type { ReduceResult } from "./mass-defect/reduce.ts";
import { NOT_TESTABLE } from "./mesoscopic/parse-claims.ts";
import type { ClusterTests } from "./mesoscopic/synthesize-tests.ts";
import type { ProgramScan } from "./phases/security-scan.ts";
import { NO_ARTIFACTS, type FunctionRow, type RunArtifacts } from "./run-artifacts.ts";

/** What the phases have produced. A value: each phase returns the next one. */
export interface Work {
  readonly specification: IgnitionResult | null;
  readonly lattice: Lattice | null;
  /** The last audit, for a return to Ignition. */
  readonly audit: AuditReport | null;
  /** Why the last lattice was given up. */
  readonly defect: string | null;
  readonly progress: InjectionProgress | null;
  readonly attempts: Readonly<Record<string, readonly AttemptRecord[]>>;
  readonly clusters: readonly ClusterTests[];
  readonly violated: readonly string[];
  readonly passed: readonly string[];
  readonly reduction: ReduceResult | null;
  /** Security findings that a person has accepted, as `RULE LOCATION`. */
  readonly acceptedRisks: readonly string[];
  /** The last scan of the whole program. */
  readonly scan: ProgramScan | null;
  readonly rounds: Rounds;
}

/** How often each phase was entered: part of the names of its steps. */
export interface Rounds {
  readonly ignition: number;
  readonly lattice: number;
  readonly audit: number;
  readonly injection: number;
  readonly mesoscopic: number;
  readonly massDefect: number;
  readonly blocks: number;
}

export const NO_WORK: Work = {
  specification: null,
  lattice: null,
  audit: null,
  defect: null,
  progress: null,
  attempts: {},
  clusters: [],
  violated: [],
  passed: [],
  reduction: null,
  acceptedRisks: [],
  scan: null,
  rounds: { ignition: 0, lattice: 0, audit: 0, injection: 0, mesoscopic: 0, massDefect: 0, blocks: 0 },
};

export function nextRound(work: Work, of: keyof Rounds): Work {
  return { ...work, rounds: { ...work.rounds, [of]: work.rounds[of] + 1 } };
}

/** For commands and views. */
export function artifactsOf(work: Work): RunArtifacts {
  const { specification, lattice, progress, reduction, scan } = work;
  const failed = new Set((progress?.records ?? []).flatMap((record) => (record.failed ? [record.id] : [])));
  return {
    ...NO_ARTIFACTS,
    spec: specification?.specText ?? null,
    functions: (lattice?.functions ?? []).map(({ id, contract }) => functionRow(work, id, failed.has(id), claimsOf(contract))),
    witnesses: (lattice?.witnesses ?? []).map(({ name, definition, level, invariants }) => ({
      name,
      description: definition.description,
      definition,
      level,
      invariants: [...invariants],
    })),
    claims: Object.entries(specification?.spec.claims ?? {}).map(([id, { text, type }]) => ({ id, text, type, ...claimStatus(work, id) })),
    accepted: (reduction?.accepted ?? []).map(({ function: of, pattern, smell }) => ({ function: of, pattern, smell, reason: null })),
    reverted: (reduction?.reverted ?? []).map(({ function: of, pattern, smell, reason }) => ({ function: of, pattern, smell, reason })),
    smells: [...(reduction?.smells ?? [])],
    scan: scan === null ? null : { findings: scan.findings.length, ran: [...scan.ran], not_run: [...scan.notRun] },
    unmet: (reduction?.unmet ?? []).map(
      ({ function: of, target, measured, limit }) =>
        `${of ?? "the program"}: ${target} is ${measured ?? notMeasured(work)}, target ${limit}`,
    ),
  };
}

function notMeasured({ lattice }: Work): string {
  const isTypescript = lattice?.functions.every(({ path }) => path.endsWith(".ts")) ?? true;
  return isTypescript ? "not measured" : "not measured (only tests of TypeScript tell it)";
}

function functionRow({ progress, attempts }: Work, id: string, isFailed: boolean, claims: string[]): FunctionRow {
  const made = attempts[id] ?? [];
  const status = progress?.bodies[id] !== undefined ? "accepted" : isFailed ? "failed" : "hole";
  const formal = made.at(-1)?.verdicts?.find((one) => one.function === id);
  return {
    id,
    status,
    attempts: made.length,
    tier: made.at(-1)?.currentTier ?? null,
    claims,
    ...(formal === undefined ? {} : { formal: { verdict: formal.verdict, message: formal.message } }),
  };
}

function claimStatus(
  { specification, clusters, violated, passed }: Work,
  id: string,
): Pick<RunArtifacts["claims"][number], "status" | "reason"> {
  const untested = clusters.flatMap((cluster) => cluster.untested).find(({ claim }) => claim === id);
  if (untested !== undefined) return { status: "untested", reason: untested.reason };
  if (violated.includes(id)) return { status: "violated", reason: null };
  // No contract has to refer to such a claim, so it may be in no cluster.
  if (specification?.spec.claims[id]?.testable === false) return { status: "untested", reason: NOT_TESTABLE };
  return { status: passed.includes(id) ? "pass" : "open", reason: null };
}
