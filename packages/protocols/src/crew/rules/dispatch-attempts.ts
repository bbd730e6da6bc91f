import { BLOCKERS } from "../session/status.ts";

/** The first and two repetitions with identical input. They count for no repair loop. */
export const MAX_DISPATCHES = 3;

export type DispatchEnd =
  { readonly kind: "repeat"; readonly attempt: number } | { readonly kind: "blocked"; readonly blocker: string; readonly detail: string };

/** After an error, a timeout or an invalid response of attempt number `attempt` (the first is 1). */
export function afterFailedDispatch(role: string, attempt: number, error: string): DispatchEnd {
  if (attempt < MAX_DISPATCHES) return { kind: "repeat", attempt: attempt + 1 };
  return { kind: "blocked", blocker: BLOCKERS.failedDispatch, detail: `${role} failed ${attempt} times; last: ${error}` };
}
