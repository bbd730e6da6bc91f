import type { RunAgents } from "../../dispatch/run-agents.ts";
import type { InvocationRow } from "../store.ts";
import type { CaseResult } from "./result.ts";

type CaseUsage = Pick<CaseResult, "tokens_in" | "tokens_out" | "cost_usd" | "duration_ms" | "substitutes">;

/** What the calls for a case have used, and who answered them in place of the assigned providers. */
export function usageOf(rows: readonly InvocationRow[], agents: RunAgents): CaseUsage {
  const sum = (of: (row: InvocationRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const others = rows.flatMap(({ role, provider }) => {
    const name = role.split("/").at(-1) ?? role;
    return agents[name] === undefined || agents[name].provider === provider ? [] : [`${name}: ${provider}`];
  });
  return {
    tokens_in: sum(({ input_tokens }) => input_tokens),
    tokens_out: sum(({ output_tokens }) => output_tokens),
    cost_usd: sum(({ cost_usd }) => cost_usd),
    duration_ms: sum(({ duration_ms }) => duration_ms),
    substitutes: [...new Set(others)].toSorted(),
  };
}
