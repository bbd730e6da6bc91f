import type { JournalEvent } from "@slipway/durable/chain";
import type { Line } from "../narration/line.ts";
import { momentText } from "../narration/moment.ts";

type Value = Readonly<Record<string, unknown>>;

/** What each kind of step says when it has ended. The part before the first colon of a step's name is its kind. */
const ENDED: Readonly<Record<string, (value: Value, rest: string) => Omit<Line, "feature"> | null>> = {
  init: () => ({ text: "worktree and branch are ready", good: true }),
  retry: (value) => (value["ok"] === true ? { text: "taken up again; worktree and branch are ready", good: true } : null),
  planner: (value, attempt) => answered("planner", value, attempt),
  builder: (value, attempt) => answered("builder", value, attempt),
  qa: (value, attempt) => answered("qa", value, attempt),
  plan: (value) => collided(value) ?? judged(value, "plan accepted", "plan refused"),
  wait: (value) => ({ text: String(inner(value)["reason"]), good: null }),
  wake: () => ({ text: "goes on, on the base the others have left", good: null }),
  verdicts: (value) => (value["ok"] === false ? judged(value, "", "test index refused") : null),
  patch: (value) => judged(value, "patch applied, within the plan", "patch refused"),
  "qa-patch": (value) => judged(value, "tests added, within the plan", "tests refused"),
  gates: (value, rest) => gateLine(value, rest),
  block: () => ({ text: "blocked: a person has to decide", good: false }),
  ready: () => ({ text: "ready to merge", good: true }),
  candidate: (value) => (inner(value)["rebuilt"] === true ? { text: "the base moved: rebuilt on top of it", good: null } : null),
  merge: (value) => {
    const landing = inner(value);
    return value["ok"] === true
      ? { text: `merged into ${String(landing["base_branch"])} as ${String(landing["commit"]).slice(0, 10)}`, good: true }
      : judged(value, "", "not merged");
  },
};

const STARTED: Readonly<Record<string, string>> = {
  init: "making the worktree",
  retry: "taking it up again",
  planner: "planner at work",
  builder: "builder at work",
  qa: "qa at work",
  plan: "checking the plan",
  patch: "checking the patch",
  "qa-patch": "checking the tests",
  verdicts: "updating the test index",
  wake: "moving to the new base",
  "gate-line": "waits for a gate to be free",
  candidate: "preparing the merge",
  merge: "merging",
};

/** What happens in the stream of a feature, in words. */
export function narrateChange(event: JournalEvent): Line | null {
  const feature = featureOf(event.stream);
  if (feature === null) return null;
  const payload = parse(event.payload);
  if (event.kind === "asked") return { feature, text: `asks: ${String(payload["title"])}`, good: null };
  if (event.kind === "answered") return { feature, text: `answered by ${String(payload["by"])}`, good: null };
  if (event.kind === "retry")
    return { feature, text: `${event.name} is tried again: ${String((payload["failure"] as Value | undefined)?.["message"])}`, good: null };
  if (event.kind === "sleeping" && event.name.startsWith("pause:"))
    return { feature, text: `goes on at ${momentText(event.at + Number(payload["ms"]))}`, good: null };
  if (event.kind !== "step") return null;
  const { kind, rest } = split(event.name);
  const value = payload["value"];
  const line = ENDED[kind]?.(isRecord(value) ? value : {}, rest) ?? null;
  return line === null ? null : { feature, ...line };
}

/** What a step is while it is under way. */
export function workText(step: string): string {
  const { kind, rest } = split(step);
  return kind === "gates" ? `${rest.split(":")[0]} gates` : (STARTED[kind] ?? kind);
}

function featureOf(stream: string): string | null {
  return /\/feature:(.+)$/.exec(stream)?.[1] ?? null;
}

function split(name: string): { kind: string; rest: string } {
  const [kind = "", ...rest] = name.split(":");
  return { kind, rest: rest.join(":") };
}

function answered(role: string, value: Value, step: string): Omit<Line, "feature"> {
  // What goes on after a pause is the same attempt: `1~2`.
  const attempt = step.replace(/~\d+$/, "");
  const limit = limitText(value);
  if (limit !== null) return { text: `${role} waits: ${limit}`, good: null };
  if (value["ok"] === false) return { text: `${role} failed (attempt ${attempt}): ${failureText(value)}`, good: false };
  const output = inner(value);
  const what =
    output["type"] === "PLAN_SUBMISSION"
      ? "proposes a plan"
      : output["type"] === "PATCH"
        ? `proposes a patch: ${String(output["summary"])}`
        : `says: ${String(output["text"])}`;
  return { text: `${role} ${what}${attempt === "1" ? "" : ` (attempt ${attempt})`}`, good: null };
}

const PAUSES: readonly unknown[] = ["rate_limited", "quota_exhausted", "budget_exceeded", "answer_pending"];

/** No failure of the worker's: what it needs is used up for now. */
function limitText({ failure }: Value): string | null {
  return isRecord(failure) && PAUSES.includes(failure["code"]) ? String(failure["message"]) : null;
}

function judged(value: Value, accepted: string, refused: string): Omit<Line, "feature"> {
  return value["ok"] === true ? { text: accepted, good: true } : { text: `${refused}: ${failureText(value)}`, good: false };
}

const COLLISIONS: readonly unknown[] = ["collision_detected", "blocked_by_collision_policy"];

/** Not a mistake of the plan's: somebody else has what it wants. */
function collided({ failure }: Value): Omit<Line, "feature"> | null {
  if (!isRecord(failure) || !COLLISIONS.includes(failure["code"]) || !isRecord(failure["details"])) return null;
  const { conflicting_feature_ids: others, collisions } = failure["details"];
  const over = Array.isArray(collisions) ? collisions.filter(isRecord).map(({ resource }) => String(resource)) : [];
  const names = Array.isArray(others) ? others.join(", ") : "another feature's";
  return { text: `its plan collides with ${names}${over.length === 0 ? "" : `: ${over.join(", ")}`}`, good: null };
}

function gateLine(outcome: Value, rest: string): Omit<Line, "feature"> {
  const value = outcome["ok"] === true ? inner(outcome) : outcome;
  const mode = rest.split(":")[0] ?? "";
  const tests = isRecord(value["tests"]) ? `${String(value["tests"]["total"])} tests` : null;
  const coverage =
    isRecord(value["coverage"]) && typeof value["coverage"]["line"] === "number"
      ? `${Math.round(value["coverage"]["line"] * 100)} % of lines`
      : null;
  const facts = [tests, coverage].filter((fact) => fact !== null).join(", ");
  if (value["passed"] === true) return { text: `${mode} gates passed${facts === "" ? "" : ` (${facts})`}`, good: true };
  return { text: `${mode} gates failed: ${failureText(value)}`, good: false };
}

function failureText(value: Value): string {
  const failure = value["failure"];
  if (!isRecord(failure)) return "no reason given";
  return `${String(failure["message"])}${wayOut(failure)}`;
}

/** Where only a person can mend it, what they can do comes with it. */
function wayOut({ details }: Value): string {
  if (!isRecord(details) || details["requires_human"] !== true || !Array.isArray(details["suggested_next_actions"])) return "";
  return details["suggested_next_actions"]
    .slice(0, 1)
    .map((action) => ` Next: ${String(action)}`)
    .join("");
}

function inner(value: Value): Value {
  return isRecord(value["value"]) ? value["value"] : {};
}

function isRecord(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(payload: string): Value {
  const value: unknown = JSON.parse(payload);
  return isRecord(value) ? value : {};
}
