import { SlipwayError } from "../schema/errors.ts";
import { DIMENSIONS, inWords, type Amounts, type Dimension } from "./amounts.ts";
import type { BudgetScope } from "./tables.ts";

/** One limit and its use. */
export interface SpentLine {
  readonly scope: BudgetScope;
  /** The feature or the role; empty for the run. */
  readonly name: string;
  readonly dimension: Dimension;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
}

/** The worst case of one call; `cost_usd` is null if its price is unknown. */
export interface Wish extends Omit<Amounts, "cost_usd"> {
  readonly cost_usd: number | null;
}

/** A limit that has no room for the call. */
export interface Excess extends SpentLine {
  /** Null if the call has no price. */
  readonly wanted: number | null;
}

/** Tolerance for floating-point sums of dollars. */
const EPSILON = 1e-9;

/** If little time is left, a call gets less time instead of being refused, but at least this much. */
const SHORTEST_MS = 60_000;

/** What a call may use before a budget is overspent; null without a limit. */
export type Most = Readonly<Record<"cost_usd" | "tokens", number | null>>;

export type BudgetVerdict = { readonly granted: Amounts; readonly most: Most } | { readonly excess: Excess };

/** Checks that every limit has room for the worst case. A call can be stopped, so for time it gets what is left. */
export function judge(lines: readonly SpentLine[], wish: Wish): BudgetVerdict {
  let duration_ms = wish.duration_ms;
  const most: { -readonly [D in keyof Most]: Most[D] } = { cost_usd: null, tokens: null };
  for (const line of inOrder(lines)) {
    const left = line.limit - line.spent - line.reserved;
    if (line.dimension === "duration_ms") {
      if (left < Math.min(wish.duration_ms, SHORTEST_MS)) return { excess: { ...line, wanted: Math.min(wish.duration_ms, SHORTEST_MS) } };
      duration_ms = Math.min(duration_ms, Math.floor(left));
      continue;
    }
    const wanted = wish[line.dimension];
    if (wanted === null || wanted > left + EPSILON) return { excess: { ...line, wanted } };
    if (line.dimension !== "calls") most[line.dimension] = Math.min(left, most[line.dimension] ?? Infinity);
  }
  return { granted: { ...wish, cost_usd: wish.cost_usd ?? 0, duration_ms }, most };
}

const SCOPES: readonly BudgetScope[] = ["run", "feature", "role"];

function inOrder(lines: readonly SpentLine[]): SpentLine[] {
  const rank = ({ scope, dimension }: SpentLine) => SCOPES.indexOf(scope) * DIMENSIONS.length + DIMENSIONS.indexOf(dimension);
  return lines.toSorted((one, two) => rank(one) - rank(two));
}

/** A round limit with room for this call and more like it. */
export function suggestedLimit({ dimension, limit, spent, reserved, wanted }: Excess): number {
  const enough = Math.max(limit * 2, spent + reserved + (wanted ?? 0));
  if (dimension === "cost_usd") return Math.ceil(enough * 100 - EPSILON) / 100;
  return dimension === "duration_ms" ? Math.ceil(enough / SHORTEST_MS) * SHORTEST_MS : Math.ceil(enough);
}

export function budgetExceeded(excess: Excess, role: string, model: string | null): SlipwayError {
  const { scope, name, dimension, limit, spent, reserved, wanted } = excess;
  const whose = ownerOf(excess);
  const details = { scope, name, dimension, limit, spent, reserved, wanted, role, model, suggested_limit: suggestedLimit(excess) };
  const of = (amount: number) => inWords(dimension, amount);
  if (wanted === null) {
    const what = model === null ? "no model is named" : `the price of the model ${model} is unknown`;
    return new SlipwayError(
      "budget_exceeded",
      `${whose} has a budget of ${of(limit)}, but ${what}, so the cost of the call cannot be checked against it.`,
      {
        ...details,
        suggested_next_actions: ["Add the price per million tokens under runtime.prices in slipway/agents.yaml, and commit it."],
      },
    );
  }
  const pending = reserved > 0 ? `, ${of(reserved)} more is reserved by running calls` : "";
  const message = `${whose} has a budget of ${of(limit)}: ${of(spent)} is spent${pending}, and the ${role}'s next call may take ${of(wanted)}.`;
  return new SlipwayError("budget_exceeded", message, {
    ...details,
    suggested_next_actions: ["Answer the question to raise the budget or to allow this call; `slipway cost` shows what was spent."],
  });
}

export function ownerOf({ scope, name }: Pick<SpentLine, "scope" | "name">): string {
  return scope === "run" ? "The run" : scope === "feature" ? `The feature ${name}` : `The role ${name}`;
}
