import { SlipwayError } from "@slipway/agents/errors";

/** The parts of `.slipway/state_store`. */
export const STORE_PARTS = [
  "product",
  "project",
  "artifacts",
  "modules",
  "code_index",
  "debates",
  "context_packs",
  "exceptions",
  "escalations",
  "contributions",
  "releases",
] as const;
export type StorePart = (typeof STORE_PARTS)[number];

export const DEBATE_FILES = ["proposal.json", "challenge.json", "adjudication.json"] as const;

/** Where each thing is, relative to the state store. */
export const storePaths = {
  spec: "product/spec.json",
  specText: "product/spec.md",
  stateMachine: "project/state_machine.json",
  artifact: (pillar: string, id: string, version: string) => `artifacts/${named(pillar)}/${named(id)}/${named(version)}`,
  module: (id: string, version: string) => `modules/${named(id)}/${named(version)}`,
  /** One folder per round, so that no round overwrites another. */
  debateRound: (artifactId: string, round: number) => `debates/${named(artifactId)}/round-${round}`,
  contextPack: (id: string) => `context_packs/${named(id)}.json`,
  exception: (id: string) => `exceptions/${named(id)}.json`,
  /** Append-only, while the record beside it never changes. */
  exceptionDecisions: (id: string) => `exceptions/${named(id)}.decisions.jsonl`,
  escalation: (id: string) => `escalations/${named(id)}.json`,
  contribution: (id: string) => `contributions/${named(id)}.json`,
  release: (id: string) => `releases/${named(id)}.json`,
} as const;

/** Names come from models and people; a name must not act as a path. */
function named(name: string): string {
  if (/^[\w][\w.-]*$/.test(name) && !name.includes("..")) return name;
  throw new SlipwayError("path_out_of_bounds", `${JSON.stringify(name.slice(0, 80))} cannot be the name of a folder in the state store.`, {
    name: name.slice(0, 80),
    suggested_next_actions: ["Use letters, digits, hyphens and dots."],
  });
}

/** Splits a path below `modules/` into module, version and rest; null for the folders above a version. */
export function moduleOf(path: string): { readonly id: string; readonly version: string; readonly rest: readonly string[] } | null {
  const [part, id, version, ...rest] = path.split("/");
  return part === "modules" && id !== undefined && version !== undefined ? { id, version, rest } : null;
}

export function artifactOf(path: string): { readonly id: string; readonly version: string; readonly rest: readonly string[] } | null {
  const [part, , id, version, ...rest] = path.split("/");
  return part === "artifacts" && id !== undefined && version !== undefined ? { id, version, rest } : null;
}
