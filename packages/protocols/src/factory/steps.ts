import { stepKind } from "../narration/step-kind.ts";
import type { RaiseAnswer } from "./engineering/ports.ts";
import type { Shipped } from "./engineering/ship.ts";
import type { Inspection } from "./engineering/inspection.ts";
import type { CheckedPlan } from "./engineering/plan-rules.ts";
import type { Unapplied } from "./engineering/debate/amendments.ts";
import type { DebateRoute } from "./engineering/debate/rules.ts";
import type { Witnessed } from "./engineering/debate/witness.ts";
import type { RebuildPlan } from "./incremental/plan.ts";
import type { TakenOver } from "./incremental/recheck.ts";
import type { ToolResult } from "./product/spec-draft.ts";
import type { LoopDecision } from "./project/status.ts";
import type { Release } from "./release/schema.ts";

/** The next action of the loop, with the pillar, epic and story of its task. */
export type DispatchStep = LoopDecision & { readonly place?: readonly string[] };

/** Steps of the project that a person reads about. */
export const PROJECT_STEPS = {
  initialise: stepKind("init_state_machine").records<{ readonly tasks: number; readonly large: boolean }>(),
  dispatch: stepKind("dispatch:*").records<DispatchStep>(),
  recheck: stepKind("recheck:*").records<TakenOver>(),
  release: stepKind("release").records<Release | null>(),
  changes: stepKind("changes").records<RebuildPlan>(),
} as const;

/** Steps of the product loop. */
export const PRODUCT_STEPS = {
  tool: stepKind("tool:*").records<ToolResult>(),
  changes: stepKind("changes:*").records<RebuildPlan>(),
} as const;

/** Steps of a task. The first part of most names is the module's id. */
export const TASK_STEPS = {
  planChecked: stepKind("check:plan:*").records<CheckedPlan>(),
  reuse: stepKind("*/reuse").records<Shipped | null>(),
  inspect: stepKind("*/inspect:*").records<Inspection>(),
  witnesses: stepKind("*/challenge:*:witnesses").records<Witnessed[]>(),
  route: stepKind("*/route:*:*").records<{ readonly round: number; readonly retry_count: number; readonly next: DebateRoute }>(),
  amended: stepKind("*/amended:*").records<Unapplied[]>(),
  register: stepKind("*/ship:*:register").records<null>(),
  registerAmended: stepKind("*/ship-amended:*:register").records<null>(),
  exception: stepKind("*:exception").records<RaiseAnswer>(),
  supersede: stepKind("supersede").records<{ readonly module_ref: string }>(),
  finalize: stepKind("*:finalize").records<unknown>(),
} as const;
