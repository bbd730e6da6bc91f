import { printContract } from "@slipway/languages/micro-contracts/print";
import { moduleOf, type LatticeFunction } from "../lattice/lattice.ts";

/** What a verifier may know of modules: signatures with contracts. It is made from the lattice, which has no bodies. */
export function publicInterface(functions: readonly LatticeFunction[], modules: readonly string[]): string {
  return functions
    .filter(({ id }) => modules.includes(moduleOf(id)))
    .map(({ id, signature, contract }) =>
      [
        id,
        `  ${signature}`,
        ...printContract(contract)
          .split("\n")
          .map((line) => `  ${line}`),
      ].join("\n"),
    )
    .join("\n\n");
}
