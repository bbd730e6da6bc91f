import type { Call } from "@slipway/kernel/record/operations/call";
import { companionText } from "../companions/companion.ts";
import {
  companionOf,
  DECISIONS_FILE,
  DESIGN_FILE,
  implementationFile,
  KNOWLEDGE_FILE,
  PLAN_FILE,
  researchFile,
  SPEC_FILE,
  taskFile,
  typedReviewFile,
  verificationFile,
} from "../files.ts";
import type { ForgeRun } from "../forge-run.ts";
import type { Answer } from "../schemas/answers.ts";
import { documentOf, taskDocumentOf, type DispatchFacts } from "../schemas/documents.ts";
import { toYaml } from "../schemas/yaml.ts";
import type { RoleAnswer } from "./assignment.ts";
import type { Dispatch, DispatchOf } from "./dispatches.ts";
import { reviewerModel } from "./reviewer-model.ts";

export interface Output {
  readonly dispatch: Dispatch;
  readonly answer: RoleAnswer;
  readonly started_at: string;
  readonly completed_at: string;
  readonly model: string | null;
}

/** Writes the typed output of a dispatch, with its Markdown companion, to the role's own paths and no others. Returns the paths. */
export async function saveOutput(run: ForgeRun, call: Call, output: Output): Promise<string[]> {
  const { instance, step } = output.dispatch;
  const facts = (...output_paths: string[]): DispatchFacts => ({
    instance,
    step,
    started_at: output.started_at,
    completed_at: output.completed_at,
    output_paths,
  });
  const texts = await textsOf(run, output, facts);
  // A reviewer that says ERROR has no review to write.
  if (Object.keys(texts).length > 0) await run.files.write(call, texts);
  return Object.keys(texts);
}

type Facts = (...paths: string[]) => DispatchFacts;

async function textsOf(run: ForgeRun, { dispatch, answer, model }: Output, facts: Facts): Promise<Record<string, string>> {
  switch (dispatch.role) {
    case "researcher": {
      const path = researchFile(dispatch.focus);
      const document = documentOf("researcher", answer as Answer<"researcher">, facts(path, companionOf(path)), { focus: dispatch.focus });
      return { [path]: toYaml(document), [companionOf(path)]: companionText(path, document) };
    }
    case "spec":
      return withCompanion(SPEC_FILE, documentOf("spec", answer as Answer<"spec">, facts(SPEC_FILE, companionOf(SPEC_FILE))));
    case "designer":
      return withCompanion(DESIGN_FILE, documentOf("designer", answer as Answer<"designer">, facts(DESIGN_FILE, companionOf(DESIGN_FILE))));
    case "planner":
      return planTexts(answer as Answer<"planner">, facts);
    case "implementer":
      return implementerTexts(run, dispatch, answer as Answer<"implementer">, facts);
    case "verifier":
      return verifierTexts(run, dispatch, answer as Answer<"verifier">, facts);
    case "adversarial-reviewer":
      return reviewTexts(dispatch, answer as Answer<"adversarial-reviewer">, model, facts);
    case "knowledge-agent": {
      const document = documentOf("knowledge-agent", answer as Answer<"knowledge-agent">, facts(KNOWLEDGE_FILE, DECISIONS_FILE));
      return { [KNOWLEDGE_FILE]: toYaml(document) };
    }
  }
}

function withCompanion(path: string, document: Parameters<typeof toYaml>[0]): Record<string, string> {
  return { [path]: toYaml(document), [companionOf(path)]: companionText(path, document) };
}

function planTexts(answer: Answer<"planner">, facts: Facts): Record<string, string> {
  const tasks = answer.payload?.tasks ?? [];
  const paths = [PLAN_FILE, companionOf(PLAN_FILE), ...tasks.map(({ id }) => taskFile(id))];
  const files = tasks.map((task) => [taskFile(task.id), toYaml(taskDocumentOf(answer.completion, task, facts(...paths)))]);
  return { ...withCompanion(PLAN_FILE, documentOf("planner", answer, facts(...paths))), ...Object.fromEntries(files) };
}

async function implementerTexts(
  run: ForgeRun,
  { task_id }: DispatchOf<"implementer">,
  answer: Answer<"implementer">,
  facts: Facts,
): Promise<Record<string, string>> {
  const path = implementationFile(task_id);
  const { checks } = await run.ledger.rows(run.ref.run_id);
  const rows = checks.filter((row) => row.task_id === task_id && row.phase === "baseline");
  const baseline = rows.map(({ check_name, tool, command, exit_code, passed, output_snippet }) => {
    return { check_name, tool, command, exit_code, passed: passed === 1, output_snippet };
  });
  const known = { task_id, baseline, ledger_entries: rows.map(({ id }) => id) };
  return { [path]: toYaml(documentOf("implementer", answer, facts(path), known)) };
}

/** Checks that passed on the base and fail now are regressions, whether the verifier has named them or not. */
async function verifierTexts(
  run: ForgeRun,
  { task_id, round }: DispatchOf<"verifier">,
  { completion, payload }: Answer<"verifier">,
  facts: Facts,
): Promise<Record<string, string>> {
  const path = verificationFile(task_id);
  const found = await run.ledger.regressions({ run_id: run.ref.run_id, task_id, round });
  const report = payload?.verification_report;
  const missing = found.filter(({ check_name }) => report?.regressions.every((one) => one.check_name !== check_name));
  const added = missing.map(({ check_name }) => ({ check_name, detail: "It passed on the base and fails after the change." }));
  const whole = report === undefined ? null : { verification_report: { ...report, regressions: [...report.regressions, ...added] } };
  return { [path]: toYaml(documentOf("verifier", { completion, payload: whole }, facts(path), { task_id })) };
}

/** The findings file and the verdict's entry follow when all three answers are there: their names depend on one another. */
function reviewTexts(
  dispatch: DispatchOf<"adversarial-reviewer">,
  answer: Answer<"adversarial-reviewer">,
  model: string | null,
  facts: Facts,
): Record<string, string> {
  const { scope, focus } = dispatch;
  const path = typedReviewFile(scope, focus);
  const known = { reviewer_model: reviewerModel(model, focus), review_focus: focus, scope };
  return { [path]: toYaml(documentOf("adversarial-reviewer", answer, facts(path), known)) };
}
