import type { Confidence, Decision } from "@slipway/kernel/record/decisions/decision";

/** The only fields that may reach a model. */
export type ConstraintView = Pick<Decision, "id" | "constraint" | "confidence" | "status">;

const GROUPS = [
  "CANONICAL (user-confirmed):",
  "INFERRED (may be revised if contradicted):",
  "SUSPENDED (require explicit confirmation):",
] as const;

/** An unresolved contradiction is shown to a person, not to a model: the protocol halts while it is in force. */
const GROUP_OF: Readonly<Record<Confidence, (typeof GROUPS)[number] | null>> = {
  canonical: GROUPS[0],
  delegated: GROUPS[0],
  inferred: GROUPS[1],
  provisional: GROUPS[1],
  suspended: GROUPS[2],
  blocking: null,
};

const LAST_LINE = "All canonical constraints must be satisfied.";

export function constraintBlock(entries: readonly ConstraintView[]): string {
  const active = entries.filter(({ status }) => status === "active");
  const groups = GROUPS.map((heading) => {
    const items = active.filter(({ confidence }) => GROUP_OF[confidence] === heading);
    const lines = items.map(({ constraint, id }) => `- ${oneLine(constraint)} [${id}]`);
    return [heading, ...(lines.length === 0 ? ["- None currently"] : lines)].join("\n");
  });
  return [...groups, LAST_LINE].join("\n\n");
}

/** A constraint of several lines could look like another heading. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
