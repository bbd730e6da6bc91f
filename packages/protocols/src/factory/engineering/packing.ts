import { z } from "zod";
import type { ContextPackDraft } from "./ports.ts";
import { modulesIn } from "./seen.ts";
import type { EngineeringSite } from "./site.ts";

const answerSchema = z.strictObject({ decision: z.enum(["restore", "retry", "give_up"]), comment: z.string().optional() });

/** Before a role is asked: what it is to see is as it was shipped, and on record. Otherwise a person decides first. */
export async function keepPack(site: EngineeringSite, step: string, draft: ContextPackDraft): Promise<string> {
  const { store, view } = site.shop;
  for (let round = 1; ; round++) {
    const name = `pack:${step}${round === 1 ? "" : `^${round}`}`;
    const kept = await site.keep(name, async (call): Promise<{ context_pack_id: string } | { changed: readonly string[] }> => {
      const changed = await view.changed(modulesIn(draft.included_refs));
      return changed.length > 0 ? { changed } : store.keepContextPack(call, draft);
    });
    if ("context_pack_id" in kept) return kept.context_pack_id;
    await askAboutChange(site, name, kept.changed);
  }
}

async function askAboutChange(site: EngineeringSite, name: string, changed: readonly string[]): Promise<void> {
  const answer = await site.ctx.ask(`changed:${name}`, {
    kind: "mend",
    title: `${site.subject} cannot go on: ${changed.length === 1 ? "a shipped file has" : "shipped files have"} been changed`,
    body: [
      ...changed.map((one) => `.slipway/state_store/${one}`),
      "What is shipped never changes, and nothing is built on what somebody has put there instead. The record of it is whole.",
    ].join("\n"),
    options: [
      { value: "restore", label: "write these files as they were shipped, from the record, and go on" },
      { value: "retry", label: "you have put them right: look again" },
      { value: "give_up", label: site.givingUp },
    ],
    schema: answerSchema,
    context: { ...site.about, changed: [...changed] },
    answerableBy: ["person"],
  });
  if (answer.decision === "give_up") await site.giveUp(name, answer.comment);
  if (answer.decision === "restore") await site.ctx.step(`restore:${name}`, () => site.shop.view.restore());
}
