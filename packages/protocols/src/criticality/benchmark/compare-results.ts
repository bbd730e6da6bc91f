import { inWords } from "@slipway/kernel/budget/amounts";
import { summaryOf, type CaseResult } from "./result.ts";

/** More than this, times the earlier cost or number of attempts, is worse; less than its reverse is better. */
export const WORSE_RATIO = 1.25;

/** Each way in which the later result is worse, in words. */
export function regressionsIn(before: readonly CaseResult[], after: readonly CaseResult[]): string[] {
  const [old, now] = [summaryOf(before), summaryOf(after)];
  const passedBefore = new Set(before.filter(({ passed }) => passed).map((one) => one.case));
  const lost = after.filter((one) => !one.passed && passedBefore.has(one.case)).map((one) => one.case);
  const named = lost.length === 0 ? "" : `; no longer: ${lost.join(", ")}`;
  return [
    ...(now.passed < old.passed ? [`${now.passed} of ${now.cases} cases pass, before ${old.passed}${named}`] : []),
    ...(now.first_pass_rate < old.first_pass_rate
      ? [`${percent(now.first_pass_rate)} pass at the first attempt, before ${percent(old.first_pass_rate)}`]
      : []),
    ...(now.attempts > old.attempts * WORSE_RATIO ? [`${now.attempts} attempts, before ${old.attempts}`] : []),
    ...(old.mean_cost_usd > 0 && now.mean_cost_usd > old.mean_cost_usd * WORSE_RATIO
      ? [`${inWords("cost_usd", now.mean_cost_usd)} a case, before ${inWords("cost_usd", old.mean_cost_usd)}`]
      : []),
  ];
}

/** Whether the candidate should replace the current model, and why. */
export interface CandidateVerdict {
  readonly recommendation: "adopt" | "keep";
  readonly reason: string;
}

const keep = (reason: string): CandidateVerdict => ({ recommendation: "keep", reason });
const adopt = (reason: string): CandidateVerdict => ({ recommendation: "adopt", reason });

/** Cases that pass decide first, then first attempts and cost. Without a measured benefit nothing should change. */
export function judgeCandidate(current: readonly CaseResult[], candidate: readonly CaseResult[]): CandidateVerdict {
  const [old, now] = [summaryOf(current), summaryOf(candidate)];
  const cost = `${inWords("cost_usd", now.mean_cost_usd)} instead of ${inWords("cost_usd", old.mean_cost_usd)} a case`;
  const counts = `the candidate passes ${now.passed} of ${now.cases} cases, the current model ${old.passed}`;
  if (now.passed < old.passed) return keep(counts);
  if (now.passed > old.passed) return adopt(`${counts}; ${cost}`);
  const both = `both pass ${now.passed} of ${now.cases} cases`;
  const first = `${percent(now.first_pass_rate)} instead of ${percent(old.first_pass_rate)} at the first attempt`;
  if (now.first_pass_rate < old.first_pass_rate) return keep(`${both}, but ${first}`);
  if (now.mean_cost_usd > old.mean_cost_usd * WORSE_RATIO) return keep(`${both}, but ${cost}`);
  if (now.first_pass_rate > old.first_pass_rate) return adopt(`${both}; ${first}; ${cost}`);
  if (now.mean_cost_usd * WORSE_RATIO < old.mean_cost_usd) return adopt(`${both}; ${cost}`);
  return keep(`${both}, and no benefit was measured`);
}

export function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}
