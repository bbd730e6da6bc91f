import type { Candidate } from "@slipway/kernel/change/land/candidate";
import { mustPerform } from "./perform.ts";
import type { ChangeRun } from "./change-run.ts";

/** If the policy asks for it: runs the gate on a deliberately broken copy and adds its warnings for the person who approves. */
export async function withProbe(change: ChangeRun, name: string, candidate: Candidate): Promise<Candidate> {
  const { features, configuration } = change.services.kernel;
  if (configuration.policy.probe === undefined) return candidate;
  const { warnings } = await mustPerform(change, `probe:${name}`, (call, signal) =>
    features.probe(call, { feature_id: change.id }, signal),
  );
  return { ...candidate, flags: [...candidate.flags, ...warnings] };
}
