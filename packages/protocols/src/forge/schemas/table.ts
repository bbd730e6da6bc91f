import type { z } from "zod";
import type { ForgeRole, PlayedForgeRole } from "../agents.ts";
import { completionSchema } from "./completion.ts";
import { documentOf, documentSchemaOf, taskDocumentOf, taskDocumentSchema, type DispatchFacts, type Known } from "./documents.ts";
import { EXAMPLE_ANSWERS, EXAMPLE_BASELINE, EXAMPLE_TASK } from "./examples.ts";
import { fieldsOf, type FieldFacts } from "./field-facts.ts";
import { ROLE_PAYLOADS } from "./roles.ts";
import { taskPayload } from "./task.ts";

export const SCHEMA_NAMES = [
  "completion-contract",
  "research-output",
  "spec-output",
  "design-output",
  "plan-output",
  "task-schema",
  "implementation-report",
  "verification-report",
  "review-findings",
  "knowledge-output",
] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

export interface SchemaEntry {
  readonly name: SchemaName;
  readonly purpose: string;
  readonly producer: ForgeRole | "all agents";
  readonly consumers: readonly ForgeRole[];
  /** The files of the run folder; of the completion contract none. */
  readonly files: readonly string[];
  /** The whole file; of the completion contract, the block. */
  readonly schema: z.ZodType;
  /** Types, allowed values and minimum entries of the payload; of the completion contract, of the block. */
  readonly fields: readonly FieldFacts[];
  /** Satisfies `schema`. */
  readonly example: object;
}

const facts = (instance: string, step: string, ...output_paths: string[]): DispatchFacts => {
  return { instance, step, started_at: "2026-02-26T14:31:00Z", completed_at: "2026-02-26T14:41:00Z", output_paths };
};

type Texts = Pick<SchemaEntry, "purpose" | "consumers" | "files">;

function entry<R extends PlayedForgeRole>(role: R, texts: Texts, at: DispatchFacts, ...known: Known<R>): SchemaEntry {
  const { document, payload } = ROLE_PAYLOADS[role];
  const example = documentOf<R>(role, EXAMPLE_ANSWERS[role], at, ...known);
  return { name: document, producer: role, ...texts, schema: documentSchemaOf(role), fields: fieldsOf(payload), example };
}

/** The ten documents in the order of the pipeline. */
export const SCHEMAS: readonly SchemaEntry[] = [
  {
    name: "completion-contract",
    purpose: "How a dispatch ended. It is the first block of every output file, and all that routing reads of it.",
    producer: "all agents",
    consumers: ["orchestrator"],
    files: [],
    schema: completionSchema,
    fields: fieldsOf(completionSchema),
    example: { ...EXAMPLE_ANSWERS.verifier.completion, output_paths: ["verification-reports/task-01.yaml"] },
  },
  entry(
    "researcher",
    { purpose: "What the repository says about the request.", consumers: ["spec", "designer"], files: ["research/<focus>.yaml"] },
    facts("researcher-architecture", "1", "research/architecture.yaml", "research/architecture.md"),
    { focus: "architecture" },
  ),
  entry(
    "spec",
    {
      purpose: "Requirements, acceptance criteria and concerns.",
      consumers: ["designer", "planner", "implementer", "verifier"],
      files: ["spec-output.yaml"],
    },
    facts("spec", "2", "spec-output.yaml", "feature.md"),
  ),
  entry(
    "designer",
    {
      purpose: "Design decisions with their justification.",
      consumers: ["planner", "implementer", "adversarial-reviewer"],
      files: ["design-output.yaml"],
    },
    facts("designer", "3", "design-output.yaml", "design.md"),
  ),
  entry(
    "planner",
    {
      purpose: "Tasks with risks, waves and the overall risk.",
      consumers: ["orchestrator", "implementer", "verifier"],
      files: ["plan-output.yaml"],
    },
    facts("planner", "4", "plan-output.yaml", "plan.md", "tasks/task-01.yaml"),
  ),
  {
    name: "task-schema",
    purpose: "One task with the only context its implementer receives.",
    producer: "planner",
    consumers: ["implementer", "verifier"],
    files: ["tasks/<task-id>.yaml"],
    schema: taskDocumentSchema,
    fields: fieldsOf(taskPayload),
    example: taskDocumentOf(EXAMPLE_ANSWERS.planner.completion, EXAMPLE_TASK, facts("planner", "4", "tasks/task-01.yaml")),
  },
  entry(
    "implementer",
    {
      purpose: "The baseline of a task, its changes and the implementer's own check.",
      consumers: ["verifier"],
      files: ["implementation-reports/<task-id>.yaml"],
    },
    facts("implementer-task-01", "5", "implementation-reports/task-01.yaml"),
    { task_id: "task-01", baseline: [EXAMPLE_BASELINE], ledger_entries: [1] },
  ),
  entry(
    "verifier",
    {
      purpose: "The results of the cascade for a task, its criteria and regressions. The ledger decides where they differ.",
      consumers: ["orchestrator", "adversarial-reviewer"],
      files: ["verification-reports/<task-id>.yaml"],
    },
    facts("verifier-task-01", "6", "verification-reports/task-01.yaml"),
    { task_id: "task-01" },
  ),
  entry(
    "adversarial-reviewer",
    {
      purpose: "A verdict with its findings. The harness writes the findings file, the verdict entry and the ledger row from it.",
      consumers: ["orchestrator", "knowledge-agent"],
      files: ["review-findings/<scope>-<model>.md", "review-verdicts/<scope>.yaml"],
    },
    facts("adversarial-reviewer-correctness", "7", "review-findings/code-claude-opus-4.6.md", "review-verdicts/code.yaml"),
    { reviewer_model: "claude-opus-4.6", review_focus: "correctness", scope: "code" },
  ),
  entry(
    "knowledge-agent",
    { purpose: "What later runs should know, and new entries of the decision log.", consumers: [], files: ["knowledge-output.yaml"] },
    facts("knowledge-agent", "8", "knowledge-output.yaml", "decisions.yaml"),
  ),
];
