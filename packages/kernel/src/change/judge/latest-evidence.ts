import { z } from "zod";
import { gateLogFolder, stepsWithLogs } from "./gates/log-folder.ts";
import { latestGateRun, type RecordedStep } from "./gates/store.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { findFeature } from "../feature/store.ts";

const TAIL_CHARACTERS = 4_000;

const startedSchema = z.strictObject({ path: z.string(), version: z.string().nullable() });

export const gateStepSchema = z.strictObject({
  name: z.string(),
  command: z.array(z.string()).describe("The command, executed without a shell."),
  status: z.enum(["pass", "fail", "skipped"]),
  exit_code: z.int().nullable().describe("Null if the step was stopped or did not run."),
  duration_ms: z.number(),
  log_path: z.string(),
  log_digest: z.string().nullable().describe("SHA-256 of the log in the object store; null if the log is empty."),
  program: startedSchema
    .extend({ interpreter: startedSchema.nullable().describe("The interpreter, if the program is a script.") })
    .nullish()
    .describe("The started program: its path, and its version if known. Null if the step did not start."),
  produced: z
    .array(z.strictObject({ path: z.string(), files: z.int(), bytes: z.int(), digest: z.string() }))
    .optional()
    .describe("Products copied to later steps."),
});

export const latestEvidenceSchema = z.strictObject({
  gate: z
    .strictObject({
      gate_id: z.string(),
      profile: z.string(),
      mode: z.string(),
      tree: z.string().describe("The git tree on which the gate ran."),
      current: z.boolean().describe("Whether this is still the feature's tree; only then does the result count."),
      passed: z.boolean(),
      failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
      steps: z.array(gateStepSchema),
      at: z.iso.datetime(),
    })
    .nullable()
    .describe("Null before the first gate run."),
  log: z
    .strictObject({ step: z.string(), path: z.string(), tail: z.string() })
    .nullable()
    .describe("The end of the log of the failed step, else of the last step that ran."),
});

export type LatestEvidence = z.infer<typeof latestEvidenceSchema>;

export function shownStep({ produced, ...step }: RecordedStep): z.infer<typeof gateStepSchema> {
  return { ...step, command: [...step.command], ...(produced === undefined ? {} : { produced: [...produced] }) };
}

/** The evidence of the last gate run. */
export async function latestEvidence({ db, objects, layout }: FeatureDependencies, id: string): Promise<LatestEvidence> {
  const feature = await findFeature(db, id);
  const run = await latestGateRun(db, id);
  if (run === null) return { gate: null, log: null };
  const { id: gate_id, profile, mode, tree, status, failure, at } = run;
  const steps = await stepsWithLogs(objects, gateLogFolder(layout, id, gate_id), run.steps);
  const decisive = decisiveStep(steps);
  return {
    gate: {
      gate_id,
      profile,
      mode,
      tree,
      current: tree === feature.tree,
      passed: status === "pass",
      failure: failure === null ? null : { code: failure.code, message: failure.message },
      steps: steps.map(shownStep),
      at: new Date(at).toISOString(),
    },
    log: decisive === undefined ? null : { step: decisive.name, path: decisive.log_path, tail: await tailOf(decisive.log_digest) },
  };

  async function tailOf(digest: string | null): Promise<string> {
    if (digest === null) return "";
    return Buffer.from(await objects.get(digest))
      .toString("utf8")
      .slice(-TAIL_CHARACTERS);
  }
}

/** The step that failed, else the last that ran. */
export function decisiveStep(steps: readonly RecordedStep[]): RecordedStep | undefined {
  return steps.find(({ status }) => status === "fail") ?? steps.findLast(({ status }) => status !== "skipped");
}
