import { z } from "zod";
import type { Tx } from "../database/tables.ts";
import type { Operation } from "../operations/operation.ts";
import { assertDependencies, DECISION_ROLES, idFor, insertEntry } from "./append.ts";
import { decisionId, decisionScope, failureReport, replacementDraft, type Decision } from "./decision.ts";
import { dependsOnReplaced } from "./dependencies.ts";
import { assertAction, assertAuthority, settledConfidence, stateOf } from "./rules.ts";
import { findDecision, mustFind, updateLifecycle } from "./store.ts";
import { isUserSourced } from "./user-sourced.ts";

const supersedeInput = z.strictObject({
  scope: decisionScope,
  id: decisionId,
  replacement: replacementDraft,
  reason: z.string().trim().min(1),
  /** The failure that implicates a delegated decision. */
  failure_report: failureReport.optional(),
  /** The question whose answer by a person orders this. */
  answer_to: z.string().optional(),
});

/** Appends the replacement, linked to the old entry, and marks the old entry superseded. Dependents stay; `cascade` suspends them. */
export const supersedeOperation: Operation<z.output<typeof supersedeInput>, undefined, Decision> = {
  name: "decision.supersede",
  roles: DECISION_ROLES,
  input: supersedeInput,
  async commit(tx, { scope, id, replacement, reason, failure_report, answer_to }, _effect, { actor, at }) {
    const old = await mustFind(tx, scope, id);
    assertAction(old, "supersede");
    const byUser = await isUserSourced(tx, actor, answer_to);
    assertAuthority(old, "supersede", { byUser, failure: failure_report !== undefined });
    const entry = {
      ...replacement,
      id: await idFor(tx, scope, replacement),
      category: replacement.category ?? old.category,
      source: replacement.source ?? old.source,
      phase: replacement.phase ?? old.phase,
      confidence: replacement.confidence ?? settledConfidence(old),
      dependencies: replacement.dependencies ?? (await stillInForce(tx, scope, old.dependencies)),
    };
    await assertDependencies(tx, scope, entry);
    await assertIndependent(tx, scope, entry, id);
    const added = await insertEntry(tx, scope, entry, at, { id, reason });
    const report = failure_report === undefined ? null : JSON.stringify(failure_report);
    await updateLifecycle(tx, scope, id, {
      status: "superseded",
      suspended: 0,
      superseded_by: entry.id,
      ended_reason: reason,
      failure_report: report,
    });
    return added;
  },
  event: ({ scope, id, reason }, added) => ({ scope, superseded: id, decision: added.id, reason }),
};

async function stillInForce(tx: Tx, scope: string, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const decision = await findDecision(tx, scope, id);
    if (decision !== undefined && stateOf(decision) === "in_force") found.push(id);
  }
  return found;
}

/** A replacement that depends on the entry it replaces, even through others, would have lost its own ground. */
async function assertIndependent(
  tx: Tx,
  scope: string,
  { id, dependencies }: { readonly id: string; readonly dependencies: readonly string[] },
  replaced: string,
): Promise<void> {
  const seen = new Set<string>();
  for (const dependency of dependencies) {
    const open = [dependency];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === replaced) throw dependsOnReplaced(id, replaced, dependency);
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...((await findDecision(tx, scope, next))?.dependencies ?? []));
    }
  }
}
