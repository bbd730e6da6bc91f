import { z } from "zod";
import type { ContextPackDraft } from "./ports.ts";
import { modulesIn } from "./role-view.ts";
import type { TaskRun } from "./task-run.ts";

const answerSchema = z.strictObject({ decision: z.enum(["restore", "retry", "give_up"]), comment: z.string().optional() });

/** Records the context pack before the role is asked. If a shipped file in it was changed, a person decides first. */
export async function keepPack(run: TaskRun, step: string, draft: ContextPackDraft): Promise<string> {
  const { store, view } = run.services;
  for (let round = 1; ; round++) {
    const name = `pack:${step}${round === 1 ? "" : `^${round}`}`;
    const pack = await run.keep(name, async (call): Promise<{ context_pack_id: string } | { changed: readonly string[] }> => {
      const changed = await view.changed(modulesIn(draft.included_refs));
      return changed.length > 0 ? { changed } : store.keepContextPack(call, draft);
    });
    if ("context_pack_id" in pack) return pack.context_pack_id;
    await askAboutChange(run, name, pack.changed);
  }
}

async function askAboutChange(run: TaskRun, name: string, changed: readonly string[]): Promise<void> {
  const answer = await run.ctx.ask(`changed:${name}`, {
    kind: "mend",
    title: `${run.subject} cannot continue: ${changed.length === 1 ? "a shipped file was" : "shipped files were"} changed`,
    body: [
      ...changed.map((one) => `.slipway/state_store/${one}`),
      "Shipped files never change, and Slipway does not build on edited ones. The record is intact.",
    ].join("\n"),
    options: [
      { value: "restore", label: "rewrite these files from the record and continue" },
      { value: "retry", label: "check again (you have restored the files)" },
      { value: "give_up", label: run.givingUp },
    ],
    schema: answerSchema,
    context: { ...run.about, changed: [...changed] },
    answerableBy: ["person"],
  });
  if (answer.decision === "give_up") await run.giveUp(name, answer.comment);
  if (answer.decision === "restore") await run.ctx.step(`restore:${name}`, () => run.services.view.restore());
}
