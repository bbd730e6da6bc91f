import type { ProcessOutcome } from "./contract.ts";

export interface Probe {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

export function judge(name: string, escaped: boolean): Probe {
  return { name, passed: !escaped, detail: escaped ? "it got through" : "held" };
}

export function whyNot({ spawnError, exitCode, limit, timedOut }: ProcessOutcome, otherwise: string): string {
  if (spawnError !== undefined) return spawnError.message;
  if (timedOut) return "it did not end in time";
  return limit === null ? `exit code ${exitCode}: ${otherwise.trim().slice(0, 300)}` : `it exceeded the limit of ${limit}`;
}
