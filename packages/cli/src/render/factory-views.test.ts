import type { DebateView } from "@slipway/protocols/factory/views/debates";
import type { EscalationView, ExceptionView } from "@slipway/protocols/factory/views/escalations";
import type { TaskLine } from "@slipway/protocols/factory/views/tasks";
import { describe, expect, test } from "vitest";
import { debateLines } from "@slipway/protocols/factory/commands/render-debate";
import { escalationLines } from "@slipway/protocols/factory/commands/render-escalation";
import { exceptionLines } from "@slipway/protocols/factory/commands/render-exception";
import { answerCommand } from "./questions.ts";
import { pillarLines } from "@slipway/protocols/factory/commands/render-tasks";

const BELL = "\u0007";

describe("a debate", () => {
  const proposal = {
    proposal_id: "P",
    target_artifact_id: "I",
    claim: `it${BELL}\nholds`,
    deliverable_ref: "I@1.0.0",
    acceptance_checks: ["x"],
  };
  const failures = [{ invariant: "n", evidence: "e", required_change: "c" }];
  const assessed = { criterion: "R1", assessment: "MET", evidence: "e" } as const;
  const challenge = { challenge_id: "C", target_artifact_id: "I", verdict: "FAIL", failures, rubric_assessments: [assessed] } as const;
  const shown = (rounds: readonly object[]) =>
    debateLines({ task_id: "T-1", module_ref: "MM-a@1.0.0", debate: "CTR-1", rounds } as unknown as DebateView, false).join("\n");

  test("without a round, before its challenge, and with control characters in its text", () => {
    expect(shown([])).toContain("no round is over yet");
    const begun = shown([{ round: 1, proposal, challenge: null, witnesses: [], adjudication: null }]);
    expect(begun).toContain(`claim: it${BELL} holds`);
    expect(begun).toContain("not challenged yet");
  });

  test("if every objection is refuted it is a PASS; amendments are listed", () => {
    const adjudication = { decision: "APPROVE_WITH_AMENDMENTS", rationale: "r", amendments: [{ action: "ADD", target: "t", detail: "d" }] };
    const witnesses = [{ failure_index: 0, standing: "refuted", report: "was run and passes" }];
    const text = shown([{ round: 1, proposal: null, challenge, witnesses, adjudication }]);
    expect(text).toContain("FAIL, and every objection was refuted: PASS");
    expect(text).toContain("refuted: was run and passes");
    expect(text).toContain("amendment: ADD t: d");
    expect(shown([{ round: 1, proposal, challenge: { ...challenge, verdict: "PASS" }, witnesses: [], adjudication: null }])).toContain(
      "verdict: PASS",
    );
  });
});

test("an escalation without a debate, answered or resolved, names the next step", () => {
  const escalation = {
    escalation_id: "ESC-1",
    task_id: "T-1",
    created_at: "now",
    minimal_decision_required: "decide",
    failed_invariants: [],
    resolution_context: Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n"),
    debate_trail: { proposals: [], challenges: [], adjudications: [] },
    recommended_resolution: "AMEND_SPEC",
  };
  const shown = (state: EscalationView["state"], resolutions: EscalationView["resolutions"] = []) =>
    escalationLines({ escalation, question: null, state, resolutions, blocks: [] } as unknown as EscalationView, true).join("\n");
  expect(shown("resolved")).toContain("Resolved: no answer is needed.");
  expect(shown("answered")).toContain("`slipway resume` applies it");
  expect(shown("asked")).not.toContain("recommended");
  expect(shown("asked", [{ action: "AMEND_SPEC", does: "x" }])).toContain("recommended: AMEND_SPEC");
  expect(shown("asked")).toContain("… 8 more lines");
  expect(shown("asked")).toContain("none");
});

test("an exception whose task is unknown, with changed failure modes", () => {
  const exception = {
    exception_id: "ICE-1",
    type: "AMBIGUOUS",
    raised_by: { role: "ship", artifact_ref: "IMPL-1", run_id: "r" },
    target_module: "MM-a@1.0.0",
    reason: "r",
    evidence: ["e"],
    proposed_contract_delta: { added_inputs: [], mode_changes: { async: true } },
    compatibility_expectation: "UNKNOWN",
    urgency: "LOW",
  };
  const view = {
    exception,
    status: "RESOLVED",
    decisions: [{ status: "APPROVED", at: "t", by: "p", note: "" }],
    question: null,
    task_id: null,
    escalation_id: null,
  };
  const text = exceptionLines(view as unknown as ExceptionView, false).join("\n");
  expect(text).toContain('mode_changes: {"async":true}');
  expect(text).toContain("raised by ship (IMPL-1)\n");
  expect(text).toContain("APPROVED by p, t\n  Closed.");
});

test("tasks show what they wait for, and their result", () => {
  const task = (change: Partial<TaskLine>): TaskLine => ({
    task_id: "T-1",
    name: "a",
    status: "PENDING",
    module_refs: [],
    depends_on: [],
    waits_for: [],
    blocked_by: [],
    halted_reason: null,
    escalation_ref: null,
    superseded_by: [],
    ...change,
  });
  const waits_for = [{ task: "T-0", status: "IN_PROGRESS" }] as const;
  const tasks = [
    task({ waits_for }),
    task({ status: "IN_PROGRESS" }),
    task({ status: "HALTED" }),
    task({ status: "BLOCKED", waits_for }),
    task({ status: "BLOCKED", blocked_by: [{ task: "T-9", status: "ABANDONED", escalation_ref: null }] }),
    task({ status: "ABANDONED", superseded_by: ["T-2"] }),
  ];
  const text = pillarLines({ pillar: "p", epics: [{ epic: "e", stories: [{ story: "s", tasks }] }] }, false).join("\n");
  expect(text).toContain("after T-0");
  expect(text).toContain("blocked by T-0");
  expect(text).toContain("blocked by T-9 (ABANDONED)");
  expect(text).toContain("split into T-2");
});

test("each kind of question has its own command", () => {
  const ask = (kind: string, context: object) => answerCommand({ id: "q", kind, context: { ...context }, options: [{ value: "A" }] }, "Q1");
  expect(ask("interface_change", { exception_id: "ICE-1" })).toBe("slipway factory ice ICE-1 APPROVE_CHANGE");
  expect(ask("escalation", { escalation: { escalation_id: "ESC-1" } })).toBe("slipway factory escalation ESC-1");
  expect(ask("escalation", { escalation: null })).toBe("slipway answer Q1 A --comment '…'");
});
