import { context, SpanStatusCode, trace, type Context, type Span, type Tracer } from "@opentelemetry/api";
import { toFailure } from "./errors.ts";

/** Without a registered provider every call here does nothing. */
export function durableTracer(): Tracer {
  return trace.getTracer("@slipway/durable");
}

export interface RunSpan {
  readonly span: Span;
  /** The context with the span, for work inside the run. */
  readonly context: Context;
}

export function startRunSpan(tracer: Tracer, workflow: string, runId: string, parent: Context): RunSpan {
  const attributes = { "gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": workflow, "slipway.run.id": runId };
  const span = tracer.startSpan(`invoke_workflow ${workflow}`, { attributes }, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** Runs the body with the step's span active, so that its own spans are nested below. Skipped if the run's span is not recorded. */
export async function inStepSpan<T>(tracer: Tracer, name: string, runId: string, run: RunSpan, work: () => Promise<T>): Promise<T> {
  if (!run.span.isRecording()) return work();
  const span = tracer.startSpan(name, { attributes: { "slipway.run.id": runId, "slipway.step.name": name } }, run.context);
  try {
    return await context.with(trace.setSpan(run.context, span), work);
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

export function markFailed(span: Span, error: unknown): void {
  const { code, message } = toFailure(error);
  span.setAttribute("error.type", code);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
