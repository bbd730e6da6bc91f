import { RESULTS } from "@slipway/agents/invoke";
import { createPack, type Pack, type PackItem } from "@slipway/agents/pack";
import { emittedSpec, type Exchange, type SpecDraft } from "./spec-draft.ts";

/** How much draft text one pack may contain; the newest drafts come first. */
const MAX_DRAFT_CHARACTERS = 512 * 1024;
const MAX_EARLIER_CHARACTERS = 4_000;
/** Earlier calls than the last 40 are listed without results. */
const WITH_RESULTS = 40;

/** The draft as far as it fits, in a fixed order. Equal drafts give equal packs. */
export function packOf(draft: SpecDraft): Pack {
  const { source, exchanges, messages, round, trouble } = draft;
  // The current round has no calls yet.
  const last = exchanges.filter((one) => one.round === round - 1);
  const earlier = exchanges.filter((one) => one.round < round - 1);
  const spec = emittedSpec(draft);
  return createPack([
    { title: source.name, kind: "spec", text: source.text },
    ...(spec === null ? [] : [{ title: "the spec as it was last emitted", kind: "draft", text: JSON.stringify(spec, null, 2) }]),
    ...drafts(draft),
    ...(earlier.length === 0 ? [] : [{ title: "earlier calls", kind: "history", text: historyText(earlier) }]),
    ...messages.map((text, index) => ({ title: `message ${index + 1}`, kind: "human_message", text })),
    { title: "last tool results", kind: RESULTS, text: trouble ?? (last.length === 0 ? "none" : last.map(whole).join("\n\n")) },
  ]);
}

function drafts({ files }: SpecDraft): PackItem[] {
  let remaining = MAX_DRAFT_CHARACTERS;
  return [...files].toReversed().map(([path, text]) => {
    remaining -= text.length;
    return { title: path, kind: "draft", text: remaining >= 0 ? text : `(${text.length} characters; read_file shows them)` };
  });
}

function historyText(exchanges: readonly Exchange[]): string {
  const shown = exchanges.length - WITH_RESULTS;
  return exchanges.map((one, index) => (index < shown ? asked(one) : short(whole(one)))).join("\n");
}

function whole(exchange: Exchange): string {
  const { result } = exchange;
  return `${asked(exchange)}\n${JSON.stringify(result.ok ? result.output : { error: result.error, ...result.report })}`;
}

/** Leaves out texts that are elsewhere in the pack. */
function asked({ round, call }: Exchange): string {
  const { tool, ...input } = call;
  const shown = JSON.stringify(input, (key, value: unknown) => (key === "content" || key === "spec" ? "(…)" : value));
  return `[${round}] ${tool} ${shown}`;
}

function short(text: string): string {
  return text.length <= MAX_EARLIER_CHARACTERS ? text : `${text.slice(0, MAX_EARLIER_CHARACTERS)}…`;
}
