import { describe, expect, test } from "vitest";
import { EXAMPLE_ANSWERS } from "../schemas/examples.ts";
import { countFindings } from "../schemas/review-files.ts";
import type { ReviewAnswer, ReviewFinding } from "../schemas/review.ts";
import { gateMismatches, uncheckedClaims } from "./claims.ts";
import { DEFAULT_ASSIGNMENTS, FOCUS_TEXTS } from "./reviewers.ts";
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
  test("[FOR-100] each focus covers its areas", () => {
    expect(DEFAULT_ASSIGNMENTS.map(({ review_focus }) => FOCUS_TEXTS[review_focus])).toEqual([
      expect.stringMatching(/injection.*authentication.*data.*secrets.*authorization bypass/),
      expect.stringMatching(/coupling.*scalability boundaries.*responsibilities.*API surface/),
      expect.stringMatching(/edge cases.*logic errors.*specification.*testing gaps.*error handling/),
    ]);
  });
});
