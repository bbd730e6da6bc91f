import { SlipwayError } from "../schema/errors.ts";
import { z } from "zod";
import type { GateSummary } from "../change/judge/gate.ts";
import { decisiveStep, gateStepSchema, shownStep } from "../change/judge/latest-evidence.ts";
import type { StepEvent } from "../change/judge/gates/run.ts";
import { tool, type ProgressNote, type ToolEvidence } from "./tool.ts";

const ratio = z.number().nullable();

const configuredSteps = z.array(
  z.strictObject({
    name: z.string(),
    cmd: z.array(z.string()),
    cwd: z.string().optional(),
    env: z.record(z.string(), z.string()).optional(),
    timeout_seconds: z.number().optional(),
    network: z.boolean().optional(),
  }),
);

const configuredProfile = z.strictObject({
  modes: z.strictObject({ fast: configuredSteps, full: configuredSteps, merge: configuredSteps.optional() }),
});

export const gatesTools = [
  tool({
    name: "gates.list",
    kind: "read",
    description:
      "Returns the gate profiles of slipway/gates.yaml, as committed on the base branch: their modes (fast, full, merge) and the steps of each, " +
      "with command, folder and timeout. With `profile` only that one; an unknown name fails with unknown_gate_profile_or_mode.",
    input: z.strictObject({ profile: z.string().min(1).optional() }),
    output: z.strictObject({ profiles: z.record(z.string(), configuredProfile) }),
    call: async (kernel, { profile }) => ({ data: { profiles: kernel.features.gates(profile) } }),
  }),
  tool({
    name: "gates.run",
    kind: "mutating",
    description: [
      "Runs the steps of one gate mode in the feature's worktree, in a sandbox, in the order of gates.yaml, and records the results. Only this tool makes a gate passed.",
      "Run fast after a patch; full, and the policy's required_merge_mode, before a merge. A result belongs to the content it ran on: after the next patch it no longer counts. Only the profile of the accepted plan (the default here) counts for a merge.",
      "Stops at the first failed step and returns its code: gate_failed (the exit code was not 0, a test failed), gate_timeout, coverage_below_minimum, no_tests_ran, gate_command_missing; the end of its log is in the details, the whole log at log_path.",
      "An unknown profile or mode fails with unknown_gate_profile_or_mode, and nothing starts. If too many gates run, it waits for a slot. Cancelling the call kills every process of the gate; this is recorded and is not a result.",
    ].join(" "),
    input: z.strictObject({
      feature_id: z.string().min(1).describe("The feature's id."),
      profile: z.string().min(1).optional().describe("A profile of gates.yaml; default: the plan's."),
      mode: z.string().min(1).describe("fast, full, or merge if the profile has it."),
    }),
    output: z.strictObject({
      gate_id: z.string().describe("The id of the evidence; use it as an evidence reference."),
      profile: z.string(),
      mode: z.string(),
      tree: z.string().describe("The git tree on which the gate ran."),
      passed: z.literal(true),
      steps: z.array(gateStepSchema),
      tests: z.strictObject({ total: z.int(), passed: z.int(), failed: z.int(), skipped: z.int() }).nullable(),
      coverage: z.strictObject({ line: ratio, branch: ratio }).nullable(),
      sandbox: z.string(),
    }),
    async call(kernel, input, call) {
      const summary = await kernel.features.runGates(call, input, call.signal(), (event) => {
        const note = noteOf(event);
        if (note !== null) call.progress(note);
      });
      if (!summary.passed) throw failed(summary);
      const { id: gate_id, profile, mode, tree, steps, tests, coverage, sandbox } = summary;
      const measured = coverage === null ? null : { line: coverage.line, branch: coverage.branch };
      const shown = steps.map(shownStep);
      const data = { gate_id, profile, mode, tree, passed: true as const, steps: shown, tests, coverage: measured, sandbox };
      return { data, evidence: evidenceOf(summary) };
    },
  }),
];

function noteOf(event: StepEvent): ProgressNote | null {
  if (event.kind === "output") return null;
  if (event.kind === "started") return { done: event.index, total: event.of, message: `${event.name} started` };
  const { name, status, exitCode, durationMs } = event.result;
  const how = exitCode === null ? "" : ` with exit code ${exitCode}`;
  return { done: event.index + 1, total: event.of, message: `${name}: ${status}${how} after ${Math.round(durationMs)} ms` };
}

/** The gate's failure, with its evidence in the details. */
function failed(summary: GateSummary): SlipwayError {
  const { failure, id, profile, mode, tree, steps } = summary;
  const { log_path, command, exit_code } = evidenceOf(summary);
  return new SlipwayError(failure?.code ?? "gate_failed", failure?.message ?? `The ${mode} gate failed.`, {
    ...failure?.details,
    gate_id: id,
    profile,
    mode,
    tree,
    steps: steps.map(({ name, status, exit_code: code, log_path: log }) => ({ name, status, exit_code: code, log_path: log })),
    ...(log_path !== undefined && { log_path, command, exit_code }),
  });
}

function evidenceOf({ steps }: GateSummary): ToolEvidence {
  const decisive = decisiveStep(steps);
  const log_paths = steps.filter(({ status }) => status !== "skipped").map(({ log_path }) => log_path);
  if (decisive === undefined) return { log_paths };
  return { log_path: decisive.log_path, log_paths, command: decisive.command, exit_code: decisive.exit_code };
}
