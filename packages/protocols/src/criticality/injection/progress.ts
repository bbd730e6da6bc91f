import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import { trippedBreaker, type BreakerRates, type FunctionRecord, type StructuralDefectReport } from "../escalation/breakers.ts";
import { moduleOf, withBodies, type Lattice } from "../lattice/lattice.ts";
import type { BatchOutcome } from "./inject-batch.ts";

/** How far injection is. A value: each outcome gives the next one. */
export interface InjectionProgress {
  /** The lattice with every accepted body. */
  readonly tree: SourceTree;
  readonly bodies: Readonly<Record<string, string>>;
  readonly records: readonly FunctionRecord[];
  /** Counts injections of the same function in this run, so that their steps have different names. */
  readonly visit: number;
}

export function startInjection({ tree, functions }: Lattice, visit: number): InjectionProgress {
  const records = functions.map(({ id }) => ({ id, module: moduleOf(id), escalated: false, failed: false, failureTypes: [] }));
  return { tree, bodies: {}, records, visit };
}

/** The same progress with holes again in place of these bodies; the old bodies are in no tree. */
export function reopenFunctions(
  progress: InjectionProgress,
  ids: readonly string[],
  language: LanguageAdapter,
  visit: number,
): InjectionProgress {
  const reopened = new Set(ids);
  const holes = new Map(ids.map((id) => [id, language.hole]));
  return {
    visit,
    tree: withBodies(progress.tree, holes, language),
    bodies: Object.fromEntries(Object.entries(progress.bodies).filter(([id]) => !reopened.has(id))),
    records: progress.records.map((record) =>
      reopened.has(record.id) ? { ...record, escalated: false, failed: false, failureTypes: [] } : record,
    ),
  };
}

export function injectedIds({ bodies }: InjectionProgress): Set<string> {
  return new Set(Object.keys(bodies));
}

export interface CommittedOutcome {
  readonly progress: InjectionProgress;
  readonly tripped: StructuralDefectReport | null;
}

/** Adds one outcome. The rate breakers are evaluated after each. */
export function commitOutcome(
  progress: InjectionProgress,
  outcome: BatchOutcome,
  rates: BreakerRates,
  language: LanguageAdapter,
): CommittedOutcome {
  const { batch, bodies, attempts, ended } = outcome;
  const first = attempts[0]?.currentTier;
  const escalated = attempts.some(({ currentTier }) => currentTier !== first);
  const failureTypes = [...new Set(attempts.flatMap(({ failure }) => (failure === null ? [] : [failure.type])))];
  const failed = bodies === null && ended?.type === "circuitBreak";
  const records = progress.records.map((record) => (batch.includes(record.id) ? { ...record, escalated, failed, failureTypes } : record));
  const next = {
    ...progress,
    records,
    bodies: { ...progress.bodies, ...bodies },
    tree: bodies === null ? progress.tree : withBodies(progress.tree, new Map(Object.entries(bodies)), language),
  };
  return { progress: next, tripped: trippedBreaker(records, rates) };
}
