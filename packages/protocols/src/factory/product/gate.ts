import { z } from "zod";
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

/** Stays open until one of the three is given in its form. */
export function askGate(site: ProductSite, spec: ProductSpec, { sheet, emitted }: Refined, amendments: number): Promise<GateAnswer> {
  const sources = sourcesOf(sheet);
  const advisory = amendments >= ADVISED_AFTER ? ADVICE.replace("{n}", String(amendments)) : null;
  const { warnings, artifact_ref, spec_digest } = emitted;
  return site.ctx.ask(`gate:${sheet.context}.${sheet.round}`, {
    kind: "spec_approval",
    title: `Build ${spec.title} from this spec?`,
    body: [
      ...(advisory === null ? [] : [advisory]),
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
    context: { ...site.about, artifact_ref, spec_digest, warnings, sources, amendments, advisory },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  });
}

function sourceText({ query, urls, failed }: Source): string {
  if (failed !== undefined) return `"${query}": ${failed}`;
  return `"${query}": ${urls.length === 0 ? "nothing found" : urls.join(", ")}`;
}
