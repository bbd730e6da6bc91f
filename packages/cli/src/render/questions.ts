interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly feature?: string | null;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly options?: readonly { readonly value: string }[];
}

/** A command that answers a question and can be pasted as it is; further options are shown by `slipway inbox`. */
export function answerCommand(question: Asked, name = question.id): string {
  const feature = question.feature ?? question.context?.["feature_id"];
  if (question.kind === "approval" && typeof feature === "string") return `slipway approve ${feature}`;
  const { escalation, exception_id } = question.context ?? {};
  if (question.kind === "interface_change" && typeof exception_id === "string") return `slipway factory ice ${exception_id} APPROVE_CHANGE`;
  // Most resolutions need more than a word: they are shown first, with what each would do.
  if (question.kind === "escalation" && isEscalation(escalation)) return `slipway factory escalation ${escalation.escalation_id}`;
  const choice = question.options?.[0]?.value ?? "";
  const comment = question.kind === "spec_approval" ? "" : " --comment '…'";
  return `slipway answer ${/^\w+$/.test(name) ? name : `'${name}'`}${choice === "" ? "" : ` ${choice}`}${comment}`;
}

function isEscalation(value: unknown): value is { readonly escalation_id: string } {
  return typeof value === "object" && value !== null && "escalation_id" in value && typeof value.escalation_id === "string";
}
