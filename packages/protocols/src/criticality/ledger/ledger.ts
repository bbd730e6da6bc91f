import type { Ctx } from "@slipway/durable/ctx";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Decision, DecisionDraft, FailureReport } from "@slipway/kernel/record/decisions/decision";
import type { SupersedeRequest, UserOrder } from "@slipway/kernel/record/decisions/decisions";
import type { EndedDecisions } from "@slipway/kernel/record/decisions/end";
import type { Call } from "@slipway/kernel/record/operations/call";
import { constraintBlock } from "./constraint-block.ts";

/**
 * The decisions of a run. Every call is a step under the given name, so a replay repeats none and reads what was read then. `answer_to` is
 * the id of the question (`<run id>#<name>`) by whose answer a person orders what only a user may do.
 */
export interface Ledger {
  /** All or none; nothing for an empty list. Ids are numbered by `prefix` (`d` by default), unless a draft has an id. */
  append(step: string, drafts: readonly DecisionDraft[]): Promise<Decision[]>;
  supersede(step: string, request: SupersedeRequest): Promise<Decision>;
  /** Also suspends every dependent. */
  invalidate(step: string, id: string, report: FailureReport, order?: UserOrder): Promise<EndedDecisions>;
  /** A phase has failed: provisional decisions end. */
  invalidateProvisional(step: string, report: FailureReport): Promise<EndedDecisions>;
  /** Records that the named decisions contradict each other; `canonicalConflicts` finds it until a person resolves it. */
  markConflict(step: string, conflict: ConflictDraft): Promise<Decision>;
  list(step: string): Promise<Decision[]>;
  /** The decisions in force, as phases other than Injection see them. */
  constraintBlock(step: string): Promise<string>;
}

export interface ConflictDraft {
  readonly between: readonly string[];
  readonly constraint: string;
  readonly phase: string;
  readonly source: string;
}

export interface LedgerParts {
  readonly ctx: Ctx;
  readonly kernel: Pick<Kernel, "decisions">;
  /** The call of a step: its operation id comes from run and step. */
  readonly call: (step: string) => Call;
}

export function openLedger({ ctx, kernel, call }: LedgerParts): Ledger {
  const { decisions } = kernel;
  const scope = `run:${ctx.runId.split("/")[0] ?? ctx.runId}`;
  const append = async (step: string, drafts: readonly DecisionDraft[]) =>
    drafts.length === 0 ? [] : ctx.step(step, () => decisions.appendAll(call(step), scope, drafts));
  return {
    append,
    supersede: (step, request) => ctx.step(step, () => decisions.supersede(call(step), scope, request)),
    invalidate: (step, id, report, order) => ctx.step(step, () => decisions.invalidate(call(step), scope, id, report, order)),
    invalidateProvisional: (step, report) => ctx.step(step, () => decisions.invalidateProvisional(call(step), scope, report)),
    async markConflict(step, { between, ...draft }) {
      const entry = { ...draft, category: "contradiction", confidence: "blocking" as const, dependencies: [...between] };
      const [marked] = await append(step, [{ ...entry, prefix: "conflict_" }]);
      return marked as Decision;
    },
    list: (step) => ctx.step(step, () => decisions.list(scope)),
    constraintBlock: (step) => ctx.step(step, async () => constraintBlock(await decisions.list(scope))),
  };
}
