import { inWords } from "@slipway/kernel/budget/amounts";
import { oneLine } from "../../narration/one-line.ts";
import type { Ending } from "../../protocol.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import type { CandidateReport, MeasuredLevel, MeasuredResult } from "./benchmark.ts";
import { percent } from "./compare-results.ts";
import type { CaseResult, ResultSummary } from "./result.ts";

/** The result text of a benchmark. A regression has an exit code of its own. */
export function describeBenchmark({ levels, substitutes, candidate }: MeasuredResult): Ending {
  const lines = levels.flatMap(levelLines);
  if (substitutes.length > 0)
    return { done: false, lines: [...lines, `Nothing is stored, because others answered than assigned: ${substitutes.join(", ")}.`] };
  const regressed = levels.some(({ regressions }) => regressions.length > 0);
  return {
    done: true,
    lines: [...lines, ...(candidate === null ? [] : candidateLines(candidate))],
    ...(regressed ? { code: EXIT.regression } : {}),
  };
}

function levelLines({ level, suite, summary, cases, before, regressions }: MeasuredLevel): string[] {
  return [
    `${level} (suite ${suite}): ${summaryText(summary)}`,
    ...cases.map((one) => `  ${caseText(one)}`),
    ...regressions.map((reason) => `  REGRESSION since ${before}: ${reason}`),
    ...(before !== null && regressions.length === 0 ? [`  not worse than ${before}`] : []),
  ];
}

function caseText({
  case: id,
  passed,
  tier,
  reason,
  attempts,
  functions,
  tokens_in,
  tokens_out,
  cost_usd,
  duration_ms,
}: CaseResult): string {
  const used = `${inWords("cost_usd", cost_usd)}, ${inWords("tokens", tokens_in + tokens_out)}, ${inWords("duration_ms", duration_ms)}`;
  const tries = `${attempts} ${attempts === 1 ? "attempt" : "attempts"} at ${functions} ${functions === 1 ? "function" : "functions"}`;
  return passed ? `passed ${id} (${tier}): ${tries}, ${used}` : `FAILED ${id}: ${oneLine(reason ?? "")}; ${tries}, ${used}`;
}

export function summaryText({ passed, cases, first_pass_rate, attempts, mean_cost_usd, duration_ms }: ResultSummary): string {
  return [
    `${passed} of ${cases} cases pass`,
    `${percent(first_pass_rate)} at the first attempt`,
    `${attempts} attempts`,
    `${inWords("cost_usd", mean_cost_usd)} a case`,
    inWords("duration_ms", duration_ms),
  ].join(", ");
}

function candidateLines({ role, model, current, measured, recommendation, reason, change }: CandidateReport): string[] {
  return [
    `${role}, now ${current[role] ?? "not assigned"}: ${summaryText(measured.current)}`,
    `${role}, candidate ${model}: ${summaryText(measured.candidate)}`,
    recommendation === "adopt"
      ? `Recommendation: adopt ${model} as ${role}: ${reason}.`
      : `Recommendation: keep ${current[role] ?? "it"} as ${role}: ${reason}.`,
    recommendation === "adopt" ? `To adopt it, write ${change}` : `Nothing has to change. To choose it in spite of this, write ${change}`,
  ];
}
