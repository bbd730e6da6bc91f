import type { PackChanges } from "@slipway/agents/packs/changes";
import { undeclaredChanges } from "../../firewall/declared-changes.ts";
import { checklistFor } from "../checklists/qualify.ts";
import { storedDesignSpec } from "../contract/checks/artifact-roles.ts";
import type { OutputFacts } from "../contract/facts.ts";
import type { ProjectType } from "../contract/names.ts";
import { outputProblems } from "../contract/output-problems.ts";
import { declaredPaths, type AgentOutput, type OutputOf } from "../contract/output.ts";
import { problem, refused, valueOf, type Read } from "../contract/problems.ts";
import { signalled } from "../prompts/signals.ts";
import { parseAcceptance } from "../session/acceptance.ts";
import { producedProblems, type SessionFiles } from "../session/artifact-checks.ts";
import { reportProblems } from "../session/report.ts";
import { sessionPath } from "../session/session-name.ts";
import type { CrewStatus } from "../session/status.ts";
import { findTask, printTasks, TASKS_FILE } from "../session/tasks.ts";
import { acceptFiles, STATUS_FILE, type AcceptedFiles } from "./accept-files.ts";
import type { CrewAnswer, DispatchOrder } from "./order.ts";
import { addedLines, splitDiff } from "./session-diff.ts";
import type { Opened } from "./workspace.ts";

export interface Judging {
  readonly order: DispatchOrder;
  readonly opened: Opened;
  readonly status: CrewStatus | null;
  /** Below `.slipway/runs`, and its last part. */
  readonly folder: string;
  readonly session: string;
  readonly projectType: ProjectType;
  readonly at: string;
  readonly hasSecret: (text: string) => boolean;
}

/** Everything about an answer that can be judged without running anything: what was written, what was declared, and what is said. */
export function judgeAnswer(output: AgentOutput, changes: PackChanges, judging: Judging): Read<CrewAnswer> {
  const { folder } = judging;
  const own = sessionPath(folder);
  const declared = declarationProblems(output, changes, judging);
  if (declared.length > 0) return refused(declared);

  const { repository, session } = splitDiff(changes.diff, own);
  const binary = Object.entries(session).flatMap(([name, text]) => problem(text === null, `${name}: must be text`));
  if (binary.length > 0) return refused(binary);
  const written = changes.changed.filter((path) => path.startsWith(own)).map((path) => path.slice(own.length));
  const texts = { ...Object.fromEntries(written.map((name) => [name, session[name] ?? null])), ...inlineSpec(output, judging) };
  const accepted = acceptFiles(texts, judging);
  if (!accepted.ok) return accepted;

  const wrong = [...producedIn(output, accepted.value, judging), ...saidProblems(output, repository, accepted.value, judging)];
  if (wrong.length > 0) return refused(wrong);
  const changed = changes.changed.filter((path) => !path.startsWith(own));
  const { tasks, ...kept } = accepted.value;
  return { ok: true, value: { output, diff: repository, changed, ...kept, tasks: tasks === null ? null : printTasks(tasks) } };
}

/** A design-spec that comes in the answer is stored like one that was written. */
function inlineSpec(answer: AgentOutput, { order, session }: Judging): Record<string, string> {
  if (order.role !== "Designer" || answer.status !== "OK") return {};
  const spec = storedDesignSpec(answer as OutputOf<"Designer">, session.replace(/^[0-9-]+_/, ""));
  return spec === null ? {} : { [spec.name]: spec.text };
}

/** Files whose edits are judged on their own. */
const MERGED = [STATUS_FILE, TASKS_FILE];

function declarationProblems(output: AgentOutput, changes: PackChanges, { folder, order, opened }: Judging): string[] {
  const own = sessionPath(folder);
  const done = new Set(changes.changed);
  const declared = declaredPaths(output).map((path) => (!done.has(path) && done.has(`${own}${path}`) ? `${own}${path}` : path));
  const { undeclared, missing } = undeclaredChanges(declared, changes);
  const mayBeSame = (path: string) => order.role === "Docs" && (path === "README.md" || path === "report.md" || path === `${own}report.md`);
  return [
    ...undeclared
      .filter((path) => !MERGED.some((name) => path === `${own}${name}`))
      .map((path) => `${path} was changed and is not declared`),
    ...missing
      .filter((path) => !mayBeSame(path))
      .map((path) => `${path} is declared and was not changed${opened.grant.mayWrite(path) ? "" : " (the role may not write it)"}`),
  ];
}

function producedIn(output: AgentOutput, { texts, status, tasks }: AcceptedFiles, { order, opened, status: before }: Judging): string[] {
  if (output.status !== "OK") return [];
  const changes = Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null);
  const removed = new Set(Object.keys(texts).filter((name) => texts[name] === null));
  const kept = Object.entries(opened.files).filter(([name]) => !removed.has(name));
  const files: SessionFiles = {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(changes),
    // An accepted edit has been validated; what is here of it only has to exist.
    ...(status === null && before === null ? {} : { [STATUS_FILE]: opened.files[STATUS_FILE] ?? "{}" }),
    ...(tasks === null ? {} : { [TASKS_FILE]: printTasks(tasks) }),
  };
  const issues = (status ?? before)?.known_issues ?? [];
  return [
    ...producedProblems(order.role, order.mode, files, opened.files),
    ...(order.role === "Docs"
      ? files["report.md"] === undefined
        ? ["report.md: missing"]
        : reportProblems(files["report.md"], issues)
      : []),
    ...problem(
      order.role === "Architect" && signalled(output.artifacts.notes, "risk").length === 0,
      "/artifacts/notes: no risk is recorded; write `signal: risk: <text>`, or `signal: risk: none: <why>`",
    ),
  ];
}

function saidProblems(output: AgentOutput, diff: string, { tasks, texts }: AcceptedFiles, judging: Judging): string[] {
  // What QA says is compared with a run of its tests.
  return judging.order.role === "QA" ? [] : outputProblems(judging.order.role, output as never, outputFacts(diff, tasks, texts, judging));
}

export function outputFacts(diff: string, tasks: AcceptedFiles["tasks"], texts: AcceptedFiles["texts"], judging: Judging): OutputFacts {
  const { order, opened, folder, hasSecret, projectType } = judging;
  const { role, taskId, reviewed } = order;
  const names = [...new Set([...Object.keys(opened.files), ...Object.keys(texts)])].filter((name) => texts[name] !== null);
  const secrets = [...addedLines(diff)].filter(([, text]) => hasSecret(text));
  return {
    taskId,
    taskType: order.taskType,
    taskStatus: tasks === null ? null : (findTask(tasks, taskId)?.status ?? null),
    filesExpected: order.filesExpected,
    // Every listed file is part of the prompt.
    unreadContext: [],
    designSpecs: names.filter((name) => name.startsWith("design-specs/")),
    secretsIn: secrets.map(([path]) => path),
    criteria: valueOf(parseAcceptance(opened.files["acceptance.json"] ?? ""))?.map(({ id }) => id) ?? [],
    execution: order.execution,
    behaviourChanged: order.behaviourChanged,
    changedTests: [],
    failedSteps: order.failedSteps,
    checklist: role === "Reviewer" ? checklistFor("Reviewer", projectType, reviewed) : null,
    sessionPath: sessionPath(folder),
  };
}
