interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly feature?: string | null;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly options?: readonly { readonly value: string }[];
}

/** The exact command that answers a question. */
export function answerCommand(question: Asked, name = question.id): string {
  const feature = question.feature ?? question.context?.["feature_id"];
  if (question.kind === "approval" && typeof feature === "string") return `slipway approve ${feature}`;
  const choices = question.options?.map(({ value }) => value).join("|") ?? "";
  return `slipway answer ${/^\w+$/.test(name) ? name : `'${name}'`}${choices === "" ? "" : ` ${choices}`} --comment '…'`;
}
