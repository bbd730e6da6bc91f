import type { AuthoredAnswer } from "../demo-author.ts";

/** The session's folder, whatever the day. */
const OWN = ".slipway/runs/own-session/";

const GATES = { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] };
const GROUPS = { security: "OK", architecture: "OK", logic: "OK", performance: "OK", quality: "OK", devils_advocate: "OK" };

export type Files = Readonly<Record<string, string>>;

interface More {
  readonly files?: Files;
  /** Files of the session, by their names in it. */
  readonly session?: Files;
  readonly status?: string;
  readonly gates?: object;
  readonly next?: string;
  /** For the role's own artifact keys and notes. */
  readonly artifacts?: object;
}

export interface Command {
  readonly line: string;
  readonly passed: number;
}

/** The harness runs its tests like this. */
export const testsIn = (path: string) => `node --test --test-isolation=none ${path}`;

function outputOf(
  summary: string,
  { files = {}, session = {}, artifacts = {}, status = "OK", gates = {}, next: agent = "Orchestrator" }: More,
) {
  const created = Object.keys(session).filter((name) => name !== "tasks.yaml" || Object.keys(files).length === 0);
  return {
    status,
    summary,
    artifacts: { files_changed: Object.keys(files), files_to_create_or_update: created, ...artifacts },
    gates: { ...GATES, ...gates },
    next: { recommended_agent: agent, recommended_task_id: "same", reason: "The work of this dispatch is done." },
  };
}

function reviewOutput(items: readonly string[], comments: readonly object[]) {
  const artifacts = { review_comments: comments, checklist_summary: GROUPS, notes: items.map((item) => `${item}: OK`) };
  return outputOf(comments.length === 0 ? "Nothing has to change." : "It may pass; the notes are improvements.", {
    artifacts,
    next: "QA",
  });
}

/** The answers of the roles about one session, each numbered as the role's next dispatch. */
export function sayFor(subject: string) {
  const numbers = new Map<string, number>();
  const next = (role: string) => {
    const number = (numbers.get(role) ?? 0) + 1;
    numbers.set(role, number);
    return String(number);
  };

  const writes = (role: string, summary: string, more: More): AuthoredAnswer => {
    const { files = {}, session = {} } = more;
    const own = Object.entries(session).map(([name, content]) => ({ path: `${OWN}${name}`, content }));
    const repository = Object.entries(files).map(([path, content]) => ({ path, content }));
    return { role, subject, attempt: next(role), output: { output: outputOf(summary, more), files: [...repository, ...own] } };
  };
  const judges = (role: string, summary: string, more: More): AuthoredAnswer => {
    return { role, subject, attempt: next(role), output: outputOf(summary, more) };
  };

  return {
    /** With the status file of a session that begins. */
    begins: (mode: "lean" | "full", summary: string, session: Files) =>
      writes("spec-agent", summary, { session: { ...session, "status.json": firstStatus(mode) }, next: "Architect" }),
    specifies: (summary: string, session: Files) => writes("spec-agent", summary, { session, next: "Architect" }),
    designs: (summary: string, architecture: string, risk: string) =>
      writes("architect", summary, {
        session: { "architecture.md": architecture },
        artifacts: { notes: [`signal: risk: ${risk}`] },
        next: "Planner",
      }),
    plans: (summary: string, tasks: string) => writes("planner", summary, { session: { "tasks.yaml": tasks }, next: "Coder" }),
    builds: (
      summary: string,
      files: Files,
      { tasks, notes = [], command }: { tasks?: string; notes?: readonly string[]; command: string },
    ) => {
      const paths = Object.keys(files);
      return writes("coder", summary, {
        files,
        ...(tasks === undefined ? {} : { session: { "tasks.yaml": tasks } }),
        artifacts: {
          tests_added_or_updated: paths.filter((path) => path.startsWith("test/")),
          patch_summary: paths.map((path) => `${path}: ${summary}`),
          commands_to_run: [command],
          notes: ["design-spec: none", ...notes],
        },
        gates: { needs_review: true, needs_tests: true },
        next: "Reviewer",
      });
    },
    reviews: (items: readonly string[], comments: readonly object[] = []): AuthoredAnswer => {
      return { role: "reviewer", subject, attempt: next("reviewer"), output: reviewOutput(items, comments) };
    },
    /** Words around the JSON first, which do not count; then the same input again. */
    reviewsInWords: (items: readonly string[]): AuthoredAnswer[] => {
      const number = next("reviewer");
      const output = reviewOutput(items, []);
      return [
        {
          role: "reviewer",
          subject,
          attempt: number,
          text: `Here is my review:\n\n\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\`\n`,
        },
        { role: "reviewer", subject, attempt: `${number}.2`, output },
      ];
    },
    tests: (commands: readonly Command[], criteria: Readonly<Record<string, string>>) => {
      const passed = commands.reduce((sum, command) => sum + command.passed, 0);
      return writes("qa", "The tests cover the criteria and pass.", {
        artifacts: {
          commands_to_run: commands.map(({ line }) => line),
          test_results: { passed, failed: 0, skipped: 0, output: `passed: ${passed}` },
          notes: Object.entries(criteria).map(([id, test]) => `${id}: test ${test}`),
        },
        next: "Security",
      });
    },
    secures: (findings: readonly object[] = []) =>
      judges("security", findings.length === 0 ? "There are no findings." : "The user has to decide about the findings.", {
        status: findings.length === 0 ? "OK" : "NEEDS_DECISION",
        artifacts: { findings },
      }),
    integrates: () => writes("integrator", "Build and checks pass.", { artifacts: { ci_notes: [] }, next: "Docs" }),
    /** The README is current already. */
    reports: (report: string) =>
      writes("docs", "The report says what there is now; the README is current.", {
        session: { "report.md": report },
        artifacts: { files_changed: ["README.md", "report.md"], files_to_create_or_update: [] },
        next: "Integrator",
      }),
    documents: (readme: string, report: string) =>
      writes("docs", "README and report say what there is now.", {
        files: { "README.md": readme },
        session: { "report.md": report },
        artifacts: { files_changed: ["README.md", "report.md"], files_to_create_or_update: [] },
        next: "Integrator",
      }),
  };
}

function firstStatus(mode: "lean" | "full"): string {
  const status = {
    current_state: mode === "lean" ? "INTAKE_LEAN" : "INTAKE",
    session: "own-session",
    last_update: "2026-11-18T10:00:00Z",
    assumptions: [],
    user_decisions: [],
    known_issues: [],
  };
  return `${JSON.stringify(status, null, 2)}\n`;
}

/** The items of the reviewer's checklist that apply to a library. */
export const LIBRARY_ITEMS = [
  "sql-injection acl error-exposure data-minimization input-validation",
  "repository-model controller-handler service-factory naming",
  "edge-cases logical-errors impact migrations n-plus-1 unbounded-queries",
  "dry solid defensive-coding consistency",
  "unexpected-input wrong-order concurrency half-failure external-outage",
  "baked-in-assumptions decay abstraction-fit malicious-user",
].flatMap((line) => line.split(" "));
