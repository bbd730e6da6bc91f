import type { AskedQuestion } from "@slipway/protocols/protocol";
import { PROTOCOLS } from "@slipway/protocols/protocols";

interface Asked extends AskedQuestion {
  readonly id: string;
  readonly feature?: string | null;
  readonly options?: readonly { readonly value: string }[];
}

/** A command that answers a question, ready to paste; `slipway inbox` shows the other options. */
export function answerCommand(question: Asked, name = question.id): string {
  const feature = question.feature ?? question.context?.["feature_id"];
  if (question.kind === "approval" && typeof feature === "string") return `slipway approve ${feature}`;
  for (const { answerCommand: own } of PROTOCOLS) {
    const command = own?.(question) ?? null;
    if (command !== null) return command;
  }
  const choice = question.options?.[0]?.value ?? "";
  const comment = question.kind === "spec_approval" ? "" : " --comment '…'";
  return `slipway answer ${/^\w+$/.test(name) ? name : `'${name}'`}${choice === "" ? "" : ` ${choice}`}${comment}`;
}
