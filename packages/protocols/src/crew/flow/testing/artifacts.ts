import { stringify } from "yaml";
import { sessionPath } from "../../session/session-name.ts";

export const RUN = "2026-11-18_change-letters";
export const OWN = sessionPath(RUN);

const NEXT = { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "The work is done." };
const GATES = { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] };

export interface File {
  readonly path: string;
  readonly content: string | null;
}

/** What a model answers: its output, and the files it writes. */
export interface Said {
  readonly output: Readonly<Record<string, unknown>>;
  readonly files: readonly File[];
}

export function said(artifacts: object, files: readonly File[] = [], changes: object = {}): Said {
  const paths = files.map(({ path }) => path);
  const declared =
    paths.length === 0 ? {} : { files_changed: paths.filter((path) => !path.endsWith("tasks.yaml") && !path.endsWith("status.json")) };
  return {
    output: { status: "OK", summary: "It is done.", artifacts: { ...declared, ...artifacts }, gates: GATES, next: NEXT, ...changes },
    files,
  };
}

export const own = (name: string, content: string | null): File => ({ path: `${OWN}${name}`, content });
export const file = (path: string, content: string | null): File => ({ path, content });

export const ACCEPTANCE = JSON.stringify({
  acceptance_criteria: [{ id: "AC-001", description: "The letters say two.", verify: ["grep -q two src/a.txt"] }],
});

const LEAN_SPEC =
  "# Letters\n\n## Goals\n\nLetters say two.\n\n## Acceptance Criteria\n\n- AC-001 The letters say two.\n\n## Definition of Done\n\nChecks pass.\n";

const FULL_SPEC = `# Letters

## Problem Statement

Letters say one.

## Goals

Letters say two.

## Non-goals

Numbers.

## User Stories

- As a reader I see two.
- As a writer I write two.
- As a tester I check two.

## Functional Requirements

- The file says two.

## Non-functional Requirements

- performance: none lost
- security: none lost
- usability: none lost

## Edge Cases

Fewer than eight apply:

- an empty file

## Acceptance Criteria

- AC-001 The letters say two.

## Assumptions

- One file.

## Definition of Done

Checks pass.
`;

export function firstStatus(mode: "lean" | "full", session = RUN): string {
  return JSON.stringify({
    current_state: mode === "lean" ? "INTAKE_LEAN" : "INTAKE",
    session,
    last_update: "2026-11-18T10:00:00Z",
    assumptions: [],
    user_decisions: [],
    known_issues: [],
  });
}

export const CHECK = "cmd: grep -q two src/a.txt";

export function leanIntake(task: object = {}): Said {
  const tasks = stringify({
    tasks: [{ id: "T-001", status: "not-started", goal: "Letters say two.", acceptance_checks: [CHECK], ...task }],
  });
  return written([
    own("spec.md", LEAN_SPEC),
    own("acceptance.json", ACCEPTANCE),
    own("status.json", firstStatus("lean")),
    own("tasks.yaml", tasks),
  ]);
}

export function fullIntake(notes: readonly string[] = []): Said {
  return written([own("spec.md", FULL_SPEC), own("acceptance.json", ACCEPTANCE), own("status.json", firstStatus("full"))], notes);
}

/** The author of files declares each of them. */
export function written(files: readonly File[], notes: readonly string[] = []): Said {
  return said({ files_changed: [], files_to_create_or_update: files.map(({ path }) => path), notes }, files);
}

const SECTIONS = [
  "Overview",
  "Modules",
  "Data Flow",
  "Interfaces",
  "Directory Layout",
  "Error Handling",
  "Configuration",
  "Security",
  "Testing Strategy",
];
export const ARCHITECTURE = ["# Architecture", ...SECTIONS.map((title) => `## ${title}\n\n${title} of the letters.`)].join("\n\n");

export function architecture(notes: readonly string[] = ["signal: risk: none: one file"], text = ARCHITECTURE): Said {
  return written([own("architecture.md", text)], notes);
}

