import { describe, expect, test } from "vitest";
import type { DispatchedRole } from "../agents.ts";
import { checklistFor } from "../checklists/qualify.ts";
import { storedDesignSpec } from "./checks/artifact-roles.ts";
import type { OutputFacts } from "./facts.ts";
import { outputProblems } from "./output-problems.ts";
import { FACTS, FOLDER, output } from "./testing/samples.ts";

function problems<R extends DispatchedRole>(role: R, artifacts: object, changes: object = {}, facts: Partial<OutputFacts> = {}): string[] {
  return outputProblems(role, output(role, artifacts, changes), { ...FACTS, ...facts });
}
const BLOCKED = { status: "BLOCKED", summary: "The fixture data is missing." };

describe("every role", () => {
  test("[CRW-023] BLOCKED names a blocker", () => {
    expect(problems("Planner", {}, { status: "BLOCKED", summary: "Blocked." })).toHaveLength(1);
    expect(problems("Planner", { notes: ["no spec.md"] }, { status: "BLOCKED", summary: "Blocked." })).toEqual([]);
    expect(problems("Planner", {}, BLOCKED)).toEqual([]);
  });

  test("[CRW-023] a blocked Coder also names the missing artifact and a workaround", () => {
    expect(problems("Coder", {}, BLOCKED)).toHaveLength(2);
    expect(problems("Coder", { notes: ["missing: test/data.json", "workaround:"] }, BLOCKED)).toHaveLength(1);
    expect(problems("Coder", { notes: ["missing: test/data.json", "workaround: use two rows"] }, BLOCKED)).toEqual([]);
  });

  test("[CRW-037] OK without the whole of a context file is refused", () => {
    expect(problems("Planner", {}, {}, { unreadContext: ["spec.md"] })).toEqual([expect.stringContaining("spec.md")]);
    expect(problems("Planner", {}, BLOCKED, { unreadContext: ["spec.md"] })).toEqual([]);
  });

  test.each([
    ["a declared break of the specification", "Planner", { notes: ["non-compliant: AC-002 is left out"] }],
    ["a declared lack of key tests", "Integrator", { notes: ["missing-tests: none for the parser"] }],
    ["a blocker as text", "QA", { review_comments: ["blocker: crash"] }],
    ["a high finding as text", "Architect", { findings: ["High: open redirect"] }],
  ] as const)("[CRW-076] OK with %s is refused", (_, role, artifacts) => {
    const facts = role === "QA" ? { execution: { passed: 1, failed: 0, skipped: 0, output: "" } } : {};
    expect(problems(role, artifacts, {}, facts).some((text) => text.includes("such an output has status BLOCKED"))).toBe(true);
    expect(problems(role, artifacts, BLOCKED).some((text) => text.includes("such an output"))).toBe(false);
  });
});

describe("Coder", () => {
  const done = {
    files_changed: ["src/a.ts", "test/a.test.ts"],
    tests_added_or_updated: ["test/a.test.ts"],
    patch_summary: ["src/a.ts: formats", "test/a.test.ts: cases"],
    commands_to_run: ["npm test"],
    notes: ["design-spec: none"],
  };

  test("a complete OK is taken", () => {
    expect(problems("Coder", done)).toEqual([]);
  });

  test.each([
    ["files_changed", { files_changed: [], patch_summary: ["x: y"] }, {}],
    ["patch_summary", { patch_summary: ["src/a.ts: formats"] }, {}],
    ["patch_summary", { patch_summary: ["src/a.ts: formats", "test/a.test.ts: cases", "did it"] }, {}],
    ["commands_to_run", { commands_to_run: [] }, {}],
    ["commands_to_run", { commands_to_run: ["manual: look"] }, {}],
    ["in-progress", {}, { taskStatus: "in-progress" }],
    ["secret", {}, { secretsIn: ["src/a.ts"] }],
    ["tests_added_or_updated", { tests_added_or_updated: [] }, {}],
    ["design-spec", { notes: [] }, {}],
    ["src/a.ts", {}, { filesExpected: ["test/a.test.ts"] }],
  ])("[CRW-111] an OK that lacks something about %s is refused", (named, artifacts, facts) => {
    expect(problems("Coder", { ...done, ...artifacts }, {}, facts)).toEqual([expect.stringContaining(named)]);
  });

  test("[CRW-111] needs_review is true", () => {
    const gates = { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] };
    expect(problems("Coder", done, { gates })).toEqual([expect.stringContaining("/gates/needs_review")]);
  });

  test("[CRW-111] tests are not needed where behaviour stays, a reason allows other files, a spec needs no note", () => {
    expect(
      problems("Coder", { ...done, tests_added_or_updated: [], notes: ["design-spec: none", "no-behaviour-change: a comment"] }),
    ).toEqual([]);
    expect(problems("Coder", { ...done, tests_added_or_updated: [] }, {}, { taskType: "refactor" })).toEqual([]);
    const notes = ["design-spec: none", "src/a.ts had to change, too"];
    expect(problems("Coder", { ...done, notes }, {}, { filesExpected: ["test/a.test.ts"] })).toEqual([]);
    expect(problems("Coder", { ...done, notes: [] }, {}, { designSpecs: ["design-specs/design-spec-a.md"] })).toEqual([]);
    expect(problems("Coder", done, {}, { taskId: "meta", taskStatus: null })).toEqual([]);
  });
});

