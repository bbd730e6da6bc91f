import { SlipwayError } from "../../schema/errors.ts";
import type { Decision } from "./decision.ts";
import { stateOf } from "./rules.ts";

export interface DependingEntry {
  readonly id: string;
  readonly dependencies: readonly string[];
}

/** A cycle among the given entries as a path that ends where it begins; null if there is none. */
export function dependencyCycle(entries: readonly DependingEntry[]): string[] | null {
  const byId = new Map(entries.map((entry) => [entry.id, entry.dependencies]));
  const done = new Set<string>();
  for (const { id } of entries) {
    const path: { readonly id: string; next: number }[] = [{ id, next: 0 }];
    const onPath = new Set([id]);
    // A stack of its own: a chain of decisions may be longer than the call stack.
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const dependency = byId.get(top.id)?.[top.next++];
      if (dependency === undefined || done.has(top.id)) {
        done.add(top.id);
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(dependency)) {
        const ids = path.map((step) => step.id);
        return [...ids.slice(ids.indexOf(dependency)), dependency];
      } else if (byId.has(dependency) && !done.has(dependency)) {
        path.push({ id: dependency, next: 0 });
        onPath.add(dependency);
      }
    }
  }
  return null;
}

export function assertNoCycle(entries: readonly DependingEntry[]): void {
  const cycle = dependencyCycle(entries);
  if (cycle === null) return;
  throw invalid(`The decisions depend on each other in a cycle: ${cycle.join(" → ")}.`, { cycle }, [
    "Remove one of these dependencies; a decision depends only on decisions made before it.",
  ]);
}

type Dependency = Pick<Decision, "id" | "status" | "confidence" | "suspended_from" | "superseded_by">;

/** A decision may depend only on decisions in force. */
export function assertInForce(id: string, dependency: string, found: Dependency | undefined): void {
  if (found === undefined)
    throw invalid(`The decision ${id} depends on ${dependency}, which does not exist.`, { decision_id: id, dependency }, [
      "Append the decision it depends on first, or correct the id.",
    ]);
  const state = stateOf(found);
  if (state === "in_force") return;
  const action = {
    suspended: `Reinstate ${dependency} first, or leave it out.`,
    superseded: `Depend on ${found.superseded_by ?? "its replacement"} instead.`,
    invalidated: `Leave ${dependency} out.`,
  }[state];
  throw invalid(`The decision ${id} depends on ${dependency}, which is ${state}.`, { decision_id: id, dependency, state }, [action]);
}

export function contradictory(id: string, blockedBy: string, both: readonly string[]): SlipwayError {
  return invalid(
    `The decision ${id} depends on ${both.join(" and ")}, which contradict each other (${blockedBy}).`,
    { decision_id: id, contradiction: blockedBy, dependencies: both },
    [`Resolve the contradiction ${blockedBy} first, or depend on one of them only.`],
  );
}

export function dependsOnReplaced(id: string, replaced: string, dependency: string): SlipwayError {
  const how = dependency === replaced ? "itself depends on it" : `depends on ${dependency}, which depends on it`;
  return invalid(`The decision ${id} cannot supersede ${replaced}: it ${how}.`, { decision_id: id, supersedes: replaced, dependency }, [
    `Leave ${dependency} out of its dependencies, or supersede ${dependency} first.`,
  ]);
}

function invalid(message: string, details: Readonly<Record<string, unknown>>, actions: readonly string[]): SlipwayError {
  return new SlipwayError("decision_dependency_invalid", `${message} Nothing was stored.`, { ...details, suggested_next_actions: actions });
}
