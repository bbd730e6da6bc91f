import { describe, expect, test } from "vitest";
import type { DispatchedRole } from "../agents.ts";
import { DISPATCHED_ROLES } from "./names.ts";
import { declaredPaths, OUTPUT_STATUSES, outputSchemaOf, readOutput } from "./output.ts";
import { sentencesIn } from "./sentences.ts";
import { output, sampleOutput } from "./testing/samples.ts";

const wrong = (role: DispatchedRole, value: unknown) => {
  const read = readOutput(role, "T-001", value);
  return read.ok ? [] : read.problems.map((text) => text.split(":")[0]);
};

describe("the universal output", () => {
  test.each(["status", "summary", "artifacts", "gates", "next"])("[CRW-014] without %s it is refused, naming the field", (field) => {
    const found = wrong("Coder", { ...sampleOutput(), [field]: undefined });
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((pointer) => pointer?.startsWith(`/${field}`))).toBe(true);
  });

  test("[CRW-014] every unknown key is named", () => {
    expect(wrong("Coder", { ...sampleOutput(), mood: 1, thoughts: 2 })).toEqual(["/mood", "/thoughts"]);
  });

  test.each(DISPATCHED_ROLES)("[CRW-014] a summary of %s has one to three sentences", (role) => {
    const of = (summary: string) => wrong(role, sampleOutput({}, { summary }));
    expect(of("One. Two! Three?")).toEqual([]);
    expect(of("One. Two. Three. Four.")).toEqual(["/summary"]);
    expect(of(" ")).toContain("/summary");
  });

  test.each([
    ["Done", 1],
    ["Version 1.2.3 of src/a.ts, e.g. Node, is in.", 1],
    ['He said "Stop." Then it stopped.', 2],
    ["One\nTwo\n\nThree", 3],
    ["Really?! Yes.", 2],
    ["", 0],
    ["...", 0],
  ])("%j has %i sentences", (text, count) => {
    expect(sentencesIn(text)).toBe(count);
  });

  test("[CRW-015] each role has its own statuses", () => {
    for (const role of DISPATCHED_ROLES) {
      const taken = OUTPUT_STATUSES.filter((status) => wrong(role, sampleOutput({}, { status })).length === 0);
      const own = role === "Researcher" ? ["NEEDS_INFO"] : role === "Security" ? ["NEEDS_DECISION"] : [];
      expect([role, ...taken.toSorted()]).toEqual([role, ...["OK", "BLOCKED", "FAIL", ...own].toSorted()]);
    }
    expect(wrong("Coder", sampleOutput({}, { status: "ok" }))).toEqual(["/status"]);
  });

  test("[CRW-016] omitted lists are empty ones", () => {
    for (const role of DISPATCHED_ROLES) {
      expect(output(role).artifacts).toMatchObject({
        files_to_create_or_update: [],
        files_changed: [],
        tests_added_or_updated: [],
        commands_to_run: [],
        manual_steps: [],
        review_comments: [],
        findings: [],
        notes: [],
      });
    }
    expect(wrong("Coder", sampleOutput({ notes: "text" }))).toEqual(["/artifacts/notes"]);
  });

  const OWN: Partial<Record<DispatchedRole, Record<string, unknown>>> = {
    Coder: { patch_summary: [] },
    Reviewer: { checklist_summary: null },
    QA: { test_results: null, coverage_gaps: [] },
    Integrator: { ci_notes: [] },
    Designer: { design_spec_inline: null, design_spec_file: null },
    Researcher: { research_summary: [], confidence: null, options: [] },
  };

  test("[CRW-017] keys of one role are refused from every other", () => {
    for (const [owner, keys] of Object.entries(OWN))
      for (const [key, value] of Object.entries(keys))
        for (const role of DISPATCHED_ROLES)
          expect([role, key, ...wrong(role, sampleOutput({ [key]: value }))]).toEqual([
            role,
            key,
            ...(role === owner ? [] : [`/artifacts/${key}`]),
          ]);
    expect(wrong("Coder", sampleOutput({ thoughts: [] }))).toEqual(["/artifacts/thoughts"]);
  });

  test("[CRW-017] comments of a Reviewer and findings of Security are objects, those of others texts", () => {
    expect(wrong("Reviewer", sampleOutput({ review_comments: ["text"] }))).toEqual(["/artifacts/review_comments/0"]);
    expect(wrong("Security", sampleOutput({ findings: ["text"] }))).toEqual(["/artifacts/findings/0"]);
    expect(wrong("QA", sampleOutput({ review_comments: ["text"], findings: ["text"] }))).toEqual([]);
  });

  test("[CRW-018] gates has exactly its four keys", () => {
    const { gates } = sampleOutput();
    expect(wrong("Coder", sampleOutput({}, { gates: { ...gates, more: true } }))).toEqual(["/gates/more"]);
    expect(wrong("Coder", sampleOutput({}, { gates: { ...gates, needs_tests: "no" } }))).toEqual(["/gates/needs_tests"]);
    expect(wrong("Coder", sampleOutput({}, { gates: { ...gates, security_concerns: false } }))).toEqual(["/gates/security_concerns"]);
  });

  test("[CRW-019] `same` is the dispatched task; other ids are meta or T-", () => {
    expect(output("Coder").next.recommended_task_id).toBe("T-001");
    const next = (changes: object) => wrong("Coder", sampleOutput({}, { next: { ...sampleOutput().next, ...changes } }));
    expect(next({ recommended_task_id: "meta" })).toEqual([]);
    expect(next({ recommended_task_id: "T-1" })).toEqual(["/next/recommended_task_id"]);
    expect(next({ recommended_agent: "coder" })).toEqual(["/next/recommended_agent"]);
    expect(next({ recommended_agent: "Orchestrator" })).toEqual([]);
    expect(next({ reason: "" })).toEqual(["/next/reason"]);
    expect(output("Coder", {}, { next: { ...sampleOutput().next, recommended_task_id: "T-007" } }).next.recommended_task_id).toBe("T-007");
  });

  test("a schema is made once for a role and a task", () => {
    expect(outputSchemaOf("Coder", "T-009")).toBe(outputSchemaOf("Coder", "T-009"));
  });

  test("the declared paths are those of the three lists, once each", () => {
    const lists = { files_changed: ["a", "b"], files_to_create_or_update: ["b"], tests_added_or_updated: ["c"], notes: ["d"] };
    expect(declaredPaths(output("Coder", lists))).toEqual(["a", "b", "c"]);
  });
});