export function planTask(id: string, changes: object = {}) {
  return {
    id,
    status: "not-started",
    type: "feat",
    title: `Task ${id}`,
    depends_on: [],
    goal: "Letters say two.",
    non_goals: [],
    context_files: [],
    files_expected: [],
    acceptance_checks: [CHECK],
    risk_flags: [],
    done_when: ["the check passes"],
    ...changes,
  };
}

export function plan(...tasks: readonly object[]): Said {
  return written([own("tasks.yaml", stringify({ project: { name: "letters", definition_of_done: ["checks pass"] }, tasks }))]);
}

/** Coder's work: the text of a file and of its test; the session's tasks with its own implemented. */
export function coder(tasks: string, id: string, files: readonly File[], artifacts: object = {}, changes: object = {}): Said {
  const own_tasks = tasks.replace(new RegExp(`(id: ${id}\\n\\s+status: )[a-z-]+`), "$1implemented");
  const paths = files.map(({ path }) => path);
  const tests = paths.filter((path) => path.includes("test"));
  const edit = own_tasks === tasks ? [] : [own("tasks.yaml", own_tasks)];
  return said(
    {
      files_changed: paths,
      tests_added_or_updated: tests,
      patch_summary: paths.map((path) => `${path}: says two`),
      commands_to_run: ["grep -q two src/a.txt"],
      notes: ["design-spec: none"],
      ...artifacts,
    },
    [...files, ...edit],
    { gates: { ...GATES, needs_review: true }, ...changes },
  );
}

export const LETTERS_TWO = [file("src/a.txt", "two\n"), file("test/a.test.sh", "grep -q two src/a.txt\n")];

const GROUPS = { security: "OK", architecture: "OK", logic: "OK", performance: "OK", quality: "OK", devils_advocate: "OK" };

/** Answers every item of the checklist that is in the prompt. */
export function reviewer(prompt: string, comments: readonly object[] = [], changes: object = {}): Said {
  const items = [...prompt.matchAll(/^- ([a-z0-9-]+) \((?:security|architecture|logic|performance|quality|devils_advocate)\):/gm)].map(
    ([, id]) => `${id}: OK`,
  );
  return said({ review_comments: comments, checklist_summary: GROUPS, notes: items }, [], changes);
}

export const comment = (severity: string, message = "It is wrong.") => ({
  severity,
  category: "Logic",
  file: "src/a.txt",
  line: 1,
  message,
  suggested_fix: "Make it right.",
});

export function qa(results: object = {}, artifacts: object = {}, changes: object = {}, files: readonly File[] = []): Said {
  return said(
    {
      commands_to_run: ["grep -q two src/a.txt"],
      test_results: { passed: 1, failed: 0, skipped: 0, output: "passed: 1", ...results },
      notes: ["AC-001: test grep"],
      ...artifacts,
    },
    files,
    changes,
  );
}

export const security = (findings: readonly object[] = [], changes: object = {}) => said({ findings }, [], changes);

export const finding = (severity: string, description = "The name is not checked.") => ({
  severity,
  category: "Validation",
  file: "src/a.txt",
  description,
  recommended_fix: "Check it.",
});

export const integrator = (notes: readonly string[] = [], files: readonly File[] = []) => said({ ci_notes: notes }, files);

const README = [
  "# Letters",
  "Letters that say two.",
  "## Features\n\nTwo.",
  "## Requirements\n\nA shell.",
  "## Quickstart\n\ncat src/a.txt",
  "## Scripts\n\ntest, build, lint: sh check.sh",
  "## Project Structure\n\nsrc",
  "## Troubleshooting\n\nNone.",
  "## License\n\nMIT",
].join("\n\n");

export function docs(issues: readonly string[] = []): Said {
  const listed = issues.length === 0 ? "None." : issues.map((issue) => `- ${issue}`).join("\n");
  const report = `# Report\n\n## What was done\n\nTwo.\n\n## How to run\n\ncat\n\n## How to test\n\nsh check.sh\n\n## Known issues\n\n${listed}\n`;
  return said({ files_changed: ["README.md", `${OWN}report.md`] }, [file("README.md", README), own("report.md", report)]);
}
