import { z } from "zod";
import type { RebuildPlan } from "../incremental/plan.ts";
import { planLines } from "../incremental/text.ts";
import { list, specMarkdown } from "./markdown.ts";
import type { Refined } from "./refine.ts";
import { sourcesOf, type Source } from "./spec-draft.ts";
import type { ProductRun } from "./product-run.ts";
import type { ProductSpec } from "./spec.ts";

const nonEmpty = z.string().regex(/\S/, "must not be empty");

/** A person's answer to an emitted spec. */
export const gateAnswer = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("APPROVE") }),
  z.strictObject({ decision: z.literal("REJECT"), reasons: nonEmpty.describe("Why it is unacceptable.") }),
  z.strictObject({ decision: z.literal("AMEND"), feedback: nonEmpty.describe("What is to be changed or added.") }),
]);

export type GateAnswer = z.infer<typeof gateAnswer>;

/** After this many amendments in a row the question suggests other decisions. */
const ADVISED_AFTER = 3;
const ADVICE =
  "This spec has been amended {n} times in a row. Consider APPROVE, with its known limitations, or REJECT, with requirements that say more. You may also AMEND again.";
const REMIND_AFTER_MS = [60 * 60 * 1000, 24 * 60 * 60 * 1000];

export interface ProductGate {
  readonly spec: ProductSpec;
  readonly refined: Refined;
  readonly amendments: number;
  /** What stays of an earlier project, and what runs. */
  readonly changes: RebuildPlan | null;
}

/** Asks until one of the three answers has a valid form. */
export function askGate(run: ProductRun, { spec, refined, amendments, changes }: ProductGate): Promise<GateAnswer> {
  const { draft, emitted } = refined;
  const sources = sourcesOf(draft);
  const advisory = amendments >= ADVISED_AFTER ? ADVICE.replace("{n}", String(amendments)) : null;
  const { warnings, artifact_ref, spec_digest } = emitted;
  return run.ctx.ask(`gate:${draft.context}.${draft.round}`, {
    kind: "spec_approval",
    title: `Build ${spec.title} from this spec?`,
    body: [
      ...(advisory === null ? [] : [advisory]),
      ...(changes === null ? [] : [`What runs when you approve:\n\n${planLines(changes).join("\n")}`]),
      specMarkdown(spec),
      warnings.length === 0 ? "No warnings." : `Warnings:\n\n${list(warnings.map(({ path, message }) => `${path}: ${message}`))}`,
      sources.length === 0 ? "No web research." : `Research:\n\n${list(sources.map(sourceText))}`,
    ].join("\n\n"),
    options: [
      { value: "APPROVE", label: "accept the spec and start the project" },
      { value: "REJECT", label: "start over from SPEC.md with your `reasons`; this draft and its research are dropped" },
      { value: "AMEND", label: "continue from this draft with your `feedback`" },
    ],
    schema: gateAnswer,
    context: {
      ...run.about,
      artifact_ref,
      spec_digest,
      warnings,
      sources,
      amendments,
      advisory,
      ...(changes === null ? {} : { changes }),
    },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  });
}

function sourceText({ query, urls, failed }: Source): string {
  if (failed !== undefined) return `"${query}": ${failed}`;
  return `"${query}": ${urls.length === 0 ? "nothing found" : urls.join(", ")}`;
}
