import { SlipwayError } from "@slipway/agents/errors";
import type { InnerProtocol } from "../change/feature-run.ts";
import { PROTOCOLS } from "../protocols.ts";

/** The protocols that can make one change of a run of `features`, by name. */
export async function loadInnerProtocols(): Promise<ReadonlyMap<string, InnerProtocol>> {
  const loaded = PROTOCOLS.flatMap(({ name, inner }) => (inner === undefined ? [] : [inner().then((one) => [name, one] as const)]));
  return new Map(await Promise.all(loaded));
}

export function innerNamed(known: ReadonlyMap<string, InnerProtocol>, name: string, file: string): InnerProtocol {
  const found = known.get(name);
  if (found !== undefined) return found;
  throw new SlipwayError("config_invalid", `${file}: the protocol ${JSON.stringify(name)} cannot make one change of a run.`, {
    file,
    field: "/protocol",
    suggested_next_actions: [`Name one of features, ${[...known.keys()].join(", ")}.`],
  });
}
