import type { Refusal } from "@slipway/agents/provider";
import { NOT_NAMED, type HostTraffic } from "@slipway/kernel/host/sandbox/egress";

/**
 * Attempts to reach another server behind the name of a host that is allowed. Requests for other hosts, as clients make them for their
 * telemetry, are only in the transcript.
 */
export function trafficRefusals(traffic: readonly HostTraffic[]): Refusal[] {
  return traffic.flatMap(({ host, refused }) =>
    refused.filter((reason) => reason !== NOT_NAMED).map((reason) => ({ tool: "network", path: host, reason })),
  );
}
