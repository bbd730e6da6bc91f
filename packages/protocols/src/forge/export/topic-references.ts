import { REVIEW_FOCUSES, RESEARCH_FOCUSES, SEVERITIES, type FindingSeverity } from "../schemas/enums.ts";

const MEANINGS: Readonly<Record<FindingSeverity, string>> = {
  Blocker:
    "It must never ship: security is broken, data is lost, or the feature is unusable. In the category security it forces the verdict `blocker` and ends the run; it cannot be downgraded or deferred.",
  Critical: "It is wrong in a case that will occur. It has to be repaired before approval.",
  Major: "It works, and costs later: fragile, hard to change, or wrong in a rare case. It should be repaired now.",
  Minor: "It is worth a note: wording, naming, a small simplification. It can wait.",
};

export function severityTaxonomy(): string {
  return [
    "# Severity taxonomy",
    `Every severity in a completion block, ledger row, finding, verdict or known issue is one of ${SEVERITIES.join(", ")}. Any other word is refused.`,
    ...SEVERITIES.map((severity) => `## ${severity}\n\n${MEANINGS[severity]}`),
    "## Use\n\n- `completion.severity` of a reviewer is that of its worst finding, null without findings; for every other agent it is null.\n- A verdict of `approve` allows no Blocker. `needs_revision` needs a finding.\n- Findings that stay open after the last round become known issues with their severity.",
  ].join("\n\n");
}

export function dispatchPatterns(): string {
  return [
    "# Dispatch patterns",
    "How the orchestrator starts agents. No more than four agents run at once, whatever the pattern.",
    `## Pattern A: fully parallel

Start all agents of the step at once, at most four, and wait for all of them. Each writes its own files, so none waits for another. Repeat an agent that failed once.

| step | agents | at once |
| --- | --- | --- |
| 1 Research | 4 researchers: ${RESEARCH_FOCUSES.join(", ")} | 4 |
| 3b Design Review | 3 reviewers: ${REVIEW_FOCUSES.join(", ")} | 3 |
| 5 Implementation | one implementer for each task of the wave | 4 |
| 6 Verification | one verifier for each task of the wave | 4 |
| 7 Code Review | 3 reviewers: ${REVIEW_FOCUSES.join(", ")} | 3 |`,
    `## Pattern B: sequential gate, then parallel

Run the agents before a gate one after another. Evaluate the gate. Start the parallel agents behind it only when it has passed.

- Steps 2, 3, 4, 8 and 8b have one agent each.
- Step 3b begins when the designer is DONE; Step 5 when gate 4a has passed and the baseline tag exists.
- Step 6 begins for a wave when each of its implementers is DONE, each report has baseline records and the changes are staged.`,
    `## Pattern C: replan loop

Repeat Steps 5 and 6 for the tasks that fail verification, at most three iterations in all.

1. Iteration 1 fails: the planner replans the task with the findings, then an implementer carries it out.
2. Iteration 2 fails: an implementer in mode \`revert\` restores the task's files from the baseline tag, then the planner replans.
3. Iteration 3 fails: revert, record the findings with their severity, go on to Step 7 with confidence Low.`,
    `## Concurrency and sub-waves

- The planner assigns tasks to waves. Tasks of one wave do not depend on each other and name no file in common.
- A wave is implemented, then verified, before the next one starts.
- A wave of more than four tasks is split into sub-waves of at most four, in the planner's order.
- Staging is serialized: one \`git add -A\` at a time.`,
  ].join("\n\n");
}
