import { describe, expect, test } from "vitest";
import { EXAMPLE_ANSWERS } from "../schemas/examples.ts";
import { countFindings } from "../schemas/review-files.ts";
import type { ReviewAnswer, ReviewFinding } from "../schemas/review.ts";
import { gateMismatches, uncheckedClaims } from "./claims.ts";
import { assignReviewers, DEFAULT_ASSIGNMENTS, FOCUS_TEXTS, reviewerParameters, reviewerParametersSchema } from "./reviewers.ts";
import { decidedVerdict, dissentOf, reviewContradictions } from "./verdicts.ts";

const example = EXAMPLE_ANSWERS["adversarial-reviewer"].payload!;
type Found = [severity: ReviewFinding["severity"], category: ReviewFinding["category"]];

function review(verdict: ReviewAnswer["verdict"], ...found: Found[]): ReviewAnswer {
  const findings = found.map(([severity, category]) => ({ ...example.findings[0]!, severity, category, title: `${severity} ${category}` }));
  return { ...example, verdict, findings, findings_count: countFindings(findings) };
}

describe("verdicts", () => {
  test("[FOR-106] a security finding of severity Blocker makes any verdict a blocker", () => {
    for (const verdict of ["approve", "needs_revision", "blocker"] as const)
      expect(decidedVerdict(review(verdict, ["Minor", "design"], ["Blocker", "security"]))).toBe("blocker");
    expect(decidedVerdict(review("needs_revision", ["Blocker", "correctness"], ["Critical", "security"]))).toBe("needs_revision");
  });

  test("a verdict that its own findings contradict goes back to the reviewer", () => {
    expect(reviewContradictions(review("approve", ["Blocker", "correctness"]))).toHaveLength(1);
    expect(reviewContradictions(review("approve", ["Critical", "security"]))).toHaveLength(1);
    expect(reviewContradictions(review("needs_revision"))).toEqual(["payload/verdict: needs_revision needs at least one finding"]);
    expect(reviewContradictions(review("blocker"))).toEqual(["payload/verdict: blocker needs at least one finding"]);
  });

  test.each([
    review("approve"),
    review("approve", ["Critical", "performance"], ["Minor", "security"]),
    review("needs_revision", ["Minor", "design"]),
    review("approve", ["Blocker", "security"]),
  ])("a verdict without contradiction does not (%#)", (answer) => {
    expect(reviewContradictions(answer)).toEqual([]);
  });

  test("counts that contradict the findings are named", () => {
    const answer = { ...review("needs_revision", ["Major", "design"]), findings_count: { blocker: 0, critical: 1, major: 0, minor: 0 } };
    expect(reviewContradictions(answer)).toEqual([
      "payload/findings_count/critical: is 1, but the findings have 0",
      "payload/findings_count/major: is 0, but the findings have 1",
    ]);
  });

  test("[FOR-104][FOR-106] the dissent is known issues with severity, and never a security blocker", () => {
    const reviews = [
      { ...review("approve", ["Minor", "design"]), reviewer: "one" },
      { ...review("needs_revision", ["Critical", "correctness"], ["Blocker", "security"]), reviewer: "two" },
    ];
    expect(dissentOf(reviews)).toEqual([{ severity: "Critical", title: "Critical correctness", source: "two" }]);
  });
});

describe("claims", () => {
  const cited = (check_name: string, passed: boolean, task_id = "task-01") => ({ task_id, check_name, passed });
  const row = (check_name: string, passed: boolean, round = 1, task_id = "task-01") => ({ task_id, check_name, passed, round });

  test("[FOR-078] a cited check that never ran is named", () => {
    const rows = [row("tests", true), row("lint", true, 1, "task-02")];
    expect(uncheckedClaims([cited("tests", true), cited("lint", true)], rows)).toEqual([
      "payload/checks_cited/1: the check lint of task-01 never ran",
    ]);
  });

  test("[FOR-078] a cited check with another result in its last round is named", () => {
    const rows = [row("tests", true, 1), row("tests", false, 2), row("build", false, 1), row("build", true, 2)];
    expect(uncheckedClaims([cited("tests", true), cited("build", true), cited("tests", false)], rows)).toEqual([
      "payload/checks_cited/0: the check tests of task-01 failed, not passed",
    ]);
  });

  test("[FOR-080] each number of the report that differs from the ledger is named", () => {
    const ledger = { total_checks: 3, passed: 2, failed: 1, gate_status: "failed" } as const;
    expect(gateMismatches(ledger, ledger)).toEqual([]);
    expect(gateMismatches({ total_checks: 3, passed: 3, failed: 0, gate_status: "passed" }, ledger)).toEqual([
      "evidence_gate/passed: the report says 3, the ledger 2",
      "evidence_gate/failed: the report says 0, the ledger 1",
      "evidence_gate/gate_status: the report says passed, the ledger failed",
    ]);
  });
});

describe("reviewers", () => {
  const shared = {
    review_scope: "code",
    artifacts: ["implementation-reports/task-01.yaml"],
    risk_level: "🔴",
    verification_evidence_path: "verification-ledger.db",
    run_id: "2026-02-26T14:30:00Z",
    round: 2,
  } as const;

  test("[FOR-099] three models have three focuses", () => {
    expect(assignReviewers(() => true, "any")).toEqual({
      isFallback: false,
      assignments: [
        { model: "gpt-5.3-codex", review_focus: "security" },
        { model: "gemini-3-pro-preview", review_focus: "architecture" },
        { model: "claude-opus-4.6", review_focus: "correctness" },
      ],
    });
  });

  test("[FOR-107] one missing model is enough for one model with the three focuses", () => {
    const { assignments, isFallback } = assignReviewers((model) => model !== "claude-opus-4.6", "one");
    expect(isFallback).toBe(true);
    expect(assignments.map(({ model, review_focus }) => `${model} ${review_focus}`)).toEqual([
      "one security",
      "one architecture",
      "one correctness",
    ]);
  });

  test("[FOR-097][FOR-110] there are three reviewers whatever the risk and the round", () => {
    for (const risk_level of ["🟢", "🟡", "🔴"] as const)
      for (const round of [1, 2])
        expect(
          reviewerParameters(
            assignReviewers(() => true, "one"),
            { ...shared, risk_level, round },
          ),
        ).toHaveLength(3);
  });

  test("[FOR-098] each is dispatched with all parameters, with the ledger in code scope only", () => {
    const reviewers = assignReviewers(() => true, "one");
    const [first] = reviewerParameters(reviewers, shared);
    expect(reviewerParametersSchema.parse(first)).toEqual({ ...shared, model: "gpt-5.3-codex", review_focus: "security" });
    expect(reviewerParameters(reviewers, { ...shared, review_scope: "design" })[0]).not.toHaveProperty("verification_evidence_path");
    for (const field of Object.keys(first!).filter((key) => key !== "verification_evidence_path"))
      expect(reviewerParametersSchema.safeParse({ ...first, [field]: undefined }).success).toBe(false);
    expect(reviewerParametersSchema.safeParse({ ...first, round: 3 }).success).toBe(false);
  });

  test("[FOR-100] each focus covers its areas", () => {
    expect(DEFAULT_ASSIGNMENTS.map(({ review_focus }) => FOCUS_TEXTS[review_focus])).toEqual([
      expect.stringMatching(/injection.*authentication.*data.*secrets.*authorization bypass/),
      expect.stringMatching(/coupling.*scalability boundaries.*responsibilities.*API surface/),
      expect.stringMatching(/edge cases.*logic errors.*specification.*testing gaps.*error handling/),
    ]);
  });
});
