import type { Refusal } from "@slipway/agents/provider";
import { canonicalJson, sha256, type Json } from "@slipway/durable/canonical";
import { recordEgress } from "@slipway/kernel/change/judge/evidence/egress";
import { NOT_NAMED, type HostTraffic } from "@slipway/kernel/host/sandbox/egress";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { z } from "zod";
import type { RefusedWork } from "./refusals.ts";

/**
 * Attempts to reach another server behind the name of a host that is allowed. Requests for other hosts, as clients make them for their
 * telemetry, are only in the transcript.
 */
export function trafficRefusals(traffic: readonly HostTraffic[]): Refusal[] {
  return traffic.flatMap(({ host, refused }) =>
    refused.filter((reason) => reason !== NOT_NAMED).map((reason) => ({ tool: "network", path: host, reason })),
  );
}

const egressInput = z.strictObject({
  run_id: z.string(),
  role: z.string(),
  subject: z.string(),
  invocation: z.string(),
  hosts: z.array(
    z.strictObject({
      host: z.string(),
      connections: z.int(),
      bytes_out: z.number(),
      bytes_in: z.number(),
      refused: z.array(z.string()).readonly(),
    }),
  ),
  at: z.number(),
});
type EgressInput = z.infer<typeof egressInput>;

const egress: Operation<EgressInput, void, null> = {
  name: "agent.egress",
  roles: ["orchestrator", "system"],
  input: egressInput,
  async commit(tx, { subject: feature_id, ...call }, _effect, { operationId: id }) {
    await recordEgress(tx, { id, feature_id, ...call });
    return null;
  },
  event: ({ role, subject, hosts }) => ({ role, subject, hosts }),
};

/** Records what an agent sent from its sandbox, for the evidence. The time is part of the id: another try of the same invocation adds its own. */
export async function recordTraffic(
  { door, clock }: Pick<Kernel, "door" | "clock">,
  { role, subject, invocation, call, runId }: RefusedWork & { readonly runId: string },
  traffic: readonly HostTraffic[],
): Promise<void> {
  if (traffic.length === 0) return;
  const input: EgressInput = { run_id: runId, role, subject, invocation, hosts: [...traffic], at: clock.now() };
  const digest = sha256(canonicalJson(input as unknown as Json)).slice(0, 16);
  await door.relaxed.perform(egress, call.actor, `${invocation}/egress:${digest}`, input);
}
