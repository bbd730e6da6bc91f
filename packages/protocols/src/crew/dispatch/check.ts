import { sha256 } from "@slipway/durable/canonical";
import type { DispatchInput } from "../contract/input.ts";
import { toolsOf } from "../contract/input.ts";
import { META } from "../contract/names.ts";
import { valueOf } from "../contract/problems.ts";
import type { CrewRun } from "../crew-run.ts";
import { contextFiles } from "../prompts/context-files.ts";
import { failedGate, preDispatch, type PreDispatchFacts } from "../prompts/pre-dispatch.ts";
import { PROJECT_INSTRUCTIONS } from "../prompts/render.ts";
import { invalidArtifacts } from "../session/artifact-checks.ts";
import { inSession, sessionPath } from "../session/session-name.ts";
import { parseStatus, type CrewStatus, type RuntimeFlags } from "../session/status.ts";
import { parseTasks, TASKS_FILE } from "../session/tasks.ts";
import { recordedStatus, STATUS_FILE } from "./accept-files.ts";
import type { Attempted, DispatchOrder } from "./order.ts";
import { openSession, type Opened } from "./workspace.ts";

export type CheckedDispatch =
  | {
      readonly kind: "send";
      readonly input: DispatchInput;
      readonly context: Readonly<Record<string, string>>;
      readonly hasInstructions: boolean;
    }
  | Extract<Attempted, { readonly kind: "gate" | "prevented" }>;

/**
 * Everything that is checked before a model is called, read afresh. The rows are the truth; a decision counts only if the file on disk says
 * the same, so that an edit of the file can only take something back. Then the file is written again.
 */
export async function checkDispatch(run: CrewRun, order: DispatchOrder, before: DispatchInput | null): Promise<CheckedDispatch> {
  const opened = await openSession(run, order);
  const status = recordedStatus(opened.files[STATUS_FILE]);
  const onDisk = await run.files.onDisk(STATUS_FILE);
  const edited = status === null || onDisk === null || onDisk === opened.files[STATUS_FILE] ? null : valueOf(parseStatus(onDisk));
  await run.files.restore();
  const gate = edited === null ? null : failedGate(order.role, order.mode, edited.user_decisions);
  if (gate !== null) return { kind: "gate", gate };
  const { features } = run.change.services.kernel;
  const { branch } = await features.checkoutFacts();
  const repoState = {
    branch,
    ci_status: status?.last_ci_result ?? ("unknown" as const),
    last_failed_step: status?.last_ci_result === "red" ? order.failedStep : null,
  };
  const input = before ?? (await inputOf(run, order, opened, repoState));
  const judged = preDispatch(order.role, input, await factsOf(run, order, { opened, status, repoState }));
  if (judged.kind === "gate") return judged;
  if (judged.kind === "refused") {
    const [first = "the dispatch is not valid", ...rest] = judged.problems;
    return { kind: "prevented", problems: [first, ...rest], wrong: true };
  }
  if (judged.kind === "blocked") return { kind: "prevented", problems: judged.problems, wrong: false };
  const delivered = judged.input.task.context_files.map(
    (path) => [path, sha256(opened.files[inSession(run.folder, path) ?? ""] ?? "")] as const,
  );
  const read = await Promise.all(order.reviewed.map(async (path) => [path, await digestNow(run, path)] as const));
  const context = Object.fromEntries([...delivered, ...read.filter((entry): entry is [string, string] => entry[1] !== null)]);
  return {
    kind: "send",
    input: judged.input,
    context,
    hasInstructions: status?.runtime_flags?.copilot_instructions_exists ?? (await hasInstructions(run)),
  };
}

async function digestNow({ change, id }: CrewRun, path: string): Promise<string | null> {
  const text = await change.services.kernel.features.readAt(id, "now", path);
  return text === null ? null : sha256(text);
}

async function inputOf(run: CrewRun, order: DispatchOrder, { files }: Opened, repo_state: DispatchInput["repo_state"]): Promise<unknown> {
  const { role, taskId: id, title, goal, nonGoals, constraints, acceptanceChecks, riskFlags, researchQuestion } = order;
  const names = Object.keys(files);
  return {
    task: {
      id,
      title,
      goal,
      non_goals: nonGoals,
      context_files: contextFiles(role, run.folder, names),
      ...(role === "Reviewer" ? { session_changed_files: await run.change.services.kernel.features.changedFiles(run.id) } : {}),
      constraints,
      acceptance_checks: acceptanceChecks,
      risk_flags: riskFlags,
    },
    project_type: run.ref.project_type,
    repo_state,
    tools_available: toolsOf(role),
    artifact_list: names.map((name) => `${sessionPath(run.folder)}${name}`),
    ...(order.state === "INTAKE_LEAN" && role === "SpecAgent" ? { lean: true } : {}),
    ...(researchQuestion === undefined ? {} : { research_question: researchQuestion }),
  };
}

interface Read {
  readonly opened: Opened;
  readonly status: CrewStatus | null;
  readonly repoState: DispatchInput["repo_state"];
}

async function factsOf({ folder, ref }: CrewRun, order: DispatchOrder, { opened, status, repoState }: Read): Promise<PreDispatchFacts> {
  const existing = Object.keys(opened.files);
  const listed = contextFiles(order.role, folder, existing).flatMap((path) => inSession(folder, path) ?? []);
  const tasks = valueOf(parseTasks(opened.files[TASKS_FILE] ?? "", order.mode));
  return {
    session: folder,
    state: order.state,
    mode: order.mode,
    projectType: ref.project_type,
    repoState,
    decisions: status?.user_decisions ?? [],
    runtimeFlags: status?.runtime_flags ?? null,
    hasStatus: status !== null,
    existing,
    invalid: invalidArtifacts(listed, opened.files, order.mode),
    taskIds:
      opened.files[TASKS_FILE] === undefined ? null : (tasks?.tasks.map(({ id }) => id) ?? [order.taskId === META ? "" : order.taskId]),
    needsTests: order.needsTests,
  };
}

/** Whether the project has instructions of its own for agents, now. */
async function hasInstructions({ change, id }: CrewRun): Promise<boolean> {
  return (await change.services.kernel.features.readAt(id, "now", PROJECT_INSTRUCTIONS)) !== null;
}

export async function detectInstructions(run: CrewRun, at: string): Promise<RuntimeFlags> {
  return { copilot_instructions_exists: await hasInstructions(run), copilot_checked_at: at };
}
