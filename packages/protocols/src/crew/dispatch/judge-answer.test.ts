import { describe, expect, test } from "vitest";
import type { PackChanges } from "@slipway/agents/packs/changes";
import type { DispatchedRole } from "../agents.ts";
import type { AgentOutput } from "../contract/output.ts";
import { output } from "../contract/testing/samples.ts";
import { grantOf } from "../grants/write-grants.ts";
import { sessionPath } from "../session/session-name.ts";
import { fullTask, fullTasks, sampleStatus, SESSION, AT } from "../session/testing/samples.ts";
import type { CrewState } from "../states/states.ts";
import { judgeAnswer, type Judging } from "./judge-answer.ts";
import type { DispatchOrder } from "./order.ts";

const OWN = sessionPath(SESSION);
const STATES: Partial<Record<DispatchedRole, CrewState>> = {
  SpecAgent: "INTAKE",
  Planner: "PLAN",
  Architect: "DESIGN",
  Designer: "DESIGN",
  Docs: "RELEASE",
};

function judging(role: DispatchedRole, files: Readonly<Record<string, string>> = {}, changes: Partial<Judging> = {}): Judging {
  const state = STATES[role] ?? "IMPLEMENT_LOOP";
  const order = { role, state, mode: "full", taskId: "T-001", taskType: "feat", filesExpected: null, failedSteps: [], reviewed: [] };
  return {
    order: { ...order, execution: null, behaviourChanged: false } as unknown as DispatchOrder,
    opened: { grant: grantOf(role, { session: SESSION, state, mode: "full" }), files },
    status: sampleStatus(),
    folder: SESSION,
    session: SESSION,
    projectType: "lib",
    at: AT,
    hasSecret: (text) => text.includes("sk-live"),
    ...changes,
  };
}

