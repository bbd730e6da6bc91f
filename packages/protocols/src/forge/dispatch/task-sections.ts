import type { PackItem } from "@slipway/agents/pack";
import type { ForgeRun } from "../forge-run.ts";
import { resolvePointers, sectionsText } from "../pointers/resolve.ts";
import type { ForgeTask } from "../schemas/task.ts";
import { yamlText } from "../schemas/yaml.ts";
import type { DispatchOf } from "./dispatches.ts";
import { recordedTask, requiredPayload } from "./run-documents.ts";
import { repositorySections, runFile } from "./sections.ts";

export function taskOf(run: ForgeRun, id: string): Promise<ForgeTask> {
  return recordedTask(run, id);
}

/** Of design and specification only the sections that the task points to. */
export async function implementerSections(run: ForgeRun, dispatch: DispatchOf<"implementer">): Promise<PackItem[]> {
  const task = await taskOf(run, dispatch.task_id);
  const paths = task.relevant_context.files_to_modify.map(({ path }) => path);
  return [
    ...(await runFile(run, `tasks/${task.id}.yaml`, "task")),
    { title: "the sections that the task names", kind: "design", text: await pointedText(run, task) },
    { title: "checks before the first edit", kind: "evidence", text: await ledgerText(run, task.id, "baseline") },
    ...(dispatch.revert === undefined ? [] : [{ title: "revert", kind: "parameters", text: yamlText(dispatch.revert) }]),
    ...findingsSection(dispatch.findings),
    ...(await repositorySections(run, paths)),
  ];
}

export async function verifierSections(run: ForgeRun, dispatch: DispatchOf<"verifier">): Promise<PackItem[]> {
  const task = await taskOf(run, dispatch.task_id);
  const spec = await requiredPayload(run, "spec", "spec-output.yaml");
  const criteria = spec.acceptance_criteria.filter(({ id }) => task.acceptance_criteria.includes(id));
  const paths = task.relevant_context.files_to_modify.map(({ path }) => path);
  return [
    {
      title: "run",
      kind: "parameters",
      text: yamlText({ run_id: run.ref.run_id, round: dispatch.round, size: dispatch.size, baseline_tag: run.ref.tag }),
    },
    ...(await runFile(run, `tasks/${task.id}.yaml`, "task")),
    ...(await runFile(run, `implementation-reports/${task.id}.yaml`, "report")),
    { title: "the acceptance criteria of this task", kind: "spec", text: yamlText(criteria) },
    { title: "ledger rows of this task", kind: "evidence", text: await ledgerText(run, task.id) },
    ...(await baseTexts(run, paths)),
    ...(await repositorySections(run, paths)),
  ];
}

async function pointedText(run: ForgeRun, task: ForgeTask): Promise<string> {
  const design = await requiredPayload(run, "designer", "design-output.yaml");
  const spec = await requiredPayload(run, "spec", "spec-output.yaml");
  const resolved = resolvePointers(task, { design, spec });
  return resolved.ok ? sectionsText(resolved.sections) : resolved.errors.join("\n");
}

/** What `git show <baseline tag>:<path>` prints, for an agent without a terminal. */
async function baseTexts({ change, id }: ForgeRun, paths: readonly string[]): Promise<PackItem[]> {
  const { features } = change.services.kernel;
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await features.readAt(id, "base", path) })));
  return texts.flatMap(({ path, text }) => (text === null ? [] : [{ title: `${path} at the baseline tag`, kind: "baseline", text }]));
}

export async function ledgerText({ ledger, ref }: ForgeRun, task_id: string, phase: "baseline" | null = null): Promise<string> {
  const rows = (await ledger.rows(ref.run_id)).checks.filter((row) => row.task_id === task_id && (phase === null || row.phase === phase));
  if (rows.length === 0) return "no rows";
  return yamlText(
    rows.map(({ phase, round, check_name, command, exit_code, passed, output_snippet }) => ({
      phase,
      round,
      check_name,
      command,
      exit_code,
      passed,
      output_snippet,
    })),
  );
}

export function findingsSection(findings: readonly string[]): PackItem[] {
  return findings.length === 0 ? [] : [{ title: "findings to repair", kind: "results", text: findings.join("\n\n") }];
}
