import { forgeDispatch, type Dispatched } from "./dispatch/dispatch.ts";
import type { Dispatch } from "./dispatch/dispatches.ts";
import { ForgeError } from "./forge-run.ts";
import type { ForgeProgress } from "./progress.ts";
import type { RouteAction } from "./router/actions.ts";
import type { AgentOutcome, RouteInput } from "./router/inputs.ts";
import type { Step } from "./router/state.ts";
import { concurrencyOf } from "./rules/concurrency.ts";
import { FORGE_STEPS } from "./steps.ts";

/** The last result of one dispatched instance. */
export interface Result<D extends Dispatch = Dispatch> {
  readonly dispatch: D;
  readonly dispatched: Dispatched;
  readonly attempts: number;
}

export interface StepPlan<D extends Dispatch> {
  readonly step: Step;
  readonly dispatches: readonly D[];
  /** Work of the harness on a result, such as applying its patch. It may turn the result into a failure. */
  readonly settle?: (result: Result<D>) => Promise<Dispatched>;
  /** What the table decides on. */
  readonly input: (agents: readonly AgentOutcome[], results: readonly Result<D>[]) => Promise<RouteInput>;
  readonly words: string;
}

export interface StepEnd<D extends Dispatch> {
  readonly action: Exclude<RouteAction, { readonly type: "fail" | "retry" }>;
  readonly results: readonly Result<D>[];
}

/** Dispatches the agents of a step side by side, and once more those the table wants repeated, until it decides something else. */
export async function dispatchStep<D extends Dispatch>(progress: ForgeProgress, plan: StepPlan<D>): Promise<StepEnd<D>> {
  const { ctx, ref } = progress.run;
  const results = new Map<string, Result<D>>();
  let todo = plan.dispatches;
  for (let attempt = 1; ; attempt++) {
    const answered = await ctx.all(
      todo.map((dispatch) => async (): Promise<Result<D>> => {
        const name = FORGE_STEPS.dispatch.named(dispatch.role, `${dispatch.instance}.${attempt}`);
        const before = results.get(dispatch.instance)?.dispatched;
        const failed = before?.ok === false ? before : null;
        const withRolesModel = failed?.unavailable === true;
        const returned = failed?.problems === undefined ? {} : { returned: failed.problems };
        const dispatched = await ctx.child(name, forgeDispatch, { ref, dispatch, attempt, withRolesModel, ...returned });
        return { dispatch, dispatched, attempts: attempt };
      }),
      { limit: concurrencyOf(plan.step) },
    );
    // In the order of the dispatches, whoever was first.
    for (const result of answered) {
      const dispatched = plan.settle === undefined || !result.dispatched.ok ? result.dispatched : await plan.settle(result);
      results.set(result.dispatch.instance, { ...result, dispatched });
      if (!dispatched.ok) progress.noteError(plan.step, result.dispatch.role, dispatched.reason, attempt > 1);
    }
    const all = plan.dispatches.flatMap(({ instance }) => results.get(instance) ?? []);
    const action = await progress.decide(await plan.input(all.map(outcomeOf), all), plan.words);
    if (action.type !== "retry") {
      progress.complete(
        plan.step,
        all.flatMap(({ dispatched }) => (dispatched.ok ? dispatched.outputs : [])),
      );
      return { action, results: all };
    }
    todo = plan.dispatches.filter(({ instance }) => action.instances.includes(instance));
    if (todo.length === 0) throw new ForgeError(plan.step, `nothing to repeat among ${action.instances.join(", ")}`);
  }
}

function outcomeOf({ dispatch, dispatched, attempts }: Result): AgentOutcome {
  const { role, instance } = dispatch;
  return { role, instance, attempts, status: dispatched.status, deterministic: !dispatched.ok && dispatched.deterministic };
}
