import type { ForgeProgress } from "../progress.ts";
import { dispatchStep } from "../dispatch-step.ts";
import { payloadOf } from "../dispatch/run-documents.ts";
import { MEMORY_SCOPE } from "../dispatch/memories.ts";
import { DECISIONS_FILE, DESIGN_FILE, KNOWLEDGE_FILE, PLAN_FILE } from "../files.ts";
import { callOf } from "../forge-run.ts";
import { appendDecisions, decisionLogProblems, decisionLogSchema, type DecisionLogFile } from "../rules/decision-log.ts";
import type { DecisionRecord } from "../schemas/decision.ts";
import type { KnowledgePayload } from "../schemas/knowledge.ts";
import { recordedYaml, yamlText } from "../schemas/yaml.ts";
import { applyInstructionChanges } from "./instruction-changes.ts";

/** Step 8. A failure of the knowledge agent is recorded and changes nothing else. False if a person gave up. */
export async function learn(progress: ForgeProgress): Promise<boolean> {
  const { run } = progress;
  await dispatchStep(progress, {
    step: "8",
    dispatches: [{ role: "knowledge-agent", step: "8", instance: "knowledge", confidence: progress.confidence() }],
    input: async (agents) => ({ input: "knowledge", agents }),
    words: "knowledge capture",
  });
  const knowledge = await run.ctx.step("knowledge", () => payloadOf(run, "knowledge-agent", KNOWLEDGE_FILE));
  await keepDecisions(progress, knowledge);
  if (knowledge === null) return true;
  await keepMemories(progress, knowledge);
  return applyInstructionChanges(progress, knowledge.instruction_changes);
}

/** decisions.yaml is append-only, and the kernel keeps the same decisions for later runs. */
async function keepDecisions({ run }: ForgeProgress, knowledge: KnowledgePayload | null): Promise<void> {
  await run.ctx.step("decision-log", async () => {
    const design = await payloadOf(run, "designer", DESIGN_FILE);
    const plan = await payloadOf(run, "planner", PLAN_FILE);
    const added = [...(design?.decisions ?? []), ...(plan?.decisions ?? []), ...(knowledge?.decisions ?? [])];
    const text = await run.files.text(DECISIONS_FILE);
    const before: DecisionLogFile = text === null ? { decisions: [] } : recordedYaml(text, decisionLogSchema, DECISIONS_FILE);
    const after = appendDecisions(before, added);
    const problems = decisionLogProblems(before, after);
    if (problems.length > 0) throw new TypeError(problems.join("; "));
    await run.files.write(callOf(run, "decision-log"), { [DECISIONS_FILE]: yamlText(after) });
    if (added.length > 0)
      await run.change.services.kernel.decisions.appendAll(callOf(run, "decisions"), `feature:${run.id}`, added.map(draftOf));
  });
}

function draftOf({ title, alternatives, selected, rationale }: DecisionRecord) {
  const chosen = alternatives.find(({ id }) => id === selected)?.label ?? selected;
  return {
    constraint: `${title}: ${chosen}`,
    category: "design",
    source: "forge",
    phase: "design",
    rationale,
    confidence: "inferred",
  } as const;
}

/** The `store_memory` calls: later runs of any feature read them. */
async function keepMemories({ run }: ForgeProgress, { memories }: KnowledgePayload): Promise<void> {
  if (memories.length === 0) return;
  const drafts = memories.map(({ topic, text }) => {
    return { constraint: text, category: "memory", source: wordOf(topic), phase: "knowledge", confidence: "inferred" } as const;
  });
  await run.ctx.step("memories", async () => {
    await run.change.services.kernel.decisions.appendAll(callOf(run, "memories"), MEMORY_SCOPE, drafts);
  });
}

const LONGEST_WORD = 80;

/** The ledger of decisions takes a word as source. */
function wordOf(topic: string): string {
  const word = topic.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replaceAll(/^[^A-Za-z]+|-+$/g, "");
  return word.slice(0, LONGEST_WORD) || "memory";
}