describe("Reviewer and Security", () => {
  const summary = { security: "OK", architecture: "OK", logic: "OK", performance: "OK", quality: "OK", devils_advocate: "OK" };
  const comment = { severity: "nit", category: "Logic", file: "a.ts", line: 1, message: "m", suggested_fix: "f" };
  const checklist = checklistFor("Reviewer", "lib");
  const notes = checklist.items.map(({ id }) => `${id}: OK`);
  const review = { checklist_summary: summary, review_comments: [comment], notes };

  test("[CRW-112] a comment has its six fields, with their values", () => {
    expect(problems("Reviewer", review)).toEqual([]);
    for (const key of Object.keys(comment))
      expect(() => output("Reviewer", { ...review, review_comments: [{ ...comment, [key]: undefined }] })).toThrow(key);
    for (const change of [{ severity: "high" }, { category: "Style" }, { line: 0 }])
      expect(() => output("Reviewer", { ...review, review_comments: [{ ...comment, ...change }] })).toThrow(Object.keys(change)[0]);
  });

  test("[CRW-112] all six groups are on every review", () => {
    for (const group of Object.keys(summary))
      expect(() => output("Reviewer", { checklist_summary: { ...summary, [group]: undefined } })).toThrow(group);
    expect(problems("Reviewer", { notes })).toEqual([expect.stringContaining("checklist_summary")]);
    expect(problems("Reviewer", { notes }, { status: "FAIL" })).toEqual([]);
  });

  test("[CRW-112] a group is N/A only if no item of it applies", () => {
    const of = (group: string) => problems("Reviewer", { ...review, checklist_summary: { ...summary, [group]: "N/A" } }, {}, { checklist });
    expect(of("logic")).toEqual([expect.stringContaining("/checklist_summary/logic")]);
    const none = { ...checklist, items: checklist.items.filter(({ group }) => group !== "logic") };
    expect(problems("Reviewer", { ...review, checklist_summary: { ...summary, logic: "N/A" } }, {}, { checklist: none })).toEqual([]);
  });

  test("[CRW-113] each applicable item is answered", () => {
    expect(problems("Reviewer", review, {}, { checklist })).toEqual([]);
    expect(problems("Reviewer", { ...review, notes: notes.slice(1) }, {}, { checklist })).toEqual([
      expect.stringContaining("sql-injection"),
    ]);
  });

  test.each([
    ["a blocker", { severity: "blocker" }, false],
    ["a major of Security", { severity: "major", category: "Security" }, false],
    ["a minor of Security", { severity: "minor", category: "Security" }, true],
    ["another major", { severity: "major" }, true],
  ])("[CRW-114] OK with %s", (_, change, isTaken) => {
    const found = problems("Reviewer", { ...review, review_comments: [{ ...comment, ...change }] });
    expect(found.length === 0).toBe(isTaken);
    expect(problems("Reviewer", { ...review, review_comments: [{ ...comment, ...change }] }, BLOCKED)).toEqual([]);
  });

  const finding = { severity: "low", category: "Other", file: "a.ts", description: "d", recommended_fix: "f" };
  const OPEN = { meets_definition_of_done: false, needs_review: false, needs_tests: false, security_concerns: ["injection"] };

  test("[CRW-118][CRW-076] the status of Security follows from its findings", () => {
    const of = (status: string, ...severities: string[]) =>
      problems("Security", { findings: severities.map((severity) => ({ ...finding, severity })) }, { ...BLOCKED, status, gates: OPEN });
    expect([
      ...of("OK", "low"),
      ...of("NEEDS_DECISION", "low", "medium"),
      ...of("BLOCKED", "medium", "high"),
      ...of("BLOCKED", "critical"),
    ]).toEqual([]);
    expect(of("OK", "medium")).toHaveLength(1);
    expect(of("NEEDS_DECISION", "high")).toHaveLength(1);
    expect(of("OK", "critical")).not.toEqual([]);
    expect(of("BLOCKED", "low")).toHaveLength(1);
    expect(of("FAIL", "high")).toEqual([]);
  });

  test("[CRW-118] BLOCKED fills security_concerns; a finding has its five fields", () => {
    const artifacts = { findings: [{ ...finding, severity: "high" }] };
    expect(problems("Security", artifacts, BLOCKED)).toEqual([expect.stringContaining("security_concerns")]);
    expect(problems("Security", artifacts, { ...BLOCKED, gates: OPEN })).toEqual([]);
    for (const key of Object.keys(finding)) expect(() => output("Security", { findings: [{ ...finding, [key]: undefined }] })).toThrow(key);
    expect(() => output("Security", { findings: [{ ...finding, category: "SQL" }] })).toThrow("category");
  });
});

