import { SlipwayError } from "../schema/errors.ts";
import { DIMENSIONS, inWords, type Amounts, type Dimension } from "./amounts.ts";
import type { BudgetScope } from "./tables.ts";

/** One limit, and how far it is used up. */
export interface SpentLine {
  readonly scope: BudgetScope;
  /** The feature or the role; empty for the run. */
  readonly name: string;
  readonly dimension: Dimension;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
}

/** What one call may take at the worst; null where nobody can say what it would cost. */
export interface Wish extends Omit<Amounts, "cost_usd"> {
  readonly cost_usd: number | null;
}

/** A limit that leaves no room for what is wanted. */
export interface Excess extends SpentLine {
  /** Null when the call has no price. */
  readonly wanted: number | null;
}

/** Sums of dollars are not exact. */
const HAIR = 1e-9;

/** A call is cut short rather than refused when the agents' time runs low, but not to less than this. */
const SHORTEST_MS = 60_000;

/** What a call may take before a budget is overspent; null where nothing limits it. */
export type Most = Readonly<Record<"cost_usd" | "tokens", number | null>>;

export type BudgetVerdict = { readonly granted: Amounts; readonly most: Most } | { readonly excess: Excess };

/** Whether every limit has room for the worst case. Time is different: a call can be stopped, so it gets what is left. */
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
    if (wanted === null || wanted > left + HAIR) return { excess: { ...line, wanted } };
    if (line.dimension !== "calls") most[line.dimension] = Math.min(left, most[line.dimension] ?? Infinity);
  }
  return { granted: { ...wish, cost_usd: wish.cost_usd ?? 0, duration_ms }, most };
}

const SCOPES: readonly BudgetScope[] = ["run", "feature", "role"];

function inOrder(lines: readonly SpentLine[]): SpentLine[] {
  const place = ({ scope, dimension }: SpentLine) => SCOPES.indexOf(scope) * DIMENSIONS.length + DIMENSIONS.indexOf(dimension);
  return lines.toSorted((one, two) => place(one) - place(two));
}

/** A round limit with room for what was wanted and for some more of the same. */
export function suggestedLimit({ dimension, limit, spent, reserved, wanted }: Excess): number {
  const enough = Math.max(limit * 2, spent + reserved + (wanted ?? 0));
  if (dimension === "cost_usd") return Math.ceil(enough * 100 - HAIR) / 100;
  return dimension === "duration_ms" ? Math.ceil(enough / SHORTEST_MS) * SHORTEST_MS : Math.ceil(enough);
}

export function budgetExceeded(excess: Excess, role: string, model: string | null): SlipwayError {
  const { scope, name, dimension, limit, spent, reserved, wanted } = excess;
  const whose = ownerOf(excess);
  const details = { scope, name, dimension, limit, spent, reserved, wanted, role, model, suggested_limit: suggestedLimit(excess) };
  const of = (amount: number) => inWords(dimension, amount);
  if (wanted === null) {
    const what = model === null ? "no model is named" : `the price of the model ${model} is not known`;
    return new SlipwayError("budget_exceeded", `${whose} has a budget of ${of(limit)}, and ${what}: nobody can say whether it holds.`, {
      ...details,
      suggested_next_actions: ["Name the price per million tokens under runtime.prices in slipway/agents.yaml, and commit it."],
    });
  }
  const held = reserved > 0 ? `, ${of(reserved)} more is reserved by calls under way` : "";
  const message = `${whose} has a budget of ${of(limit)}: ${of(spent)} is spent${held}, and the ${role}'s next call may take ${of(wanted)}.`;
  return new SlipwayError("budget_exceeded", message, {
    ...details,
    suggested_next_actions: ["Raise the budget or let this call go on by answering the question; `slipway cost` shows what was spent."],
  });
}

export function ownerOf({ scope, name }: Pick<SpentLine, "scope" | "name">): string {
  return scope === "run" ? "The run" : scope === "feature" ? `The feature ${name}` : `The role ${name}`;
}
