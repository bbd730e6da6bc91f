import type { TestResults } from "../artifacts.ts";
import type { OutputFacts } from "../facts.ts";
import { notes } from "../note-lines.ts";
import type { OutputOf } from "../output.ts";
import { problem } from "../problems.ts";

export function qaProblems(output: OutputOf<"QA">, facts: OutputFacts): string[] {
  if (output.status === "FAIL") return [];
  const { artifacts } = output;
  const unmapped = facts.criteria.filter((id) => !isMapped(id, artifacts));
  return [
    ...resultProblems(artifacts.test_results, facts.execution),
    ...problem(unmapped.length > 0, `/artifacts: no test, manual step or coverage gap for ${unmapped.join(", ")}`),
    ...(output.status === "OK" ? okProblems(output, facts) : []),
  ];
}

function resultProblems(claimed: TestResults | null, execution: TestResults | null): string[] {
  if (claimed === null) return ["/artifacts/test_results: missing"];
  if (execution === null) return [];
  return (["passed", "failed", "skipped"] as const).flatMap((field) =>
    problem(
      claimed[field] !== execution[field],
      `/artifacts/test_results/${field}: ${claimed[field]}, but the tests gave ${execution[field]}`,
    ),
  );
}

const blocked = (reason: string) => `/status: OK although ${reason}; that is BLOCKED`;

function okProblems({ artifacts }: OutputOf<"QA">, { execution, behaviourChanged, changedTests }: OutputFacts): string[] {
  const { test_results, commands_to_run, tests_added_or_updated, coverage_gaps } = artifacts;
  const failed = Math.max(test_results?.failed ?? 0, execution?.failed ?? 0);
  return [
    ...problem(
      execution === null || commands_to_run.length === 0,
      "/artifacts/commands_to_run: QA is never OK without an executed command",
    ),
    ...problem(failed > 0, blocked(`${failed} tests failed`)),
    ...problem(
      behaviourChanged && changedTests.length === 0 && tests_added_or_updated.length === 0,
      blocked("behaviour changed and no test covers it"),
    ),
    ...problem(coverage_gaps.some(isCritical), blocked("a critical criterion is not verifiable")),
    ...problem(notes(artifacts.notes, "flaky"), blocked("a test is flaky")),
  ];
}

/** A gap in a criterion without which the work is worth nothing. */
function isCritical(gap: string): boolean {
  return /^\s*critical:/i.test(gap);
}

/** A manual step or gap that names the id, or a note `<id>: test …`. */
function isMapped(id: string, { manual_steps, coverage_gaps, notes: lines }: OutputOf<"QA">["artifacts"]): boolean {
  const named = new RegExp(`(?<![\\w-])${id}(?![\\w-])`);
  return [...manual_steps, ...coverage_gaps].some((entry) => named.test(entry)) || lines.some((note) => testNote(id).test(note.trim()));
}

function testNote(id: string): RegExp {
  return new RegExp(`^${id}:\\s*test\\b\\W*\\w`, "i");
}