describe("QA", () => {
  const results = { passed: 3, failed: 0, skipped: 1, output: "3 passed" };
  const checked = { test_results: results, commands_to_run: ["npm test"], notes: ["AC-001: test `formats`"] };
  const facts = { execution: results, criteria: ["AC-001"] };

  test("a complete OK is taken", () => {
    expect(problems("QA", checked, {}, facts)).toEqual([]);
  });

  test("[CRW-116] test results are there and equal the harness's own", () => {
    expect(problems("QA", { ...checked, test_results: null }, {}, facts)).toEqual([expect.stringContaining("missing")]);
    expect(problems("QA", { ...checked, test_results: { ...results, passed: 30 } }, {}, facts)).toEqual([
      expect.stringContaining("/passed: 30"),
    ]);
  });

  test("[CRW-116] every criterion has a test, a manual step or a gap", () => {
    const of = (artifacts: object) => problems("QA", { ...checked, ...artifacts }, {}, { ...facts, criteria: ["AC-002"] });
    expect(of({})).toEqual([expect.stringContaining("AC-002")]);
    expect([...of({ manual_steps: ["AC-002: look"] }), ...of({ coverage_gaps: ["AC-002: no browser"] })]).toEqual([]);
    expect(of({ manual_steps: ["AC-0021: look"], notes: ["AC-002 matters"] })).toHaveLength(1);
  });

  test.each([
    ["a failed test", { test_results: { ...results, failed: 1 } }, { execution: { ...results, failed: 1 } }],
    ["a change of behaviour without a test", {}, { behaviourChanged: true }],
    ["a critical criterion that nothing verifies", { coverage_gaps: ["critical: AC-001: no clock"] }, {}],
    ["a flaky test", { notes: [...checked.notes, "flaky: test x fails now and then"] }, {}],
  ])("[CRW-116] OK with %s is refused", (_, artifacts, more) => {
    expect(problems("QA", { ...checked, ...artifacts }, {}, { ...facts, ...more })).toHaveLength(1);
    expect(problems("QA", { ...checked, ...artifacts }, BLOCKED, { ...facts, ...more })).toEqual([]);
  });

  test("[CRW-116] OK with a failed test that only QA has seen is refused", () => {
    const claimed = { ...checked, test_results: { ...results, failed: 2 } };
    for (const execution of [results, null])
      expect(problems("QA", claimed, {}, { ...facts, execution }).join()).toContain("OK although 2 tests failed");
  });

  test("[CRW-075] QA is never OK without an executed command", () => {
    expect(problems("QA", checked, {}, { ...facts, execution: null })).toEqual([expect.stringContaining("commands_to_run")]);
    expect(problems("QA", { ...checked, commands_to_run: [] }, {}, facts)).toEqual([expect.stringContaining("commands_to_run")]);
  });
});

