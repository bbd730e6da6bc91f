import type { Tokens } from "../prices/price.ts";
import type { ProviderRequest } from "../provider.ts";

/** Whether another call with tools as expensive as the last one, plus one to answer, would exceed the reservation. */
export function wouldExceed(
  calls: readonly Tokens[],
  reserved: ProviderRequest["reserved"],
  priceOf: (call: Tokens) => number | null,
): boolean {
  const last = calls.at(-1);
  if (reserved === undefined || last === undefined) return false;
  const taken = (of: (call: Tokens) => number) => calls.reduce((sum, call) => sum + of(call), 0) + 2 * of(last);
  const cost = taken((call) => priceOf(call) ?? 0);
  return taken(({ input, output }) => input + output) > reserved.tokens || (reserved.cost_usd !== null && cost > reserved.cost_usd);
}
