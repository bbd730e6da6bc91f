import { sentBackLines } from "../narration/sent-back.ts";
import { narrates, type NarratedStep } from "../narration/step-text.ts";
import { CREW_STEPS } from "./steps.ts";

export const CREW_NARRATION: readonly NarratedStep[] = [
  narrates(CREW_STEPS.state, {
    ends: ({ problem, why }, _number, state) =>
      problem === null
        ? { text: `${state}: ${why}`, good: state === "BLOCKED" ? false : state === "DONE" ? true : null }
        : { text: `status.json is not saved: ${problem}`, good: false },
  }),
  narrates(CREW_STEPS.dispatch, { starts: (role) => `${role} at work` }),
  narrates(CREW_STEPS.check, {
    starts: (role) => `checks before the dispatch of ${role}`,
    ends: (checked, role) =>
      checked.kind === "prevented" ? { text: `${role} was not dispatched: ${checked.problems.join("; ")}`, good: false } : null,
  }),
  narrates(CREW_STEPS.agent, {
    role: "agent",
    starts: (role) => `${role} at work`,
    large: "an agent has answered",
    ends: (reply, role) =>
      reply.ok
        ? {
            text: `${role}: ${reply.value.output.status}, ${reply.value.output.summary}`,
            good: reply.value.output.status === "OK" ? true : null,
            ...sentBackLines(reply),
          }
        : { text: `${role} gave no valid answer: ${reply.failure.message}`, good: false },
  }),
  narrates(CREW_STEPS.counts, {
    ends: ({ tests }) => ({ text: `checks: ${tests.passed} passed, ${tests.failed} failed`, good: tests.failed === 0 }),
  }),
];
