import { canonicalJson } from "./canonical.ts";
import { all } from "./parallel.ts";
import { ask } from "./ask.ts";
import { child } from "./child.ts";
import type { Ctx, Workflow } from "./ctx.ts";
import { toFailure, type Failure } from "./errors.ts";
import { recordable } from "./failures.ts";
import { live, type Scope } from "./scope.ts";
import { sleep } from "./pause.ts";
import { step } from "./step.ts";
import { markFailed } from "./telemetry.ts";
import { until } from "./until.ts";

/** The result of the run's function; `value` is the canonical JSON of the outcome's payload. */
export type Returned = { readonly status: "completed"; readonly value: string } | { readonly status: "failed"; readonly failure: Failure };

/** Runs the function of a workflow in its scope. Settles only if the function does so before the scope ends. */
export function runWorkflow<I, O, K>(scope: Scope, workflow: Workflow<I, O, K>, input: I): Promise<Returned> {
  return live(scope, async () => {
    try {
      const value = await workflow.run(createCtx(scope), input, scope.execution.parts.kernel as K);
      return { status: "completed", value: canonicalJson({ value }) };
    } catch (error) {
      if (scope.execution.haltsOn(error)) throw error;
      markFailed(scope.span.span, error);
      return { status: "failed", failure: recordable(toFailure(error)) };
    }
  });
}

function createCtx(scope: Scope): Ctx {
  return {
    runId: scope.runId,
    step: (name, body, options) => live(scope, () => step(scope, name, body, options)),
    ask: (name, question) => live(scope, () => ask(scope, name, question)),
    sleep: (name, ms) => live(scope, () => sleep(scope, name, ms)),
    until: (name, look) => live(scope, () => until(scope, name, look)),
    child: (name, workflow, input) => live(scope, () => child(scope, runWorkflow, name, workflow, input)),
    all: (operations, options) => live(scope, () => all(scope, operations, options?.limit)),
  };
}
