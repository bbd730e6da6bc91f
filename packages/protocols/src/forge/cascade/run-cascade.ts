import type { Call } from "@slipway/kernel/record/operations/call";
import type { CommandResult } from "@slipway/kernel/change/judge/commands/operation";
import type { CommandsWatch } from "@slipway/kernel/change/judge/commands/run-commands";
import type { FeatureOperations } from "@slipway/kernel/change/feature/operations";
import type { ForgeLedger } from "../ledger/ledger.ts";
import type { CheckRow } from "../ledger/rows.ts";
import type { TaskSize } from "../schemas/enums.ts";
import { CANNOT_CHECK } from "./check-scripts.ts";
import { inspectFiles, inspectPaths, type InspectedFile, type HarnessInspection } from "./inspect-files.ts";
import { planCascade, type CascadeCommand, type CascadeKind } from "./plan-cascade.ts";
import { judgeReadiness } from "./readiness.ts";
import { smokeCommand, type SmokeScript } from "./smoke.ts";
import type { Tooling } from "./tooling.ts";

export interface CascadeServices {
  readonly features: Pick<FeatureOperations, "runCommands" | "readAt">;
  readonly ledger: ForgeLedger;
  /** Every path of the feature's base or of its recorded tree. */
  readonly paths: (feature: string, tree: "base" | "now") => Promise<readonly string[]>;
}

export interface CascadeInput {
  readonly run_id: string;
  readonly feature_id: string;
  readonly task: { readonly id: string; readonly size: TaskSize; readonly files: readonly string[] };
  /** The baseline is taken on the base tree, before the task's first change. */
  readonly phase: "baseline" | "after";
  readonly round: number;
  readonly tooling: Tooling;
  /** Files of tasks that are not verified yet, and the tree from before their first change: this task is not judged by them. */
  readonly restored?: { readonly from: string; readonly paths: readonly string[] };
  /** The implementer's, for Tier 3. */
  readonly smoke?: SmokeScript | null;
  /** `failed_tests` of the task's baseline. */
  readonly baseline_failed_tests?: Readonly<Record<string, number>>;
}

export interface CascadeOutcome {
  /** The rows of the ledger, in the order in which the checks ran. */
  readonly rows: readonly CheckRow[];
  /** The build failed, so nothing after it ran. */
  readonly stopped_at_build: boolean;
  /** Whether code of the project ran: tests, an import or a smoke script. */
  readonly ran_code: boolean;
  /** Why Tier 3 was required and impossible; null otherwise. */
  readonly infeasible: string | null;
  /** How many tests failed, by the name of their check. */
  readonly failed_tests: Readonly<Record<string, number>>;
  /** Checks that could not run here, and tools that were left out. */
  readonly notes: readonly string[];
}

/**
 * Runs the tiers on one tree for one task and records a row for every check that ran. Repeating it under the same operation id runs
 * nothing again.
 */
export async function runCascade(
  services: CascadeServices,
  call: Call,
  input: CascadeInput,
  watch: CommandsWatch = {},
): Promise<CascadeOutcome> {
  const { task, phase, tooling } = input;
  const tree = phase === "baseline" ? "base" : "now";
  const paths = await services.paths(input.feature_id, tree);
  const existing = task.files.filter((path) => paths.includes(path));
  const files = await inspected(services, input.feature_id, existing, tree);
  const plan = planCascade(tooling, existing);
  const of = (...kinds: readonly CascadeKind[]) => plan.filter(({ kind }) => kinds.includes(kind));
  const record = recorder(services, call, input, tree, watch);

  const planned = phase === "baseline" ? [inspectPaths(task.files, paths)] : [];
  await record.inspections("tier-1", [...planned, ...inspectFiles(files, paths)]);
  await record.commands("tier-1", of("syntax"));
  const stopped_at_build = (await record.commands("build", of("build"))).some(isFailure);
  let infeasible: string | null = null;
  let ran_code = false;
  if (!stopped_at_build) {
    const rest = await record.commands("tier-2", of("typecheck", "lint", "tests"));
    ran_code = rest.some(({ kind, result }) => kind === "tests" && ranTests(result));
    await record.inspections("tests", worseTests(record.failedTests(), input));
    if (!ran_code) {
      const smoke = phase === "baseline" || input.smoke == null ? null : smokeCommand(input.smoke, existing);
      const third = [...of("import"), ...(smoke === null || typeof smoke === "string" ? [] : [smoke])];
      ran_code = (await record.commands("tier-3", third)).length > 0;
      if (!ran_code && phase === "after") infeasible = whyInfeasible(third, typeof smoke === "string" ? smoke : null);
      if (infeasible !== null) await record.infeasible(infeasible);
    }
    if (phase === "after" && task.size === "Large") await record.inspections("tier-4", judgeReadiness(files));
  }
  const { rows, notes } = record;
  return { rows, stopped_at_build, ran_code, infeasible, failed_tests: record.failedTests(), notes: [...tooling.notes, ...notes] };
}

