import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import { nextActions } from "../../dispatch/pauses.ts";
import { planProject } from "../project/plan.ts";
import { specMarkdown } from "./markdown.ts";
import type { SpecDraft } from "./spec-draft.ts";
import type { ProductRun } from "./product-run.ts";
import type { ProductSpec } from "./spec.ts";

export interface Defect {
  readonly message: string;
  readonly actions: readonly string[];
}

/** Why a spec that passed the criteria cannot become a project, for example names that cannot become ids. */
export function findDefect({ ctx }: ProductRun, { context, round }: SpecDraft, spec: ProductSpec): Promise<Defect | null> {
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

/** Asks a person, and returns the message for the product owner. */
export async function askAboutDefect(run: ProductRun, { context, round }: SpecDraft, spec: ProductSpec, defect: Defect): Promise<string> {
  const name = `defect:${context}.${round}`;
  const answer = await run.ctx.ask(name, {
    kind: "spec_defect",
    title: `${spec.title} cannot be planned: ${defect.message}`,
    body: [...defect.actions, specMarkdown(spec)].join("\n\n"),
    options: [
      { value: "AMEND", label: "continue from this draft, with the defect and your comment" },
      { value: "GIVE_UP", label: run.givingUp },
    ],
    schema: defectAnswer,
    context: { ...run.about, defect: defect.message },
    answerableBy: ["person"],
  });
  if (answer.decision === "GIVE_UP") return run.giveUp(name, answer.comment);
  return ["The spec cannot be planned.", defect.message, ...defect.actions, ...(answer.comment === undefined ? [] : [answer.comment])].join(
    "\n",
  );
}
