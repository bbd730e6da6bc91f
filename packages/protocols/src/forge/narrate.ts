import { narrates, type NarratedStep, type StepLine } from "../narration/step-text.ts";
import { cutText, sentBackLines } from "../narration/sent-back.ts";
import type { RecordedGates, RecordedRoute } from "./steps.ts";
import { FORGE_STEPS } from "./steps.ts";

export const FORGE_NARRATION: readonly NarratedStep[] = [
  narrates(FORGE_STEPS.setup, {
    starts: "step 0: setting up",
    ends: ({ run_id, warnings }) => ({
      text: `step 0: run ${run_id}${warnings.length === 0 ? "" : `; ${warnings.join(" ")}`}`,
      good: warnings.length === 0 ? true : null,
    }),
  }),
  narrates(FORGE_STEPS.dispatch, { starts: (role, instance) => `${role} at work (${instance})` }),
  narrates(FORGE_STEPS.agent, {
    role: "agent",
    starts: (role, instance) => `${role} at work (${instance})`,
    large: "an agent has answered",
    ends: (reply, role, instance) =>
      reply.ok
        ? {
            text: `${role} (${instance}): ${reply.value.answer.completion.status}, ${reply.value.answer.completion.summary}`,
            good: reply.value.answer.completion.status === "DONE" ? true : null,
            ...sentBackLines(reply),
          }
        : { text: `${role} (${instance}) gave no valid output: ${cutText(reply.failure.message)}`, good: false },
  }),
  narrates(FORGE_STEPS.gates, { ends: gatesLine }),
  narrates(FORGE_STEPS.baseline, {
    starts: (task) => `${task}: baseline checks`,
    ends: ({ task_id, checks }) => ({ text: `${task_id}: ${checks} baseline rows`, good: null }),
  }),
  narrates(FORGE_STEPS.cascade, {
    starts: (task, round) => `${task}: checks, round ${round}`,
    ends: ({ task_id, passed, failed, infeasible }) => ({
      text: `${task_id}: ${passed} checks passed, ${failed} failed${infeasible === null ? "" : `; tier 3 infeasible: ${infeasible}`}`,
      good: failed === 0,
    }),
  }),
  narrates(FORGE_STEPS.revert, {
    starts: (task) => `${task}: reverting`,
    ends: (_result, task) => ({ text: `${task}: restored from the baseline tag`, good: null }),
  }),
  narrates(FORGE_STEPS.route, { ends: routeLine }),
  narrates(FORGE_STEPS.note, { ends: (text) => ({ text, good: null }) }),
  narrates(FORGE_STEPS.bundle, {
    starts: "step 8b: the evidence bundle",
    ends: ({ confidence }) => ({ text: `step 8b: evidence bundle written, confidence ${confidence}`, good: confidence !== "Low" }),
  }),
];

/** Each gate with its count and the SQL that decided. */
function gatesLine({ of, gates }: RecordedGates): StepLine {
  const text = gates.map(
    ({ gate, count, comparison, needed, passed }) => `${gate} ${count} ${comparison} ${needed} ${passed ? "holds" : "fails"}`,
  );
  return {
    text: `gates of ${of}: ${text.join("; ")}`,
    good: gates.every(({ passed }) => passed),
    more: gates.map(({ sql }) => sql.replaceAll(/\s+/g, " ")),
  };
}

const ACTION_TEXTS: Readonly<Record<RecordedRoute["action"]["type"], string>> = {
  proceed: "go on",
  pushback: "no concerns",
  retry: "dispatch once more",
  gate: "approval gate",
  go: "go on",
  "revise-design": "revise the design",
  "next-wave": "next wave",
  replan: "replan",
  revert: "revert",
  fix: "fix and review again",
  commit: "commit",
  "leave-staged": "leave the change staged",
  abort: "stop",
  fail: "ERROR",
};

function routeLine({ row, input, action, escalation }: RecordedRoute): StepLine {
  const concerns =
    action.type === "pushback" && action.how !== "none" ? `; its concerns are ${action.how === "ask" ? "asked about" : "logged"}` : "";
  const where = action.type === "go" ? ` to step ${action.step}` : action.type === "fail" ? `: ${action.reason}` : "";
  const why = escalation === null ? "" : ` (${escalation})`;
  return {
    text: `row ${row}, ${input}: ${concerns === "" ? ACTION_TEXTS[action.type] : "go on"}${where}${concerns}${why}`,
    good: action.type === "fail" ? false : null,
  };
}
