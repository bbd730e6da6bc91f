import { canonicalJson } from "./canonical.ts";
import type { RetryPolicy, StepOptions } from "./ctx.ts";
import { fromFailure, SlipwayError } from "./errors.ts";
import { haltsRun, isRetryable, stepFailure } from "./failures.ts";
import { retryKey } from "./names.ts";
import { lookUp, payloadOf, recall, record, replay } from "./replay.ts";
import { active, type Scope } from "./scope.ts";
import { pause } from "./pause.ts";
import { inStepSpan } from "./telemetry.ts";

type Body<T> = (signal: AbortSignal) => Promise<T>;

export async function step<T>(scope: Scope, name: string, body: Body<T>, options: StepOptions = {}): Promise<T> {
  const recorded = await recall(scope, name, ["step", "step_failed"]);
  if (recorded !== undefined) return replay(scope, recorded);
  const { parts } = scope.execution;
  return active(scope, () => inStepSpan(parts.tracer, name, scope.runId, scope.span, () => untilSettled(scope, name, body, options)));
}

async function untilSettled<T>(scope: Scope, name: string, body: Body<T>, options: StepOptions): Promise<T> {
  const { retry, timeoutMs, durability = scope.durability } = options;
  const { clock, onStepStart } = scope.execution.parts;
  for (let attempt = retry === undefined ? 1 : await nextAttempt(scope, name); ; attempt++) {
    onStepStart(scope.runId, name);
    const startedAt = clock.monotonic();
    const ms = () => Math.round(clock.monotonic() - startedAt);
    const result = await tryOnce(scope, name, body, timeoutMs, ms);
    if ("text" in result) {
      await record(scope, { kind: "step", name, key: name, durability }, result.text);
      // Return the same copy that a replay returns.
      return (JSON.parse(result.text) as { value: T }).value;
    }
    const { error } = result;
    // Aborted because the scope ended: not a failure; the step runs again later.
    if (scope.ended) throw error;
    if (retry !== undefined && attempt < retry.attempts && (retry.when ?? isRetryable)(error)) {
      const backoffMs = backoff(retry, attempt);
      const payload = canonicalJson({ attempt, backoff_ms: backoffMs, failure: stepFailure(name, error), ms: ms() });
      await record(scope, { kind: "retry", name, key: retryKey(name, attempt) }, payload);
      await pause(scope, backoffMs);
      continue;
    }
    if (haltsRun(error)) throw error;
    const failure = stepFailure(name, error);
    await record(scope, { kind: "step_failed", name, key: name }, canonicalJson({ attempts: attempt, failure, ms: ms() }));
    throw fromFailure(failure, { cause: error });
  }
}

async function tryOnce<T>(
  scope: Scope,
  name: string,
  body: Body<T>,
  timeoutMs: number | undefined,
  ms: () => number,
): Promise<{ text: string } | { error: unknown }> {
  const abort = new AbortController();
  scope.aborts.add(abort);
  try {
    const value = await (timeoutMs === undefined ? body(abort.signal) : inTime(scope, name, body, abort, timeoutMs));
    return { text: canonicalJson({ ms: ms(), value }) };
  } catch (error) {
    return { error };
  } finally {
    scope.aborts.delete(abort);
  }
}

/** Aborts the body at the timeout. A body that ignores the abort is abandoned after the grace time. */
async function inTime<T>(scope: Scope, name: string, body: Body<T>, abort: AbortController, timeoutMs: number): Promise<T> {
  const { sleep, graceMs } = scope.execution.parts;
  const settled = new AbortController();
  const timeout = new SlipwayError("step_timeout", `Step "${name}" took longer than ${timeoutMs} ms.`, {
    step: name,
    timeout_ms: timeoutMs,
  });
  const late = async (): Promise<never> => {
    await sleep(timeoutMs, settled.signal);
    if (!settled.signal.aborted) abort.abort(timeout);
    await sleep(graceMs, settled.signal);
    throw timeout;
  };
  try {
    return await Promise.race([body(abort.signal), late()]);
  } catch (error) {
    throw abort.signal.reason === timeout ? timeout : error;
  } finally {
    settled.abort();
  }
}

/** Counts the attempts that failed before a crash, and waits for the rest of the last back-off. */
async function nextAttempt(scope: Scope, name: string): Promise<number> {
  let attempt = 1;
  let last;
  for (let event; (event = await lookUp(scope, retryKey(name, attempt))) !== undefined; attempt++) last = event;
  if (last === undefined) return 1;
  const backoffMs = Number((await payloadOf(scope, last))["backoff_ms"]);
  await pause(scope, backoffMs, last.at);
  return attempt;
}

function backoff({ backoffMs, factor = 2, maxBackoffMs = Infinity }: RetryPolicy, attempt: number): number {
  return Math.min(backoffMs * factor ** (attempt - 1), maxBackoffMs);
}
