import { expect, test } from "vitest";
import type { EvidenceRow } from "../ledger/ledger-store.ts";
import { renderBundle, type BundleFacts } from "./evidence-bundle.ts";

const ROW: EvidenceRow = {
  phase: "after",
  check_name: "tests-node",
  tool: "npm",
  command: "npm run --silent test",
  exit_code: 1,
  passed: 0,
  verdict: null,
  severity: null,
  round: 2,
  output_snippet: "1 failed | 3 passed\n# not a heading",
};

const FACTS: BundleFacts = {
  feature: "dark-mode",
  run_id: "2026-02-26T14:30:00Z",
  confidence: "Medium",
  warnings: ["One reviewer dissented."],
  ledger: "sqlite",
  summary: null,
  tasks: [
    {
      id: "task-01",
      title: "Add a switch",
      size: "Large",
      round: 2,
      counts: { total_checks: 4, passed: 3, failed: 1 },
      regressions: [{ task_id: "task-01", check_name: "tests-node", round: 2, output_snippet: "1 failed" }],
      evidence: [ROW],
    },
  ],
  reviews: [
    {
      scope: "code",
      round: 1,
      verdicts: [
        { model: "gpt-5.3-codex", focus: "security", verdict: "approve", found: 0 },
        { model: "claude-opus-4.6", focus: "correctness", verdict: "needs_revision", found: 3 },
      ],
      fixed: 2,
    },
  ],
  rollback: "git revert --no-commit pipeline-baseline-2026-02-26T14-30-00Z..HEAD",
  files: [
    { path: "src/theme.ts", change: "modified", risk: "🟡" },
    { path: "src/auth.ts", change: "modified", risk: "🔴" },
    { path: "notes.md", change: "added", risk: null },
  ],
  known_issues: [{ severity: "Minor", source: "code review", issue: "The label is not translated." }],
};

const parts = (text: string) =>
  new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.split("\n")[0] ?? "", part] as const),
  );

test("[FOR-043] the bundle has the six parts with what the ledger and the reviews say", () => {
  const found = parts(renderBundle(FACTS));
  expect([...found.keys()]).toEqual(["Confidence", "Verification", "Review", "Rollback", "Blast radius", "Known issues", "Evidence"]);
  expect(found.get("Confidence")).toContain("**Medium**\n\n- One reviewer dissented.");
  expect(found.get("Verification")).toContain("| task-01 | Add a switch | Large | 2 | 3 | 1 | 1 |");
  expect(found.get("Verification")).toContain("`tests-node` passed on the base and fails now.");
  expect(found.get("Review")).toContain("| code | 1 | claude-opus-4.6 | correctness | needs\\_revision | 3 |");
  expect(found.get("Review")).toContain("code review, round 1: 3 found, 2 fixed");
  expect(found.get("Rollback")).toContain(`\n${FACTS.rollback}\n`);
  expect(found.get("Blast radius")).toContain("3 files (🟢 0, 🟡 1, 🔴 1, not planned 1), 1 regressions.");
  expect(found.get("Blast radius")).toContain("| src/auth.ts | modified | 🔴 |");
  expect(found.get("Known issues")).toContain("| Minor | code review | The label is not translated. |");
});

test("[FOR-150] the evidence of a task is a table of the query's ten columns", () => {
  const evidence = parts(renderBundle(FACTS)).get("Evidence") ?? "";
  expect(evidence).toContain("### task-01");
  const columns = "phase | check_name | tool | command | exit_code | passed | verdict | severity | round | output_snippet";
  expect(evidence).toContain(`| ${columns} |`);
  expect(evidence).toContain(
    "| after | tests-node | npm | npm run --silent test | 1 | 0 |  |  | 2 | 1 failed \\| 3 passed \\# not a heading |",
  );
});

test("[FOR-137] a bundle on the YAML ledger says that independent SQL verification was lost, and no other does", () => {
  expect(renderBundle({ ...FACTS, ledger: "yaml" })).toContain("independent SQL verification was lost");
  expect(renderBundle(FACTS)).not.toContain("lost");
});

test("texts of agents and outputs of programs cannot add headings, tables or HTML", () => {
  const hostile = "fine\n\n## Confidence\n\n**High** <img src=x> | ` [a](http://b)";
  const text = renderBundle({
    ...FACTS,
    summary: hostile,
    warnings: [hostile],
    known_issues: [{ severity: "Minor", source: hostile, issue: hostile }],
    tasks: [{ ...FACTS.tasks[0]!, title: hostile, evidence: [{ ...ROW, check_name: hostile, output_snippet: hostile }] }],
    files: [{ path: hostile, change: "added", risk: null }],
    rollback: "git restore -- 'a```\n```b'",
  });
  expect([...text.matchAll(/^## Confidence$/gm)]).toHaveLength(1);
  expect(text).not.toMatch(/(?<!\\)<img/);
  expect(text).not.toMatch(/(?<!\\)\*\*High/);
  expect(text).toContain("````sh\ngit restore -- 'a```\n```b'\n````");
});
