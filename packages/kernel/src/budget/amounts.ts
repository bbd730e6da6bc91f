import type { BudgetLimits } from "../config/agent-parts/budgets.ts";

/** The units of a budget. Time is the sum over all agents: two agents in parallel for a minute use two minutes. */
export const DIMENSIONS = ["cost_usd", "tokens", "calls", "duration_ms"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export type Amounts = Readonly<Record<Dimension, number>>;

export const NOTHING: Amounts = { cost_usd: 0, tokens: 0, calls: 0, duration_ms: 0 };

const MINUTE_MS = 60_000;

/** The limits of agents.yaml in the units of a budget. */
export function limitsOf({ max_cost_usd, max_tokens, max_calls, max_minutes }: BudgetLimits): Partial<Record<Dimension, number>> {
  const limits = {
    cost_usd: max_cost_usd,
    tokens: max_tokens,
    calls: max_calls,
    duration_ms: max_minutes === undefined ? undefined : max_minutes * MINUTE_MS,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** An amount as text. */
export function inWords(dimension: Dimension, amount: number): string {
  switch (dimension) {
    case "cost_usd":
      return `$${amount >= 0.01 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
    case "tokens":
      return `${amount.toLocaleString("en-US")} tokens`;
    case "calls":
      return `${amount} ${amount === 1 ? "call" : "calls"}`;
    case "duration_ms":
      return amount < MINUTE_MS ? `${Math.round(amount / 1000)} s` : `${Math.round(amount / MINUTE_MS)} min`;
  }
}
