import type { AskedQuestion } from "../../protocol.ts";

/** Most resolutions need a payload, so the command shows them with their consequences first. */
export function factoryAnswerCommand({ kind, context = {} }: AskedQuestion): string | null {
  const { escalation, exception_id } = context;
  if (kind === "interface_change" && typeof exception_id === "string") return `slipway factory ice ${exception_id} APPROVE_CHANGE`;
  return kind === "escalation" && isEscalation(escalation) ? `slipway factory escalation ${escalation.escalation_id}` : null;
}

function isEscalation(value: unknown): value is { readonly escalation_id: string } {
  return typeof value === "object" && value !== null && "escalation_id" in value && typeof value.escalation_id === "string";
}
