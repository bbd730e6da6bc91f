import { agentTools, type AgentToolsOptions } from "./artifacts/agent-tools.ts";
import type { Artifacts } from "./artifacts/artifacts.ts";
import { refOf } from "./artifacts/envelope.ts";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { contractSchema } from "@slipway/languages/contracts/schema";
import { z } from "zod";
import type { EngineeringServices } from "./engineering/ports.ts";

const evidence = z.object({ verification: z.object({ result: z.enum(["PASS", "FAIL"]), interface_fingerprint: z.string() }) });

/** The artifact tools of a role. `ship_artifact` reads the records of the ship step and ignores every claim of the agent. */
export function artifactTools(
  artifacts: Artifacts,
  search: (role: string, input: unknown) => Promise<unknown>,
): EngineeringServices["artifactTools"] {
  return (context, call) =>
    agentTools({
      artifacts,
      context,
      call: () => call,
      shipGround: (id) => shipGround(artifacts, id),
      search: (input) => search(context.role, input),
    });
}

/** The evidence recorded for an implementation; null if there is none. The ship step writes it last, after every check has passed. */
async function shipGround(
  artifacts: Pick<Artifacts, "get" | "query" | "read">,
  id: string,
): Promise<Awaited<ReturnType<AgentToolsOptions["shipGround"]>>> {
  const { envelope } = await artifacts.get(id);
  const evidences = await artifacts.query({ artifact_type: "SHIP_EVIDENCE" });
  const about = evidences.find(({ inputs }) => inputs.some(({ ref }) => ref === refOf(envelope)));
  if (about === undefined) return null;
  const { verification } = evidence.parse(JSON.parse(await artifacts.read(about.artifact_id, "ship.json")));
  const contract = envelope.inputs.find(({ ref }) => ref.startsWith("CTR-"));
  const locked = contract === undefined ? null : await artifacts.read(contract.ref.split("@")[0] ?? "", "contract.json");
  return {
    to: "SHIPPED",
    amendmentsApplied: true,
    evidence: {
      kind: "code",
      result: verification.result,
      fingerprint: verification.interface_fingerprint,
      lockedFingerprint: locked === null ? null : fingerprintOf(contractSchema.parse(JSON.parse(locked))),
    },
  };
}