describe("roles that write artifacts", () => {
  const file = "design-specs/design-spec-list-page.md";

  test("[CRW-109] a design-spec is inline up to 80 lines, else a file of its form", () => {
    const inline = (lines: number) => ({ design_spec_inline: Array.from({ length: lines }, () => "x").join("\n") });
    expect(problems("Designer", inline(80))).toEqual([]);
    expect(problems("Designer", inline(81))).toHaveLength(1);
    expect([
      ...problems("Designer", { design_spec_file: file }),
      ...problems("Designer", { design_spec_file: `${FOLDER}${file}` }),
    ]).toEqual([]);
    expect(problems("Designer", { design_spec_file: "design.md" })).toHaveLength(1);
    expect(problems("Designer", {})).toHaveLength(1);
    expect(problems("Designer", { ...inline(1), design_spec_file: file })).toHaveLength(1);
  });

  test("[CRW-109] an inline spec is stored where a file would be", () => {
    expect(storedDesignSpec(output("Designer", { design_spec_inline: "# List" }), "list-page")).toEqual({ name: file, text: "# List\n" });
    expect(storedDesignSpec(output("Designer", { design_spec_file: file }), "x")).toBeNull();
  });

  test("[CRW-109] a missing design system never blocks", () => {
    expect(problems("Designer", {}, { status: "BLOCKED", summary: "There is no design system." })).toHaveLength(1);
    expect(problems("Designer", {}, BLOCKED)).toEqual([]);
  });

  const option = { id: "OPT-1", label: "l", pros: [], cons: [], effort: "low", recommended: true };
  const research = {
    research_summary: ["a", "b", "c"],
    confidence: "high",
    options: [option],
    files_changed: [`${FOLDER}research/research-date-libraries.md`],
  };

  test("[CRW-110] research has 3 to 5 points, a confidence, its options and its report", () => {
    expect(problems("Researcher", research)).toEqual([]);
    expect(problems("Researcher", { ...research, research_summary: ["a", "b"] })).toHaveLength(1);
    expect(problems("Researcher", { ...research, research_summary: ["a", "b", "c", "d", "e", "f"] })).toHaveLength(1);
    expect(problems("Researcher", { ...research, confidence: null })).toHaveLength(1);
    expect(problems("Researcher", { ...research, files_changed: ["research/notes.md"] })).toHaveLength(1);
    expect(problems("Researcher", { ...research, options: [option, option] })).toHaveLength(1);
    for (const change of [{ id: "1" }, { effort: "huge" }, { recommended: "yes" }, { pros: undefined }])
      expect(() => output("Researcher", { ...research, options: [{ ...option, ...change }] })).toThrow(Object.keys(change)[0]);
    expect(() => output("Researcher", { ...research, confidence: "sure" })).toThrow("confidence");
    expect(problems("Researcher", {}, { status: "NEEDS_INFO" })).toEqual([]);
  });

  test("[CRW-119] Integrator reports each failed step, changes no product file, and is BLOCKED without a safe fix", () => {
    const fixed = { files_changed: ["package.json"], ci_notes: ["lint: pinned the rule set"] };
    expect(problems("Integrator", fixed, {}, { failedSteps: ["lint"] })).toEqual([]);
    expect(problems("Integrator", { ...fixed, ci_notes: [] }, {}, { failedSteps: ["lint"] })).toEqual([expect.stringContaining("lint")]);
    expect(problems("Integrator", { ...fixed, ci_notes: ["fixed it"] })).toHaveLength(1);
    expect(problems("Integrator", { ...fixed, files_changed: ["src/a.ts"] })).toEqual([expect.stringContaining("src/a.ts")]);
    expect(problems("Integrator", { ci_notes: ["build: no safe fix for node 18"] })).toHaveLength(1);
    expect(problems("Integrator", { ci_notes: ["build: product decision about node 18"] }, BLOCKED)).toEqual([]);
    expect(problems("Integrator", { files_changed: ["src/a.ts"] }, { status: "FAIL" })).toEqual([]);
  });

  test("[CRW-120] Docs lists README.md and report.md", () => {
    expect(problems("Docs", { files_changed: ["README.md", `${FOLDER}report.md`] })).toEqual([]);
    expect(problems("Docs", { files_changed: ["README.md"] })).toEqual([expect.stringContaining("report.md")]);
    expect(problems("Docs", {}, BLOCKED)).toEqual([]);
  });
});
