import { withPauses as pausing, type Once } from "../pausing.ts";
import { GivenUp } from "../given-up.ts";
import { certain } from "./attempt.ts";
import { endFeature } from "./ending.ts";
import { orchestratorCall, type Outcome, type Site } from "./site.ts";

/** What a feature's worker waits for; a person who gives up ends the feature. */
export function withPauses<T>(site: Site, step: string, once: Once<T>): Promise<Outcome<T>> {
  return pausing(
    {
      ctx: site.ctx,
      kernel: site.shop.kernel,
      subject: site.id,
      about: { feature_id: site.id },
      givingUp: "end this feature; its work stays reachable",
      call: (name) => orchestratorCall(site, name),
      operate: (name, body) => certain(site, name, body),
      giveUp: (name, comment) => giveUp(site, name, comment),
    },
    step,
    once,
  );
}

async function giveUp(site: Site, name: string, comment = "given up by a person"): Promise<never> {
  const step = `give-up:${name}`;
  await site.ctx.step(step, () => endFeature(site.shop.kernel, orchestratorCall(site, step), site.id, comment));
  throw new GivenUp(site.id);
}
