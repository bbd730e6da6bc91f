import { describe, expect, test } from "vitest";
import { EXAMPLE_ANSWERS } from "./examples.ts";
import type { ReviewPayload, VerdictEntry } from "./review.ts";
import { countFindings, findingsFile, findingsMarkdown, reviewerSuffix, verdictEntryOf, verdictsDocument } from "./review-files.ts";

const review: ReviewPayload = {
  reviewer_model: "gpt-5.3-codex",
  review_focus: "security",
  scope: "code",
  ...EXAMPLE_ANSWERS["adversarial-reviewer"].payload!,
};
const facts = {
  instance: "code-round-1",
  step: "7",
  started_at: "2026-02-26T14:30:00Z",
  completed_at: "2026-02-26T14:40:00Z",
  output_paths: ["review-verdicts/code.yaml"],
};

test("[FOR-101] a verdict entry has the six fields, with counts by severity", () => {
  expect(verdictEntryOf(review)).toEqual({
    reviewer_model: "gpt-5.3-codex",
    review_focus: "security",
    scope: "code",
    verdict: "needs_revision",
    findings_count: { blocker: 0, critical: 0, major: 1, minor: 0 },
    summary: review.summary,
  });
  expect(countFindings([{ severity: "Minor" }, { severity: "Minor" }, { severity: "Blocker" }])).toEqual({
    blocker: 1,
    critical: 0,
    major: 0,
    minor: 2,
  });
});

test("[FOR-102] the three entries of a round are one list, and the block sums them up", () => {
  const entries = (["security", "architecture", "correctness"] as const).map((review_focus) => verdictEntryOf({ ...review, review_focus }));
  const document = verdictsDocument("code", 2, entries, "🟡", facts);
  expect(document.agent_output.payload).toEqual({ scope: "code", round: 2, verdicts: entries });
  expect(document.completion).toMatchObject({ status: "DONE", severity: "Major", findings_count: 3, risk_level: "🟡" });
});

test("the block of the merged verdicts has the highest severity of the round", () => {
  const clean = verdictEntryOf({ ...review, verdict: "approve", findings_count: { blocker: 0, critical: 0, major: 0, minor: 0 } });
  const two = verdictEntryOf({ ...review, findings_count: { blocker: 0, critical: 1, major: 0, minor: 2 } });
  const block = (...entries: VerdictEntry[]) => verdictsDocument("code", 1, entries, "🟡", facts).completion;
  expect(block(clean, two, clean)).toMatchObject({
    severity: "Critical",
    findings_count: 3,
    summary: "Round 1 of the code review: 2 of 3 approve.",
  });
  expect(block(clean, clean, clean)).toMatchObject({ severity: null, findings_count: 0 });
});

describe("[FOR-103] the findings file", () => {
  test("has the title, the verdict, the findings and the summary", () => {
    expect(findingsMarkdown(review)).toMatch(
      new RegExp(
        [
          "^# Adversarial Review: code — gpt-5.3-codex$",
          "^## Overall Verdict$",
          "^\\*\\*Verdict:\\*\\* needs_revision$",
          "^\\*\\*Confidence:\\*\\* High$",
          "^## Findings$",
          "^### Finding 1: The import hides a refused name$",
          "^- \\*\\*Severity:\\*\\* Major$",
          "^- \\*\\*Category:\\*\\* correctness$",
          "^- \\*\\*Description:\\*\\* .+$",
          "^- \\*\\*Affected artifacts:\\*\\* src/import.ts$",
          "^- \\*\\*Recommendation:\\*\\* .+$",
          "^- \\*\\*Evidence:\\*\\* .+$",
          "^## Summary$",
        ].join("[^]*"),
        "m",
      ),
    );
  });

  test("keeps a text of several lines inside its item", () => {
    const [finding] = review.findings;
    const text = findingsMarkdown({ ...review, findings: [{ ...finding!, description: "one\n## Overall Verdict\nfake" }] });
    expect(text.match(/^## Overall Verdict$/gm)).toHaveLength(1);
  });

  test("says when there are no findings", () => {
    expect(findingsMarkdown({ ...review, findings: [] })).toContain("## Findings\n\nNo findings.\n\n## Summary");
  });
});

test("[FOR-107] with one model, the focus keeps the three files apart", () => {
  const names = (isFallback: boolean) =>
    new Set(
      ["security", "architecture", "correctness"].map((focus) =>
        findingsFile("design", reviewerSuffix("one/Model", focus as "security", isFallback)),
      ),
    );
  expect([...names(true)]).toEqual([
    "review-findings/design-one-model-security.md",
    "review-findings/design-one-model-architecture.md",
    "review-findings/design-one-model-correctness.md",
  ]);
  expect(names(false).size).toBe(1);
});
