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

/** Cases that pass decide first, then first attempts and cost. Without a measured benefit nothing should change. */
export function judgeCandidate(current: readonly CaseResult[], candidate: readonly CaseResult[]): CandidateVerdict {
  const [old, now] = [summaryOf(current), summaryOf(candidate)];
  const cost = `${inWords("cost_usd", now.mean_cost_usd)} instead of ${inWords("cost_usd", old.mean_cost_usd)} a case`;
  const isDearer = now.mean_cost_usd > old.mean_cost_usd * WORSE_RATIO;
  const isCheaper = now.mean_cost_usd * WORSE_RATIO < old.mean_cost_usd;
  if (now.passed < old.passed)
    return { recommendation: "keep", reason: `the candidate passes ${now.passed} cases, the current model ${old.passed}` };
  if (now.passed > old.passed)
    return { recommendation: "adopt", reason: `the candidate passes ${now.passed} cases, the current model ${old.passed}; ${cost}` };
  const first = `${percent(now.first_pass_rate)} instead of ${percent(old.first_pass_rate)} at the first attempt`;
  if (now.first_pass_rate < old.first_pass_rate) return { recommendation: "keep", reason: `both pass ${now.passed} cases, but ${first}` };
  if (isDearer) return { recommendation: "keep", reason: `both pass ${now.passed} cases, but ${cost}` };
  if (now.first_pass_rate > old.first_pass_rate)
    return { recommendation: "adopt", reason: `both pass ${now.passed} cases; ${first}; ${cost}` };
  if (isCheaper) return { recommendation: "adopt", reason: `both pass ${now.passed} cases; ${cost}` };
  return { recommendation: "keep", reason: `both pass ${now.passed} cases, and no benefit was measured` };
}

export function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}
