import { digestOf } from "@slipway/durable/canonical";
import type { InterfaceChange } from "../interface-change.ts";
import { contribute, type Played } from "../record.ts";
import type { EngineeringSite } from "../site.ts";

export type RaiseOutcome =
  | { readonly ok: true; readonly raised: InterfaceChange; readonly exception_id: string }
  /** Nothing has changed. */
  | { readonly ok: false; readonly problem: string };

export interface RaisedBy {
  readonly played: Pick<Played<unknown>, "by" | "contextPack">;
  /** What it was raised about. */
  readonly artifact_ref: string;
}

/** A dependency's contract is not enough. Whether that may be said, and by whom, is decided where exceptions are kept. */
export async function raise(
  site: EngineeringSite,
  step: string,
  { played, artifact_ref }: RaisedBy,
  change: InterfaceChange,
): Promise<RaiseOutcome> {
  const raised_by = { artifact_ref, ...played.by };
  const outcome = await site.keep(`${step}:exception`, (call) => site.shop.exceptions.raise(call, { ...change, raised_by }));
  if (outcome.ok) return { ok: true, raised: change, exception_id: outcome.exception_id };
  return { ok: false, problem: `The interface change exception was refused: ${outcome.problems.join("; ")}` };
}

/** The contribution of an invocation that came to an exception, or to none. */
export function contributeRaised(
  site: EngineeringSite,
  step: string,
  { by, contextPack }: RaisedBy["played"],
  type: "IMPLEMENTATION" | "CHALLENGE",
  change: InterfaceChange,
  outcome: RaiseOutcome,
) {
  return contribute(site, step, by, contextPack, type, outcome.ok ? outcome.exception_id : `refused:${digestOf(change)}`);
}
