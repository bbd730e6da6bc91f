import { inWords } from "@slipway/kernel/budget/amounts";
import type { BoardBudget } from "@slipway/kernel/change/views/board/board";

/** A limit other than the run's own is shown from this share on. */
const NEAR = 0.8;

/** `budget of the run: $1.20 of $5.00 spent, $0.30 reserved`. */
export function budgetLines(budgets: readonly BoardBudget[]): string[] {
  return budgets
    .filter(({ scope, limit, spent, reserved }) => scope === "run" || spent + reserved >= limit * NEAR)
    .map(({ scope, name, dimension, limit, spent, reserved }) => {
      const whose = scope === "run" ? "the run" : `the ${scope} ${name}`;
      const held = reserved > 0 ? `, ${inWords(dimension, reserved)} reserved` : "";
      return `budget of ${whose}: ${inWords(dimension, spent)} of ${inWords(dimension, limit)} spent${held}`;
    });
}
