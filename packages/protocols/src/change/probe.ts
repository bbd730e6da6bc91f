import type { Candidate } from "@slipway/kernel/change/land/candidate";
import { mustPerform } from "./perform.ts";
import type { ChangeRun } from "./change-run.ts";

/** Before a person is asked, where the policy wants it: what a gate says of the change when it is broken on purpose. */
export async function withProbe(change: ChangeRun, name: string, candidate: Candidate): Promise<Candidate> {
  const { features, configuration } = change.services.kernel;
  if (configuration.policy.probe === undefined) return candidate;
  const { warnings } = await mustPerform(change, `probe:${name}`, (call, signal) =>
    features.probe(call, { feature_id: change.id }, signal),
  );
  return { ...candidate, flags: [...candidate.flags, ...warnings] };
}
