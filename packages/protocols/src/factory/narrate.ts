import type { JournalEvent } from "@slipway/durable/chain";
import { eventLine } from "../narration/event-line.ts";
import type { Line } from "../narration/line.ts";
import { narrates, type NarratedStep, type StepLine } from "../narration/step-text.ts";
import type { RebuildPlan } from "./incremental/plan.ts";
import { planLines, planSummary } from "./incremental/text.ts";
import { TASK_NARRATION } from "./narrate-task.ts";
import { PRODUCT_STEPS, PROJECT_STEPS } from "./steps.ts";

const LONG_CHANGES = "`slipway inbox` shows what stays and what runs";

const PROJECT_NARRATION: readonly NarratedStep[] = [
  narrates(PROJECT_STEPS.initialise, {
    ends: ({ tasks, large }) => ({ text: `spec planned into tasks${large ? sizeText(tasks) : ""}`, good: true }),
  }),
  narrates(PROJECT_STEPS.dispatch, {
    ends: (decision) =>
      "task" in decision ? { feature: decision.task, text: `in progress${placeText(decision.place)}`, good: null } : null,
  }),
  narrates(PROJECT_STEPS.recheck, {
    ends: (rechecked) =>
      rechecked.kept ? { feature: rechecked.module_refs.join(", "), text: "kept: its tests pass with the new versions", good: true } : null,
  }),
  narrates(PROJECT_STEPS.release, {
    ends: (release) => {
      if (release === null) return null;
      const passed = release.overall_result === "PASS";
      return { text: `${release.release_id} ${passed ? "passes its gates" : "does not pass its gates"}`, good: passed };
    },
  }),
  narrates(PROJECT_STEPS.changes, { large: LONG_CHANGES, ends: changesLine }),
];

const PRODUCT_NARRATION: readonly NarratedStep[] = [
  narrates(PRODUCT_STEPS.tool, { ends: (result) => (result.ok ? outputLine(result.output) : null) }),
  narrates(PRODUCT_STEPS.changes, { large: LONG_CHANGES, ends: changesLine }),
];

/** Events of a factory run as text. The project is in the stream of the run; product and tasks have streams of their own. */
export function narrateFactory(event: JournalEvent): Line | null {
  const part = /^[^/]+(?:\/(product|task:\d+|new-version:[\d.]+))?$/.exec(event.stream);
  if (part === null) return null;
  const feature = part[1] ?? "project";
  const line = eventLine(rowsOf(part[1]), event);
  return line === null ? null : { feature, ...line };
}

function rowsOf(part: string | undefined): readonly NarratedStep[] {
  if (part === undefined) return PROJECT_NARRATION;
  return part === "product" ? PRODUCT_NARRATION : TASK_NARRATION;
}

/** Whether the step reports what an edited page changes. */
export function isChanges(kind: string, name: string): boolean {
  return kind === "step" && (PROJECT_STEPS.changes.partsOf(name) ?? PRODUCT_STEPS.changes.partsOf(name)) !== null;
}

function changesLine(plan: RebuildPlan): StepLine {
  return { text: planSummary(plan), more: planLines(plan), good: null, data: { plan } };
}

/** The result of a tool of the product owner: the emitted spec, or the faults of a draft. */
function outputLine(output: unknown): StepLine | null {
  const { spec_digest, errors = [] } = output as {
    readonly spec_digest?: string;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (spec_digest !== undefined) return { text: "spec emitted; it meets all 14 criteria", good: true };
  const [first] = errors;
  if (first === undefined) return null;
  const count = errors.length === 1 ? "1 fault" : `${errors.length} faults`;
  return { text: `the draft has ${count}, such as ${first.message}`, good: null };
}

/** Only mentioned for large projects. */
function sizeText(tasks: number): string {
  return `: ${tasks} tasks; \`slipway factory status\` shows progress`;
}

function placeText(place: readonly string[] | undefined): string {
  return place === undefined ? "" : `: ${place.join(" / ")}`;
}
