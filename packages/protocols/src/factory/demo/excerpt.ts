import type { InboxQuestion } from "@slipway/kernel/record/questions/question";

/** An excerpt of a question: the outline of a spec, the additions to a contract; other questions unchanged. */
export function excerptOf({ kind, body, context }: InboxQuestion): readonly string[] {
  if (kind === "spec_approval") return outline(body);
  return kind === "interface_change" ? change(body, context) : body.split("\n");
}

/** The headings of a spec. */
function outline(markdown: string): string[] {
  return markdown.split("\n").filter((line) => /^#{1,6} |^No warnings/.test(line));
}

/** The reason of a contract change, and its additions. */
function change(body: string, context: InboxQuestion["context"]): string[] {
  const { details } = (context["escalation"] ?? {}) as { readonly details?: { readonly proposed_contract_delta?: object } };
  const changed = Object.entries(details?.proposed_contract_delta ?? {}).filter(([, list]) => Array.isArray(list) && list.length > 0);
  const [reason = ""] = body.split("\n");
  return [reason, ...changed.map(([name, list]) => `${name}: ${JSON.stringify(list)}`)];
}
