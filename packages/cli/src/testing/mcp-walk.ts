import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One call of the walk-through in `docs/mcp.md`. */
export interface WalkStep {
  readonly as: "orchestrator" | "builder";
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export const WALK_SPEC = { path: ".slipway/features/greeting/spec.md", text: "# Greeting\n\nA file greets.\n" };

/** The calls from the specification to the base branch, as the page has them. */
export function documentedWalk(): WalkStep[] {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/mcp.md"), "utf8");
  const block = /```jsonl\n([^`]+)```/.exec(page)?.[1] ?? "";
  return block
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as WalkStep);
}

/** Fills in the values that the page leaves open. */
export function filledIn(step: WalkStep, known: { readonly version: number; readonly token: string | null }): Record<string, unknown> {
  return {
    ...step.arguments,
    ...("expected_version" in step.arguments ? { expected_version: known.version } : {}),
    ...("user_approval_token" in step.arguments ? { user_approval_token: known.token } : {}),
  };
}

/** The only call that is refused: merging before a person has approved. */
export function expectedRefusal({ tool, arguments: given }: WalkStep): string | undefined {
  return tool === "feature.ready_to_merge" && !("user_approval_token" in given) ? "user_approval_required" : undefined;
}
