import { parseStrictJson } from "@slipway/kernel/schema/json";
import { readAs, refused, type Read } from "../contract/problems.ts";
import { firstState, type CrewMode } from "../states/states.ts";
import { statusSchema, type CrewStatus } from "./status.ts";

export interface SessionStart {
  readonly session: string;
  readonly mode: CrewMode;
  readonly at: string;
}

/** What the harness writes itself where the first dispatch has failed for good. */
export function emptyStatus({ session, mode, at }: SessionStart): CrewStatus {
  return {
    current_state: firstState(mode),
    session,
    mode,
    assumptions: [],
    user_decisions: [],
    retry_counts: {},
    known_issues: [],
    last_ci_result: "unknown",
    last_update: at,
  };
}

/** `status.json` as SpecAgent creates it: these fields with these values, the absent ones filled, `last_update` its own. */
export function createdStatus(text: string, start: SessionStart): Read<CrewStatus> {
  const json = parseStrictJson(text);
  if (!json.ok) return refused([`status.json: ${json.problem}`]);
  const given = typeof json.value === "object" && json.value !== null && !Array.isArray(json.value) ? json.value : {};
  const { session, mode } = start;
  const missing = ["current_state", "session", "assumptions", "known_issues", "user_decisions", "last_update"].filter(
    (key) => !Object.hasOwn(given, key),
  );
  if (missing.length > 0) return refused(missing.map((key) => `status.json: ${key} is missing`));
  const read = readAs(statusSchema, { mode, retry_counts: {}, last_ci_result: "unknown", ...given });
  if (!read.ok) return refused(read.problems.map((problem) => `status.json: ${problem}`));
  const due = emptyStatus(start);
  const fixed = [
    "current_state",
    "session",
    "mode",
    "assumptions",
    "known_issues",
    "user_decisions",
    "retry_counts",
    "last_ci_result",
  ] as const;
  const wrong = fixed.filter((key) => JSON.stringify(read.value[key]) !== JSON.stringify(due[key]));
  if (wrong.length > 0) return refused(wrong.map((key) => `status.json: ${key} must begin as ${JSON.stringify(due[key])} in ${session}`));
  return { ok: true, value: { ...due, last_update: read.value.last_update } };
}
