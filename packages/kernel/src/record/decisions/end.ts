import { z } from "zod";
import type { Operation } from "../operations/operation.ts";
import { DECISION_ROLES } from "./append.ts";
import { decisionId, decisionScope, failureReport, validationProof, type Decision } from "./decision.ts";
import { SlipwayError } from "../../schema/errors.ts";
import { assertAction, assertAuthority, CONFIDENCE_RULES, stateOf } from "./rules.ts";
import { SETTLED_CONFIDENCES } from "./decision.ts";
import { endDecision, findDecision, mustFind, suspendDependents, updateLifecycle } from "./store.ts";
import { isUserSourced } from "./user-sourced.ts";

const target = { scope: decisionScope, id: decisionId };
const answerTo = z.string().optional();

/** What an operation has ended and what it has suspended. */
export interface EndedDecisions {
  readonly invalidated: readonly string[];
  readonly suspended: readonly string[];
}

const invalidateInput = z.strictObject({ ...target, failure_report: failureReport, answer_to: answerTo });

/** Ends an entry that a failure has shown to be wrong, and suspends its dependents. */
export const invalidateOperation: Operation<z.output<typeof invalidateInput>, undefined, EndedDecisions> = {
  name: "decision.invalidate",
  roles: DECISION_ROLES,
  input: invalidateInput,
  async commit(tx, { scope, id, failure_report: report, answer_to }, _effect, { actor }) {
    const decision = await mustFind(tx, scope, id);
    assertAction(decision, "invalidate");
    assertAuthority(decision, "end", { byUser: await isUserSourced(tx, actor, answer_to), failure: true });
    return { invalidated: [id], suspended: await endDecision(tx, scope, id, { reason: report.summary, report }) };
  },
  event: ({ scope }, ended) => ({ scope, ...ended }),
};

const cascadeInput = z.strictObject({ scope: decisionScope, root: decisionId });

export const cascadeOperation: Operation<z.output<typeof cascadeInput>, undefined, EndedDecisions> = {
  name: "decision.cascade",
  roles: DECISION_ROLES,
  input: cascadeInput,
  async commit(tx, { scope, root }) {
    await mustFind(tx, scope, root);
    return { invalidated: [], suspended: await suspendDependents(tx, scope, root) };
  },
  event: ({ scope, root }, { suspended }) => ({ scope, root, suspended }),
};

const reinstateInput = z.strictObject({ ...target, validation: validationProof });

/** Puts a suspended entry back in force. What it depends on must not be suspended itself. */
export const reinstateOperation: Operation<z.output<typeof reinstateInput>, undefined, Decision> = {
  name: "decision.reinstate",
  roles: DECISION_ROLES,
  input: reinstateInput,
  async commit(tx, { scope, id, validation }) {
    const decision = await mustFind(tx, scope, id);
    assertAction(decision, "reinstate");
    for (const dependency of decision.dependencies) {
      const found = await findDecision(tx, scope, dependency);
      if (found !== undefined && stateOf(found) === "suspended") throw suspendedDependency(id, dependency);
    }
    await updateLifecycle(tx, scope, id, { suspended: 0, suspended_by: null, validation: JSON.stringify(validation) });
    return mustFind(tx, scope, id);
  },
  event: ({ scope, id, validation }) => ({ scope, reinstated: id, validation: { ...validation } }),
};

const discardInput = z.strictObject({ ...target, reason: z.string().trim().min(1), answer_to: answerTo });

/** Gives up a suspended entry. */
export const discardOperation: Operation<z.output<typeof discardInput>, undefined, EndedDecisions> = {
  name: "decision.discard",
  roles: DECISION_ROLES,
  input: discardInput,
  async commit(tx, { scope, id, reason, answer_to }, _effect, { actor }) {
    const decision = await mustFind(tx, scope, id);
    assertAction(decision, "discard");
    // A suspension comes from a failure below the entry, which implicates it.
    assertAuthority(decision, "end", { byUser: await isUserSourced(tx, actor, answer_to), failure: true });
    return { invalidated: [id], suspended: await endDecision(tx, scope, id, { reason }) };
  },
  event: ({ scope, reason }, ended) => ({ scope, reason, ...ended }),
};

const failPhaseInput = z.strictObject({ scope: decisionScope, failure_report: failureReport });

const ENDING = SETTLED_CONFIDENCES.filter((confidence) => CONFIDENCE_RULES[confidence].endsWithFailedPhase);

/** A phase has failed: invalidates every provisional entry of the scope, suspended ones included, and suspends their dependents. */
export const invalidateProvisionalOperation: Operation<z.output<typeof failPhaseInput>, undefined, EndedDecisions> = {
  name: "decision.invalidate_provisional",
  roles: DECISION_ROLES,
  input: failPhaseInput,
  async commit(tx, { scope, failure_report: report }) {
    const rows = await tx
      .selectFrom("decisions")
      .select("id")
      .where("scope", "=", scope)
      .where("status", "=", "active")
      .where("confidence", "in", ENDING)
      .orderBy("seq")
      .execute();
    const invalidated = rows.map(({ id }) => id);
    const suspended: string[] = [];
    for (const id of invalidated) suspended.push(...(await endDecision(tx, scope, id, { reason: report.summary, report })));
    return { invalidated, suspended: suspended.filter((id) => !invalidated.includes(id)) };
  },
  event: ({ scope }, ended) => ({ scope, ...ended }),
};

function suspendedDependency(id: string, dependency: string): SlipwayError {
  return new SlipwayError("decision_dependency_invalid", `The decision ${id} depends on ${dependency}, which is still suspended.`, {
    decision_id: id,
    dependency,
    suggested_next_actions: [`Reinstate or discard ${dependency} first.`],
  });
}
