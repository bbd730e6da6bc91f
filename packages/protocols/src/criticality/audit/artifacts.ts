import type { PackItem } from "@slipway/agents/pack";
import { printContract } from "@slipway/languages/micro-contracts/print";
import type { WitnessDefinition } from "@slipway/languages/witnesses/definition";
import type { LatticeFunction } from "../lattice/lattice.ts";
import type { SystemSpec } from "../spec/schema.ts";

export interface AuditInput {
  readonly constraints: SystemSpec["constraints"];
  readonly functions: readonly Pick<LatticeFunction, "id" | "contract">[];
  readonly witnesses: readonly WitnessDefinition[];
}

/** All that an auditor sees: constraints, contracts and witnesses. No bodies, and nothing of earlier calls. */
export function auditArtifacts({ constraints, functions, witnesses }: AuditInput): PackItem[] {
  return [
    { title: "Constraints of the specification", kind: "constraints", text: json(constraints) },
    {
      title: "Contracts of the functions",
      kind: "contracts",
      text: functions.map(({ id, contract }) => `${id}\n${printContract(contract)}`).join("\n\n"),
    },
    { title: "Type witnesses", kind: "witnesses", text: json(witnesses) },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
