import { describe, expect, test } from "vitest";
import { EXAMPLE_ANSWERS } from "../schemas/examples.ts";
import { routeGate } from "../router/route.ts";
import type { GateId } from "../router/actions.ts";
import { approvalLogEntry, approvalLogEntrySchema, approvalRequestSchema, postPlanningRequest, postResearchRequest } from "./approvals.ts";

const plan = EXAMPLE_ANSWERS.planner.payload!;
const research = [
  { focus: "architecture", findings: [{ title: "Two ways in." }, { title: "One model. It saves." }] },
  { focus: "impact", findings: [] },
];
const requests = [postResearchRequest(research, 4, 61_000), postPlanningRequest(plan, 3_700_000)];

function broken(change: (request: Record<string, unknown> & { options: Record<string, unknown>[] }) => void): string {
  const request = structuredClone(requests[0]!);
  change(request as unknown as Parameters<typeof change>[0]);
  const result = approvalRequestSchema.safeParse(request);
  return result.success ? "" : result.error.issues.map(({ path, message }) => `${path.join("/")}: ${message}`).join("\n");
}

describe("approval requests", () => {
  test("[FOR-115] of both gates are valid", () => {
    for (const request of requests) expect(approvalRequestSchema.parse(request)).toEqual(request);
    expect(requests.map(({ metadata }) => metadata.elapsed_time)).toEqual(["1 min", "1 h 1 min"]);
  });

  test("[FOR-115] have exactly one default, short labels, two or three sentences and every field", () => {
    expect(broken(({ options }) => (options[1]!["is_default"] = true))).toContain("options: has exactly one default");
    expect(broken(({ options }) => (options[0]!["is_default"] = false))).toContain("options: has exactly one default");
    expect(broken(({ options }) => (options[0]!["label"] = "x".repeat(51)))).toContain("options/0/label");
    expect(broken(({ options }) => (options[0]!["label"] = "x".repeat(50)))).toBe("");
    expect(broken(({ options }) => (options[1]!["id"] = "proceed"))).toContain("has no id twice");
    expect(broken((request) => (request["context"] = "One."))).toContain("has 2 or 3 sentences");
    expect(broken((request) => (request["context"] = "One. Two. Three. Four."))).toContain("has 2 or 3 sentences");
    for (const field of ["gate_id", "pipeline_step", "question", "context", "options", "metadata"])
      expect(broken((request) => delete request[field])).toContain(field);
  });

  test("[FOR-116] after research: proceed by default, expand or abort, with the findings as context", () => {
    const [request] = requests;
    expect(request).toMatchObject({ gate_id: "gate-post-research", pipeline_step: "1a", metadata: { findings_count: 2 } });
    expect(request!.options.map(({ id, is_default }) => [id, is_default])).toEqual([
      ["proceed", true],
      ["expand", false],
      ["abort", false],
    ]);
    expect(request!.context).toBe(
      "2 of 4 researchers gave results on architecture, impact. They have 2 findings, among them: Two ways in; One model It saves.",
    );
  });

  test("[FOR-117] after planning: approve by default, revise or abort, with counts, risks and depth as context", () => {
    const request = postPlanningRequest(plan, 0);
    expect(request).toMatchObject({ gate_id: "gate-post-planning", pipeline_step: "4a", metadata: { risk_summary: "🟡" } });
    expect(request.options.map(({ id, is_default }) => [id, is_default])).toEqual([
      ["approve", true],
      ["revise", false],
      ["abort", false],
    ]);
    expect(request.context).toBe(
      "The plan has 1 task in 1 wave with 1 🟢, 1 🟡, 0 🔴 files. Verification: 1 at standard depth, 0 at large depth.",
    );
  });

  test("[FOR-117] a 🔴 file is warned of", () => {
    const [task] = plan.tasks;
    const files_to_modify = [{ path: "src/auth.ts", risk: "🔴", operation: "modify" } as const];
    const risky = { ...task!, size: "Large" as const, relevant_context: { ...task!.relevant_context, files_to_modify } };
    const { context } = postPlanningRequest({ ...plan, tasks: [risky], overall_risk_summary: "🔴" }, 0);
    expect(context).toContain("0 at standard depth, 1 at large depth. Warning: these 🔴 files are critical: src/auth.ts.");
  });

  test("every option of a gate leads somewhere", () => {
    for (const { gate_id, options } of requests) for (const { id } of options) expect(routeGate(gate_id as GateId, id)).not.toBeNull();
  });
});

describe("[FOR-119] the approval log", () => {
  const time = "2026-02-26T14:41:00Z";

  test("[FOR-118] has the default in autonomous mode, selected by nobody", () => {
    const entry = approvalLogEntry(requests[1]!, time, { mode: "autonomous" });
    expect(entry).toEqual({
      gate_id: "gate-post-planning",
      timestamp: time,
      mode: "autonomous",
      selected_option: "approve",
      auto_selected: true,
    });
    expect(approvalLogEntrySchema.parse(entry)).toEqual(entry);
  });

  test("has the person's choice and own words in interactive mode", () => {
    const entry = approvalLogEntry(requests[1]!, time, { mode: "interactive", option: "revise", raw: "Split task-01." });
    expect(entry).toMatchObject({ selected_option: "revise", auto_selected: false, user_response_raw: "Split task-01." });
    expect(approvalLogEntrySchema.safeParse({ ...entry, timestamp: "today" }).success).toBe(false);
  });
});
