import { printContract } from "@slipway/languages/micro-contracts/print";
import type { LatticeFunction } from "../lattice/lattice.ts";

/** The only things an attempt may learn of earlier failures. */
export type AttemptHint =
  | { readonly kind: "none" }
  /** The parser's message. */
  | { readonly kind: "syntax"; readonly message: string }
  /** Definitions two levels deep instead of one; the text has them already. */
  | { readonly kind: "types" }
  /** What failed, on escalation: never what was tried. */
  | { readonly kind: "summary"; readonly text: string };

export interface FunctionPrompt {
  readonly target: Pick<LatticeFunction, "name" | "signature" | "contract">;
  readonly typeDefinitions: string;
  readonly hint: AttemptHint;
}

const INDENT = "  ";

/** Everything that a model sees of the project when it writes one body. */
export function functionPrompt({ target, typeDefinitions, hint }: FunctionPrompt): string {
  return [
    `FUNCTION: ${target.name}`,
    `SIGNATURE: ${target.signature}`,
    "",
    "CONTRACTS:",
    indented(printContract(target.contract)),
    "",
    "TYPE DEFINITIONS:",
    indented(typeDefinitions === "" ? "(none)" : typeDefinitions),
    "",
    ...hintLines(hint),
    "IMPLEMENT THE FUNCTION. Output only the function body.",
  ].join("\n");
}

function hintLines(hint: AttemptHint): string[] {
  if (hint.kind === "syntax") return [`SYNTAX HINT: ${hint.message}`, ""];
  return hint.kind === "summary" ? [hint.text, ""] : [];
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `${INDENT}${line}`))
    .join("\n");
}
