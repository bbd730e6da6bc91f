import type { PackItem } from "@slipway/agents/pack";
import { printContract } from "@slipway/languages/micro-contracts/print";
import type { WitnessDefinition } from "@slipway/languages/witnesses/definition";
import type { LatticeFunction } from "../lattice/lattice.ts";
import type { ChunkedArtifact } from "../routing/fit-request.ts";
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
      text: contractsText(functions),
    },
    { title: "Type witnesses", kind: "witnesses", text: json(witnesses) },
  ];
}

/** The contracts by file: an audit that fits no model sees them one after another. */
export function auditedContracts({ functions }: Pick<AuditInput, "functions">): ChunkedArtifact {
  const byFile = Map.groupBy(functions, ({ id }) => id.split("#")[0] ?? id);
  return { kind: "contracts", files: [...byFile].map(([path, some]) => ({ path, lines: contractsText(some).split("\n") })) };
}

function contractsText(functions: AuditInput["functions"]): string {
  return functions.map(({ id, contract }) => `${id}\n${printContract(contract)}`).join("\n\n");
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
