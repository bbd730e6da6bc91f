import type { CriticalityRun } from "../criticality-run.ts";
import { claimsOf, moduleOf, type LatticeFunction } from "../lattice/lattice.ts";
import type { Cluster } from "./clusters.ts";

/** The functions that refer to a violated claim; if none does, all functions of the cluster's modules. By id, sorted. */
export function functionsToReinject(
  violatedClaims: readonly string[],
  cluster: Pick<Cluster, "modules">,
  functions: readonly Pick<LatticeFunction, "id" | "contract">[],
): string[] {
  const linked = functions.filter(({ contract }) => claimsOf(contract).some((claim) => violatedClaims.includes(claim)));
  const queued = linked.length > 0 ? linked : functions.filter(({ id }) => cluster.modules.includes(moduleOf(id)));
  return queued.map(({ id }) => id).toSorted();
}

/** Notes violated claims in the ledger, before their functions are written again. */
export async function recordViolation(
  run: Pick<CriticalityRun, "ledger">,
  name: string,
  cluster: Pick<Cluster, "name">,
  violatedClaims: readonly string[],
): Promise<void> {
  await run.ledger.append(
    name,
    violatedClaims.map((claim) => ({
      prefix: "violated_claim_",
      constraint: `Claim ${claim} was violated in cluster ${cluster.name} and must hold`,
      category: "verification",
      source: "mesoscopic_failure",
      phase: "mesoscopic",
      confidence: "inferred" as const,
    })),
  );
}
