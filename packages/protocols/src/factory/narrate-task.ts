import { narrates, type NarratedStep, type StepLine } from "../narration/step-text.ts";
import type { RaiseAnswer } from "./engineering/ports.ts";
import type { Inspection } from "./engineering/inspection.ts";
import type { CheckedPlan } from "./engineering/plan-rules.ts";
import type { DebateRoute } from "./engineering/debate/rules.ts";
import type { Witnessed, WitnessVerdict } from "./engineering/debate/witness.ts";
import { TASK_STEPS } from "./steps.ts";

const ROUTES: Readonly<Record<DebateRoute, StepLine>> = {
  revise: { text: "objections stand: revised", good: null },
  adjudicate: { text: "sent to the Arbiter", good: null },
  amend: { text: "approved with amendments", good: null },
  ship: { text: "approved", good: true },
  halt: { text: "no agreement: a person has to decide", good: false },
};

const SHIPPED = (_result: null, module: string): StepLine => ({ feature: module, text: "tested, sealed and indexed", good: true });

/** The plan of a task, and debate and shipping of each module. */
export const TASK_NARRATION: readonly NarratedStep[] = [
  narrates(TASK_STEPS.planChecked, { ends: (checked) => ({ feature: "plan", ...planLine(checked) }) }),
  narrates(TASK_STEPS.reuse, {
    ends: (shipped, module) =>
      shipped === null
        ? null
        : { feature: module, text: `reused from the code index: ${shipped.module_id}@${shipped.version}`, good: true },
  }),
  narrates(TASK_STEPS.inspect, { ends: (inspection, module) => ({ feature: module, ...inspectionLine(inspection) }) }),
  narrates(TASK_STEPS.witnesses, { ends: witnessLine }),
  narrates(TASK_STEPS.route, {
    ends: ({ next }, module, round) => ({ feature: module, ...ROUTES[next], text: `round ${round}: ${ROUTES[next].text}` }),
  }),
  narrates(TASK_STEPS.amended, {
    ends: ({ length }, module) =>
      length === 0
        ? { feature: module, text: "amendments applied and checked", good: null }
        : { feature: module, text: `${length} amendments not applied`, good: false },
  }),
  narrates(TASK_STEPS.register, { ends: SHIPPED }),
  narrates(TASK_STEPS.registerAmended, { ends: SHIPPED }),
  narrates(TASK_STEPS.exception, { ends: (raised, step) => ({ feature: step.split("/")[0] ?? step, ...exceptionLine(raised) }) }),
  narrates(TASK_STEPS.supersede, {
    ends: ({ module_ref }) =>
      module_ref === undefined ? null : { feature: module_ref, text: "superseded by the new version", good: null },
  }),
  narrates(TASK_STEPS.finalize, {
    ends: (_result, exception) => ({ feature: exception, text: "changed contract agreed; building it", good: true }),
  }),
];

function planLine(checked: CheckedPlan): StepLine {
  if (!checked.ok) return { text: `refused: ${checked.problems[0]?.message ?? "no reason given"}`, good: false };
  const named = checked.draft.modules.map(({ module_id, reuse_decision }) => {
    const like = (checked.alike[module_id] ?? []).map(({ module_ref }) => module_ref);
    const flagged = like.length === 0 ? "new" : `new, similar to ${like.join(", ")}: reason in the plan`;
    return `${module_id} (${reuse_decision === "REUSE" ? "reused" : flagged})`;
  });
  return { text: named.join(", "), good: null };
}

/** The inspection by the harness, before the challenge. */
function inspectionLine({ summary, findings }: Inspection): StepLine {
  const passed = summary.filter(({ result }) => result === "PASS").length;
  const ran = `${passed} of ${summary.length} tests pass`;
  const [finding] = findings;
  return finding === undefined
    ? { text: `proposed; ${ran}, surface matches the contract`, good: null }
    : { text: `proposed; ${ran}; found by the harness: ${finding.evidence}`, good: null };
}

/** Findings of the harness were already reported with the inspection. */
const VERDICTS: Readonly<Record<WitnessVerdict, ((report: string) => string) | null>> = {
  fact: null,
  upheld: (report) => `objection upheld: ${shortened(report)}`,
  refuted: (report) => `objection refuted: ${shortened(report)}`,
  opinion: (report) => `objection is an opinion: ${shortened(report)}`,
  document: () => "objection to a document stands",
};

function witnessLine(witnesses: readonly Witnessed[], module: string): StepLine | null {
  const texts = witnesses.flatMap(({ standing, report }) => VERDICTS[standing]?.(report) ?? []);
  return texts.length === 0 ? null : { feature: module, text: texts.join("; "), good: null };
}

/** Removes the repeated name from the report of a witness with one test of the same name. */
function shortened(report: string): string {
  return report
    .replace(/^"(.+?)" was run and fails: "\1": (?:AssertionError: )?/, '"$1" was run and fails: ')
    .replace(/^"(.+?)" was run and passes: \1$/, '"$1" was run and passes');
}

function exceptionLine(raised: RaiseAnswer): StepLine {
  return raised.ok
    ? { text: `needs a changed contract of another module: ${raised.exception_id}`, good: null }
    : { text: "interface change refused", good: null };
}