interface RanCascadeCommand {
  readonly kind: CascadeKind;
  readonly result: CommandResult;
}

function recorder(
  { features, ledger }: CascadeServices,
  { actor, operationId }: Call,
  { run_id, feature_id, task, phase, round, restored }: CascadeInput,
  tree: "base" | "now",
  watch: CommandsWatch,
) {
  const rows: CheckRow[] = [];
  const notes: string[] = [];
  const failed: Record<string, number> = {};
  const evidence = { run_id, task_ids: [task.id], phase, round };
  const step = (name: string): Call => ({ actor, operationId: `${operationId}/${name}` });
  return {
    rows,
    notes,
    failedTests: () => failed,
    /** Runs the commands and records those that had a result. A failed build ends its batch. */
    async commands(name: string, commands: readonly CascadeCommand[]): Promise<RanCascadeCommand[]> {
      if (commands.length === 0) return [];
      const request = {
        feature_id,
        tree,
        ...(restored === undefined ? {} : { restored: { from: restored.from, paths: [...restored.paths] } }),
        stop_at_failure: name === "build",
        commands: commands.map(commandInput),
      };
      const { results } = await features.runCommands(step(`run-${name}`), request, watch);
      const ran = commands.flatMap((command, index) => {
        const result = results[index];
        if (result?.check_id == null) return [];
        if (command.optional && hasNoResult(result)) {
          notes.push(`${command.name} could not run: ${lastLine(result.output)}`);
          return [];
        }
        if (result.tests !== null) failed[command.name] = result.tests.failed;
        return [{ kind: command.kind, result, tool: command.tool, check_id: result.check_id }];
      });
      const checks = ran.map(({ check_id, tool, result }) => ({ check_id, tool, command: shown(result.command), output: result.output }));
      if (checks.length > 0) rows.push(...(await ledger.recordChecks(step(`record-${name}`), { ...evidence, feature_id, checks })));
      return ran;
    },
    async inspections(name: string, inspections: readonly HarnessInspection[]): Promise<void> {
      if (inspections.length === 0) return;
      rows.push(...(await ledger.recordInspections(step(`inspect-${name}`), { ...evidence, inspections: [...inspections] })));
    },
    async infeasible(explanation: string): Promise<void> {
      const marker = { run_id, task_id: task.id, round, marker: "tier3-infeasible", explanation } as const;
      rows.push(await ledger.recordMarker(step("infeasible"), marker));
    },
  };
}

function commandInput({ name, command, cwd = ".", timeout_seconds, files = {} }: CascadeCommand) {
  return { name, command, cwd, files: { ...files }, ...(timeout_seconds === undefined ? {} : { timeout_seconds }) };
}

const isFailure = ({ result }: RanCascadeCommand) => result.status === "fail";

/** A runner that says nothing of its tests, or that ran none, is no evidence that code ran. */
function ranTests({ tests }: CommandResult): boolean {
  return tests !== null && tests.total > tests.skipped;
}

/** The program is missing, a check says that it cannot work here, or a loaded module never ended. */
function hasNoResult({ status, exit_code, timed_out }: CommandResult): boolean {
  return status === "fail" && (timed_out || exit_code === null || exit_code === CANNOT_CHECK || exit_code === 126 || exit_code === 127);
}

/** Tests that failed on the base excuse a failure, but not more failed tests than there were. */
function worseTests(
  failed: Readonly<Record<string, number>>,
  { phase, baseline_failed_tests: before = {} }: CascadeInput,
): HarnessInspection[] {
  if (phase === "baseline") return [];
  return Object.entries(failed).flatMap(([name, after]) => {
    const known = before[name] ?? 0;
    if (known === 0 || after <= known) return [];
    return [
      { check_name: `${name}-worse`, passed: false, output: `${name}: ${known} tests failed on the base, ${after} fail after the change.` },
    ];
  });
}

function whyInfeasible(tried: readonly CascadeCommand[], smokeProblem: string | null): string {
  const smoke = smokeProblem ?? "there is no smoke script";
  const load = tried.length === 0 ? "No changed file can be loaded by itself" : "Loading the changed files gave no result here";
  return `No test ran in Tiers 1 and 2. ${load}, and ${smoke}.`;
}

async function inspected(
  { features }: CascadeServices,
  feature: string,
  paths: readonly string[],
  tree: "base" | "now",
): Promise<InspectedFile[]> {
  const files: InspectedFile[] = [];
  for (const path of paths)
    files.push({ path, text: await features.readAt(feature, tree, path), base: await features.readAt(feature, "base", path) });
  return files;
}

const SHOWN = 300;

/** The scripts of Slipway's own checks are long. */
function shown(command: readonly string[]): string {
  const parts = command.map((part) => (part.includes("\n") ? "<script>" : /^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part)));
  const line = parts.join(" ");
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}…`;
}

function lastLine(output: string): string {
  return output.trimEnd().split("\n").at(-1) ?? "";
}
