import type { Candidate } from "@slipway/kernel/change/land/candidate";
import { certain } from "./attempt.ts";
import type { Site } from "./site.ts";

/** Before a person is asked, where the policy wants it: what a gate says of the change when it is broken on purpose. */
export async function probed(site: Site, name: string, candidate: Candidate): Promise<Candidate> {
  const { features, configuration } = site.shop.kernel;
  if (configuration.policy.probe === undefined) return candidate;
  const { warnings } = await certain(site, `probe:${name}`, (call, signal) => features.probe(call, { feature_id: site.id }, signal));
  return { ...candidate, flags: [...candidate.flags, ...warnings] };
}