const created = (path: string, text: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;
const changed = (...files: readonly (readonly [path: string, text: string])[]): PackChanges => ({
  diff: files.map(([path, text]) => created(path, text)).join(""),
  changed: files.map(([path]) => path),
  dropped: [],
});
const NOTHING = changed();

function problemsOf(answer: AgentOutput, changes: PackChanges, given: Judging): readonly string[] {
  const read = judgeAnswer(answer, changes, given);
  return read.ok ? [] : read.problems;
}

const TASKS = fullTasks([fullTask("T-001", { status: "implemented" })]);
const coderOutput = (files: readonly string[], changes: object = {}) =>
  output(
    "Coder",
    {
      files_changed: files,
      patch_summary: files.map((path) => `${path}: formats`),
      notes: ["design-spec: none"],
      commands_to_run: ["npm test"],
    },
    changes,
  );

describe("what an agent declares", () => {
  test("and did not change is told, with whether its role may write it at all", () => {
    const found = problemsOf(coderOutput(["src/a.ts", `${OWN}architecture.md`]), NOTHING, judging("Coder", { "tasks.yaml": TASKS }));
    expect(found).toEqual([
      `${OWN}architecture.md is declared and was not changed (the role may not write it)`,
      "src/a.ts is declared and was not changed",
    ]);
  });

  test("must name every changed file: nothing reaches the repository unsaid", () => {
    const changes = changed(["src/a.ts", "1"], ["src/hidden.ts", "2"]);
    expect(problemsOf(coderOutput(["src/a.ts"]), changes, judging("Coder"))).toEqual(["src/hidden.ts was changed and is not declared"]);
  });

  test("may be said by the file's name in the session", () => {
    const spec = changed([`${OWN}design-specs/design-spec-list.md`, "A list."]);
    const answer = output("Designer", {
      files_changed: ["design-specs/design-spec-list.md"],
      design_spec_file: "design-specs/design-spec-list.md",
    });
    const found = problemsOf(answer, spec, judging("Designer"));
    expect(found.join()).not.toContain("declared");
  });

  test("may be a README and a report that needed no change, from Docs alone", () => {
    const report = "# Report\n";
    const docs = output("Docs", { files_changed: ["README.md", "report.md"] });
    expect(problemsOf(docs, changed([`${OWN}report.md`, report]), judging("Docs")).join()).not.toContain("declared");
    const named = output("Docs", { files_changed: ["README.md", `${OWN}report.md`] });
    for (const answer of [docs, named])
      expect(problemsOf(answer, NOTHING, judging("Docs", { "report.md": report })).join()).not.toContain("declared");
    const found = problemsOf(coderOutput(["README.md"]), NOTHING, judging("Coder", { "tasks.yaml": TASKS }));
    expect(found).toEqual(["README.md is declared and was not changed"]);
  });
});

describe("files of the session", () => {
  test("that are no text are refused: no reader could judge them", () => {
    const path = `${OWN}report.md`;
    const diff = `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 3\nabc\n\n`;
    const docs = output("Docs", { files_changed: ["README.md", path] });
    expect(problemsOf(docs, { diff, changed: [path], dropped: [] }, judging("Docs"))).toEqual(["report.md: must be text"]);
  });

  test("that are empty are texts", () => {
    const path = `${OWN}report.md`;
    const diff = `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0..1\n`;
    const docs = output("Docs", { files_changed: ["README.md", path] });
    expect(problemsOf(docs, { diff, changed: [path], dropped: [] }, judging("Docs")).join()).toContain("report.md: ");
  });

  test("that were there before and stay are there for those who need them", () => {
    const docs = output("Docs", { files_changed: ["README.md"] });
    const found = problemsOf(docs, changed(["README.md", "# Letters"]), judging("Docs", { "report.md": "# Report\n" }));
    expect(found.length).toBeGreaterThan(0);
    expect(found).not.toContain("report.md: missing");
  });

  test("that were removed are missing for those who need them", () => {
    const docs = output("Docs", { files_changed: ["README.md", "report.md"] });
    const gone: PackChanges = { diff: "", changed: [`${OWN}report.md`], dropped: [] };
    expect(problemsOf(docs, gone, judging("Docs", { "report.md": "# Report\n" }))).toEqual(["report.md: missing"]);
  });

  test.each([
    ["status.json", "Coder does not create it", { status: null }],
    ["tasks.yaml", "Coder does not create it", {}],
  ])("%s is created by no other role than its author's", (name, problem, state) => {
    const changes = changed(["src/a.ts", "1"], [`${OWN}${name}`, "{}"]);
    expect(problemsOf(coderOutput(["src/a.ts"]), changes, judging("Coder", {}, state))).toEqual([`${name}: ${problem}`]);
  });

  test("a removed status.json is not the first one", () => {
    const spec = output("SpecAgent", { files_to_create_or_update: [`${OWN}status.json`] });
    const gone: PackChanges = { diff: "", changed: [`${OWN}status.json`], dropped: [] };
    expect(problemsOf(spec, gone, judging("SpecAgent", {}, { status: null }))).toEqual(["status.json: SpecAgent does not create it"]);
  });

  test("a first status.json with a person's decision in it is refused: no agent approves its own design", () => {
    const own = sampleStatus();
    const decision = {
      decision_id: "UD-APPROVE-DESIGN",
      question: "Approve?",
      status: "answered",
      answer: "approved",
      asked_at: AT,
      resolved_at: AT,
      resolution_reason: null,
      state_context: "APPROVE_DESIGN",
    };
    const spec = output("SpecAgent", { files_to_create_or_update: [`${OWN}status.json`] });
    const changes = changed([`${OWN}status.json`, JSON.stringify({ ...own, user_decisions: [decision] })]);
    expect(problemsOf(spec, changes, judging("SpecAgent", {}, { status: null })).join()).toContain("user_decisions must begin as []");
  });

  test("a plan that is none is not taken in place of the one before", () => {
    const plan = output("Planner", { files_to_create_or_update: [`${OWN}tasks.yaml`] });
    const found = problemsOf(plan, changed([`${OWN}tasks.yaml`, "tasks: all of them"]), judging("Planner", { "tasks.yaml": TASKS }));
    expect(found.join()).toContain("tasks");
  });

  test("an edit of status.json that grants itself a decision counts for nothing, and is told", () => {
    const own = sampleStatus();
    const edited = JSON.stringify({ ...own, known_issues: ["slow"], last_ci_result: "green" });
    const answer = output("QA", { notes: ["AC-001: none"] }, { status: "BLOCKED", summary: "No." });
    const read = judgeAnswer(answer, changed([`${OWN}status.json`, edited]), judging("QA"));
    expect(read).toMatchObject({ ok: true, value: { status: { known_issues: ["slow"], last_ci_result: "unknown" } } });
    expect(read.ok && read.value.violations).toEqual(["QA changed last_ci_result in status.json; the edit is discarded."]);
  });
});

describe("an answer that is not OK", () => {
  test("stores no spec that came with it", () => {
    const answer = output("Designer", { design_spec_inline: "Half a list." }, { status: "BLOCKED", summary: "No screen is known." });
    const read = judgeAnswer(answer, NOTHING, judging("Designer"));
    expect(read.ok && read.value.texts).toEqual({});
  });
});

describe("an architecture", () => {
  test("without a word on risk is not taken: nobody would have thought of one", () => {
    const path = `${OWN}architecture.md`;
    const answer = output("Architect", { files_to_create_or_update: [path] });
    const found = problemsOf(answer, changed([path, "# Architecture"]), judging("Architect"));
    expect(found.at(-1)).toContain("no risk is recorded");
  });
});

test("a secret in a patch is found in a file whose name git quotes, too", () => {
  const quoted = (name: string, text: string) =>
    created(name, text).replace(`diff --git a/${name} b/${name}`, `diff --git "a/\\"${name}" "b/\\"${name}"`);
  const diff = quoted("a.ts", "sk-live-1") + quoted("b.ts", "harmless");
  const files = ['"a.ts', '"b.ts'];
  const given = judging("Coder", { "tasks.yaml": TASKS });
  expect(problemsOf(coderOutput(files), { diff, changed: files, dropped: [] }, given).join()).toContain("a secret was added in");
});
