import type { Db } from "../database/tables.ts";
import type { Call } from "../operations/call.ts";
import type { Door } from "../operations/door.ts";
import { appendOperation } from "./append.ts";
import { compactOperation } from "./compact.ts";
import type { Decision, DecisionDraft, FailureReport, ReplacementDraft, ValidationProof } from "./decision.ts";
import {
  cascadeOperation,
  discardOperation,
  invalidateOperation,
  invalidateProvisionalOperation,
  reinstateOperation,
  type EndedDecisions,
} from "./end.ts";
import { decisionFrom, findDecision, mustFind } from "./store.ts";
import { supersedeOperation } from "./supersede.ts";

/** The question whose answer by a person orders the call; needed for what only a user may do, unless the actor is a person. */
export interface UserOrder {
  readonly answer_to?: string;
}

export interface SupersedeRequest extends UserOrder {
  readonly id: string;
  readonly replacement: ReplacementDraft;
  readonly reason: string;
  readonly failure_report?: FailureReport;
}

/** Decisions of a scope (`repository`, `run:<id>`, `feature:<id>`). Entries are added and ended, never deleted, and keep their content. */
export interface Decisions {
  append(call: Call, scope: string, draft: DecisionDraft): Promise<Decision>;
  /** All or none. */
  appendAll(call: Call, scope: string, drafts: readonly DecisionDraft[]): Promise<Decision[]>;
  supersede(call: Call, scope: string, request: SupersedeRequest): Promise<Decision>;
  invalidate(call: Call, scope: string, id: string, report: FailureReport, order?: UserOrder): Promise<EndedDecisions>;
  /** Suspends every direct and transitive dependent of the root. */
  cascade(call: Call, scope: string, root: string): Promise<EndedDecisions>;
  reinstate(call: Call, scope: string, id: string, proof: ValidationProof): Promise<Decision>;
  discard(call: Call, scope: string, id: string, reason: string, order?: UserOrder): Promise<EndedDecisions>;
  invalidateProvisional(call: Call, scope: string, report: FailureReport): Promise<EndedDecisions>;
  /** Returns the ids that were moved to the archive. */
  compact(call: Call, scope: string): Promise<readonly string[]>;
  get(scope: string, id: string): Promise<Decision>;
  find(scope: string, id: string): Promise<Decision | null>;
  /** In the order in which they were appended, without archived ones. */
  list(scope: string): Promise<Decision[]>;
  archived(scope: string): Promise<Decision[]>;
}

export function openDecisions({ db, door }: { readonly db: Db; readonly door: Door }): Decisions {
  async function appendAll({ actor, operationId }: Call, scope: string, drafts: readonly DecisionDraft[]): Promise<Decision[]> {
    return (await door.perform(appendOperation, actor, operationId, { scope, drafts })).decisions;
  }

  async function entries(scope: string, archived: 0 | 1): Promise<Decision[]> {
    const rows = db.selectFrom("decisions").selectAll().where("scope", "=", scope).where("archived", "=", archived);
    return (await rows.orderBy("seq").execute()).map(decisionFrom);
  }

  return {
    async append(call, scope, draft) {
      const [added] = await appendAll(call, scope, [draft]);
      return added as Decision;
    },
    appendAll,
    supersede: ({ actor, operationId }, scope, request) => door.perform(supersedeOperation, actor, operationId, { scope, ...request }),
    invalidate: ({ actor, operationId }, scope, id, failure_report, order = {}) =>
      door.perform(invalidateOperation, actor, operationId, { scope, id, failure_report, ...order }),
    cascade: ({ actor, operationId }, scope, root) => door.perform(cascadeOperation, actor, operationId, { scope, root }),
    reinstate: ({ actor, operationId }, scope, id, validation) =>
      door.perform(reinstateOperation, actor, operationId, { scope, id, validation }),
    discard: ({ actor, operationId }, scope, id, reason, order = {}) =>
      door.perform(discardOperation, actor, operationId, { scope, id, reason, ...order }),
    invalidateProvisional: ({ actor, operationId }, scope, failure_report) =>
      door.perform(invalidateProvisionalOperation, actor, operationId, { scope, failure_report }),
    compact: async ({ actor, operationId }, scope) => (await door.perform(compactOperation, actor, operationId, { scope })).archived,
    get: (scope, id) => mustFind(db, scope, id),
    find: async (scope, id) => (await findDecision(db, scope, id)) ?? null,
    list: (scope) => entries(scope, 0),
    archived: (scope) => entries(scope, 1),
  };
}
