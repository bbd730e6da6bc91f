import { inWords } from "@slipway/kernel/budget/amounts";
import type { BudgetGlance } from "@slipway/kernel/change/views/board/board";

/** A limit that is not the run's own is shown when it comes near. */
const NEAR = 0.8;

/** `budget of the run: $1.20 of $5.00 spent, $0.30 reserved`. */
export function budgetLines(budgets: readonly BudgetGlance[]): string[] {
  return budgets
    .filter(({ scope, limit, spent, reserved }) => scope === "run" || spent + reserved >= limit * NEAR)
    .map(({ scope, name, dimension, limit, spent, reserved }) => {
      const whose = scope === "run" ? "the run" : `the ${scope} ${name}`;
      const held = reserved > 0 ? `, ${inWords(dimension, reserved)} reserved` : "";
      return `budget of ${whose}: ${inWords(dimension, spent)} of ${inWords(dimension, limit)} spent${held}`;
    });
}
