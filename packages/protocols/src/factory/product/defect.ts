import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { nextActions } from "../../pausing.ts";
import { planProject } from "../project/plan.ts";
import { specMarkdown } from "./markdown.ts";
import type { Sheet } from "./sheet.ts";
import type { ProductSite } from "./site.ts";
import type { ProductSpec } from "./spec.ts";

export interface Defect {
  readonly message: string;
  readonly actions: readonly string[];
}

/** Why no project can be made of a spec that the criteria have let through: names that cannot become ids, most of all. */
export function findDefect({ ctx }: ProductSite, { context, round }: Sheet, spec: ProductSpec): Promise<Defect | null> {
  return ctx.step(`plannable:${context}.${round}`, async () => {
    try {
      planProject(spec);
      return null;
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.code !== "spec_ingest_failed") throw error;
      return { message: error.message, actions: nextActions(error) };
    }
  });
}

const defectAnswer = z.strictObject({ decision: z.enum(["AMEND", "GIVE_UP"]), comment: z.string().optional() });

/** What the product owner is told, once a person has said that it shall go on. */
export async function askAboutDefect(site: ProductSite, { context, round }: Sheet, spec: ProductSpec, defect: Defect): Promise<string> {
  const name = `defect:${context}.${round}`;
  const answer = await site.ctx.ask(name, {
    kind: "spec_defect",
    title: `${spec.title} cannot be planned as it is: ${defect.message}`,
    body: [...defect.actions, specMarkdown(spec)].join("\n\n"),
    options: [
      { value: "AMEND", label: "the product owner goes on from this draft, with the fault and your comment" },
      { value: "GIVE_UP", label: site.givingUp },
    ],
    schema: defectAnswer,
    context: { ...site.about, defect: defect.message },
    answerableBy: ["person"],
  });
  if (answer.decision === "GIVE_UP") return site.giveUp(name, answer.comment);
  return [
    "The spec cannot be planned as it is.",
    defect.message,
    ...defect.actions,
    ...(answer.comment === undefined ? [] : [answer.comment]),
  ].join("\n");
}
