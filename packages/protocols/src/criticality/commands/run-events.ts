import type { TelemetryEvent } from "../telemetry/events.ts";
import type { RunRecord } from "./run-record.ts";

/** The events of a run in the order of their time. Pure. */
export function eventsOfRecord(record: RunRecord): TelemetryEvent[] {
  const events = [...transitions(record), ...modelCalls(record), ...escalations(record), ...blockEvents(record)];
  return events.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
}

const phaseIn = (at: string) => at.split(".")[0] ?? at;
const moment = (ms: number) => new Date(ms).toISOString();

function transitions({ checkpoints }: RunRecord): TelemetryEvent[] {
  return checkpoints.flatMap(({ at, now }, index): TelemetryEvent[] => {
    const from = phaseIn(checkpoints[index - 1]?.at ?? "ignition");
    const to = phaseIn(at);
    if (from === to) return [];
    const moved: TelemetryEvent = { timestamp: now, event: "phase_transition", data: { from, to } };
    const isBroken = from === "injection" && to === "lattice";
    return isBroken
      ? [moved, { timestamp: now, event: "circuit_break", data: { condition: "return_to_lattice", functions: [] } }]
      : [moved];
  });
}

/** A call belongs to the phase in which it ended. */
function modelCalls({ calls, checkpoints }: RunRecord): TelemetryEvent[] {
  return calls.map(({ role, provider, model, input_tokens, output_tokens, cost_usd, duration_ms, at }) => {
    const timestamp = moment(at);
    const place = checkpoints.findLast(({ now, at: where }) => now <= timestamp && where !== "blocked")?.at ?? "ignition";
    return {
      timestamp,
      event: "model_call",
      data: {
        model: model ?? provider,
        role: role.replace(/^.*\//, ""),
        phase: phaseIn(place),
        tokensIn: input_tokens,
        tokensOut: output_tokens,
        durationMs: duration_ms,
        usd: cost_usd,
      },
    };
  });
}

const WRITTEN = /\/write:(.+):(\d+):(\d+)(?:[~^]\d+)*$/;

/** A function that another role writes after a failure. The roles are named by their aliases. */
function escalations({ calls, failures }: RunRecord): TelemetryEvent[] {
  const last = new Map<string, { readonly role: string; readonly attempt: string }>();
  return calls.flatMap(({ id, role, at }): TelemetryEvent[] => {
    const [, name, visit, attempt] = WRITTEN.exec(id) ?? [];
    if (name === undefined || visit === undefined || attempt === undefined) return [];
    const key = `${name}:${visit}`;
    const before = last.get(key);
    last.set(key, { role, attempt });
    if (before === undefined || before.role === role) return [];
    const reason = [...failures].find(([step]) => isAttempt(step, name, `${visit}:${before.attempt}`))?.[1] ?? "unknown";
    const data = { function: name, from: aliasOf(before.role), to: aliasOf(role), reason };
    return [{ timestamp: moment(at), event: "escalation", data }];
  });
}

/** A cycle of functions is verified as one: `verify:A+B:1:2`. */
function isAttempt(step: string, name: string, attempt: string): boolean {
  return (
    step.endsWith(`:${attempt}`) &&
    step
      .slice("verify:".length, -attempt.length - 1)
      .split("+")
      .includes(name)
  );
}

function aliasOf(role: string): string {
  return `${role.replace(/^.*\//, "")}_model`;
}

function blockEvents({ blocks }: RunRecord): TelemetryEvent[] {
  return blocks.flatMap(({ askedAt, context }): TelemetryEvent[] => {
    const [reason, phase] = [String(context["category"]), String(context["phase"])];
    const timestamp = moment(askedAt);
    const block: TelemetryEvent = { timestamp, event: "block", data: { reason, phase } };
    if (reason !== "circuit_breaker") return [block];
    return [block, { timestamp, event: "circuit_break", data: { condition: "function_exhausted", functions: [] } }];
  });
}
