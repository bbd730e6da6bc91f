/** How much of a path a role may see. */
export const LEVELS = ["FULL", "CONTRACT_ONLY", "SUMMARY_ONLY", "METADATA_ONLY"] as const;
export type Level = (typeof LEVELS)[number];

/** The only files of a module that other modules may see. */
export const CONTRACT_SURFACE: readonly string[] = ["contract.json", "examples.md", "ship.json"];

/** Only directly in the module's folder: a file of the same name in a subfolder is implementation. */
export function isContractSurface(module: string, path: string): boolean {
  return CONTRACT_SURFACE.includes(module === "." ? path : path.slice(module.length + 1));
}

/** The specification prescribes this text word for word. */
export function accessDenied(path: string): string {
  return (
    `ACCESS DENIED: '${path}' is a sealed implementation directory. ` +
    "This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. " +
    "See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. " +
    "If the contract is insufficient, raise an Interface Change Exception (§13)."
  );
}
