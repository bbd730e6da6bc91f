import { isProductFile } from "../../grants/file-kinds.ts";
import type { OutputFacts } from "../facts.ts";
import { NOTE_LINES, notes } from "../note-lines.ts";
import type { OutputOf } from "../output.ts";
import { problem } from "../problems.ts";
import { META } from "../names.ts";

export function coderProblems(output: OutputOf<"Coder">, facts: OutputFacts): string[] {
  if (output.status === "OK") return [...okProblems(output, facts), ...noteProblems(output, facts)];
  return output.status === "BLOCKED" ? blockedProblems(output) : [];
}

function blockedProblems({ artifacts }: OutputOf<"Coder">): string[] {
  return (["missing", "workaround"] as const).flatMap((line) =>
    problem(!notes(artifacts.notes, line), `/artifacts/notes: BLOCKED needs a note \`${NOTE_LINES[line]} …\``),
  );
}

function okProblems({ artifacts, gates }: OutputOf<"Coder">, facts: OutputFacts): string[] {
  const { files_changed, patch_summary, commands_to_run } = artifacts;
  const described = patch_summary.map((entry) => /^(.+?): *\S/.exec(entry)?.[1]?.trim() ?? null);
  const undescribed = files_changed.filter((path) => !described.includes(path));
  return [
    ...problem(files_changed.length === 0, "/artifacts/files_changed: empty; an OK names what it changed"),
    ...problem(described.includes(null), "/artifacts/patch_summary: every entry has the form `file: change`"),
    ...problem(undescribed.length > 0, `/artifacts/patch_summary: no entry for ${undescribed.join(", ")}`),
    ...problem(commands_to_run.length === 0, "/artifacts/commands_to_run: empty; name a command that checks the change"),
    ...problem(
      commands_to_run.some((command) => !isRunnable(command)),
      "/artifacts/commands_to_run: each entry is one command line",
    ),
    ...problem(!gates.needs_review, "/gates/needs_review: must be true, the change is reviewed next"),
    ...problem(
      facts.taskId !== META && facts.taskStatus !== "implemented",
      `tasks.yaml: ${facts.taskId} is ${facts.taskStatus ?? "missing"}; set it to implemented`,
    ),
    ...problem(facts.secretsIn.length > 0, `a secret was added in ${facts.secretsIn.join(", ")}; remove it`),
  ];
}

function isRunnable(command: string): boolean {
  return !/[\r\n]/.test(command.trim()) && !command.startsWith("manual:");
}

/** Kinds of tasks that are not meant to change behaviour. */
const WITHOUT_TESTS: readonly (string | null)[] = ["refactor", "docs"];

function noteProblems({ artifacts }: OutputOf<"Coder">, facts: OutputFacts): string[] {
  const { files_changed, tests_added_or_updated, notes: lines } = artifacts;
  const changesLogic = !WITHOUT_TESTS.includes(facts.taskType) && files_changed.some(isProductFile);
  const isExcused = notes(lines, "noBehaviourChange");
  const unexpected = files_changed.filter((path) => !path.startsWith(facts.sessionPath) && facts.filesExpected?.includes(path) === false);
  const unexplained = unexpected.filter((path) => !lines.some((note) => note.includes(path)));
  return [
    ...problem(
      changesLogic && tests_added_or_updated.length === 0 && !isExcused,
      `/artifacts/tests_added_or_updated: empty; add a test, or a note \`${NOTE_LINES.noBehaviourChange} <reason>\` if nothing behaves differently`,
    ),
    ...problem(
      facts.designSpecs.length === 0 && !notes(lines, "noDesignSpec"),
      `/artifacts/notes: no design-spec was given; say so with the note \`${NOTE_LINES.noDesignSpec}\``,
    ),
    ...problem(
      unexplained.length > 0,
      `/artifacts/notes: no reason for changing ${unexplained.join(", ")}, which the task does not expect`,
    ),
  ];
}
