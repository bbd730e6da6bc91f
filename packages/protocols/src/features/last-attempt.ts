import { COMMENT, REPLY, RESULTS } from "@slipway/agents/invoke";
import type { PackItem } from "@slipway/agents/pack";
import type { ChangeRun } from "../change/change-run.ts";
import type { LastAttempt } from "../change/phase.ts";
import { excerpt, stableExcerpt } from "./excerpt.ts";

/** What the worker is told of its last attempt: a person's words, the answer to its request, or why it failed, with the end of the log. */
export async function lastAttemptSections(change: ChangeRun, last: LastAttempt, gatePassed: boolean | null): Promise<PackItem[]> {
  if (last === null) return [];
  if ("reply" in last) return [{ title: "answer to your request", kind: REPLY, text: last.reply }];
  if ("comment" in last) {
    const comment: PackItem = { title: "asked for this attempt: do it first", kind: COMMENT, text: last.comment };
    return gatePassed === false ? [comment, failedSection("The last gate failed.", await lastLog(change))] : [comment];
  }
  const { code, message } = last.failure;
  const isGateFailure = code.startsWith("gate") || code === "coverage_below_minimum" || code === "no_tests_ran";
  return [failedSection(`${code}: ${message}`, isGateFailure ? await lastLog(change) : null)];
}

function lastLog({ services, id }: ChangeRun): Promise<string | null> {
  return services.kernel.features.lastFailedLog(id);
}

function failedSection(why: string, log: string | null): PackItem {
  const textOf = (end: (text: string) => string) => `${end(why)}${log === null ? "" : `\n\nEnd of the log:\n${end(log)}`}`;
  return { title: "why your last attempt failed", kind: RESULTS, text: textOf(excerpt), stable: textOf(stableExcerpt) };
}
