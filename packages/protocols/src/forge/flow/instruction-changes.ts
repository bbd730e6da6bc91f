import { z } from "zod";
import { applyAgentPatch } from "../../change/agent-change.ts";
import { patchesOf } from "../../change/patches.ts";
import type { ForgeProgress } from "../progress.ts";
import { weakensSecurity } from "../rules/instructions.ts";
import type { KnowledgePayload } from "../schemas/knowledge.ts";
import { FORGE_STEPS } from "../steps.ts";

type InstructionChange = KnowledgePayload["instruction_changes"][number];

const answerSchema = z.strictObject({ decision: z.enum(["apply", "skip"]), comment: z.string().optional() });

/**
 * Changes of `.github/instructions/` are asked about in interactive mode, and applied and logged otherwise. One that weakens a security
 * check is refused in both. False if a person gave the change up.
 */
export async function applyInstructionChanges(progress: ForgeProgress, changes: readonly InstructionChange[]): Promise<boolean> {
  const { run } = progress;
  for (const [index, change] of changes.entries()) {
    const name = `instructions-${index + 1}`;
    const note = (text: string) => run.ctx.step(FORGE_STEPS.note.named(name), async () => text);
    const before = await run.ctx.step(`read:${name}`, () => run.change.services.kernel.features.readAt(run.id, "now", change.path));
    if (change.weakens || weakensSecurity(before, change.text)) {
      await note(`refused: the change of ${change.path} would weaken an existing security check`);
      continue;
    }
    if (run.ref.mode === "interactive" && !(await isApproved(progress, name, change))) {
      await note(`not applied: a person declined the change of ${change.path}`);
      continue;
    }
    const [diff = ""] = patchesOf([{ path: change.path, before, after: change.text }], { max_bytes: Infinity, max_files: 1 });
    const applied = await applyAgentPatch(run.change, {
      name,
      agent: "forge-knowledge-agent",
      diff,
      text: { summary: `instructions in ${change.path}`, acceptance_criteria: [`${change.path} has the new instructions`] },
    });
    if (applied.ok && applied.value === null) return false;
    await note(applied.ok ? `applied: the change of ${change.path}` : `not applied: ${change.path}: ${applied.failure.message}`);
  }
  return true;
}

async function isApproved({ run }: ForgeProgress, name: string, { path, text }: InstructionChange): Promise<boolean> {
  const { decision } = await run.ctx.ask(name, {
    kind: "forge_instructions",
    title: `${run.id}: change the instructions in ${path}?`,
    body: text,
    options: [
      { value: "apply", label: "make it part of this change" },
      { value: "skip", label: "leave the file as it is" },
    ],
    schema: answerSchema,
    context: { feature_id: run.id, path },
    answerableBy: ["person"],
  });
  return decision === "apply";
}
