import { z } from "zod";
import type { RebuildPlan } from "../incremental/plan.ts";
import { planLines } from "../incremental/text.ts";
import { list, specMarkdown } from "./markdown.ts";
import type { Refined } from "./refine.ts";
import { sourcesOf, type Source } from "./sheet.ts";
import type { ProductSite } from "./site.ts";
import type { ProductSpec } from "./spec.ts";

const said = z.string().regex(/\S/, "must not be empty");

/** What a person may do with an emitted spec. */
export const gateAnswer = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("APPROVE") }),
  z.strictObject({ decision: z.literal("REJECT"), reasons: said.describe("Why it is unacceptable.") }),
  z.strictObject({ decision: z.literal("AMEND"), feedback: said.describe("What is to be changed or added.") }),
]);

export type GateAnswer = z.infer<typeof gateAnswer>;

/** After so many amendments in a row a person is told that there are other ways. */
const ADVISED_AFTER = 3;
const ADVICE =
  "This spec has been amended {n} times in a row. Consider APPROVE, with its known limitations, or REJECT, with requirements that say more. You may go on amending.";
const REMIND_AFTER_MS = [60 * 60 * 1000, 24 * 60 * 60 * 1000];

export interface Gate {
  readonly spec: ProductSpec;
  readonly refined: Refined;
  readonly amendments: number;
  /** What of an earlier project stays, and what runs. */
  readonly changes: RebuildPlan | null;
}

/** Stays open until one of the three is given in its form. */
export function askGate(site: ProductSite, { spec, refined, amendments, changes }: Gate): Promise<GateAnswer> {
  const { sheet, emitted } = refined;
  const sources = sourcesOf(sheet);
  const advisory = amendments >= ADVISED_AFTER ? ADVICE.replace("{n}", String(amendments)) : null;
  const { warnings, artifact_ref, spec_digest } = emitted;
  return site.ctx.ask(`gate:${sheet.context}.${sheet.round}`, {
    kind: "spec_approval",
    title: `Build ${spec.title} from this spec?`,
    body: [
      ...(advisory === null ? [] : [advisory]),
      ...(changes === null ? [] : [`What runs when you approve:\n\n${planLines(changes).join("\n")}`]),
      specMarkdown(spec),
      warnings.length === 0 ? "No warnings." : `Warnings:\n\n${list(warnings.map(({ path, message }) => `${path}: ${message}`))}`,
      sources.length === 0 ? "Nothing was searched for on the web." : `Research:\n\n${list(sources.map(sourceText))}`,
    ].join("\n\n"),
    options: [
      { value: "APPROVE", label: "the spec is accepted as it is, and the project begins" },
      { value: "REJECT", label: "start over from SPEC.md and your `reasons`; this draft and its research are dropped" },
      { value: "AMEND", label: "go on from this draft with your `feedback`" },
    ],
    schema: gateAnswer,
    context: {
      ...site.about,
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
