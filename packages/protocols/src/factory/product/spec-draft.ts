import type { WebSearchResult } from "@slipway/agents/web-search/web-search";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { Deficiency, ValidationReport } from "./deficiency.ts";
import type { CallOf, ProductToolCall } from "./tools/calls.ts";

/** The result of a tool. A failed call has the reason and, for a refused draft, all its errors. */
export type ToolResult =
  { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: string; readonly report?: ValidationReport };

export interface Exchange {
  readonly round: number;
  readonly call: ProductToolCall;
  readonly result: ToolResult;
}

/** The state of one product owner: a fold over its calls and their results, so that a resumed run has the same state. */
export interface SpecDraft {
  /** Increases with every rejection; nothing of an earlier context remains. */
  readonly context: number;
  /** The file the person wrote. */
  readonly source: { readonly name: string; readonly text: string };
  /** Drafts it starts with. */
  readonly given: ReadonlyMap<string, string>;
  readonly round: number;
  readonly files: ReadonlyMap<string, string>;
  readonly exchanges: readonly Exchange[];
  /** Messages of people, in order. */
  readonly messages: readonly string[];
  /** Why the last round failed. */
  readonly trouble: string | null;
}

/** Paths of the previous page and spec for the product owner. */
export const BEFORE = { page: "before/SPEC.md", spec: "before/spec.json" } as const;

export function freshDraft(context: number, name: string, text: string, given: SpecDraft["given"] = new Map()): SpecDraft {
  return { context, source: { name, text }, given, round: 0, files: new Map(given), exchanges: [], messages: [], trouble: null };
}

const REJECTION_HEADING = "## Rejection Feedback";

/** A new context with the page and the reasons of the rejection; the rejected spec, its research and its drafts are dropped. */
export function afterRejection({ context, given }: SpecDraft, name: string, original: string, reasons: string): SpecDraft {
  return freshDraft(context + 1, name, `${original.trimEnd()}\n\n${REJECTION_HEADING}\n\n${reasons.trim()}\n`, given);
}

export function withMessage(draft: SpecDraft, message: string): SpecDraft {
  return { ...draft, messages: [...draft.messages, message], trouble: null };
}

export function nextRound(draft: SpecDraft): SpecDraft {
  return { ...draft, round: draft.round + 1 };
}

export function withTrouble(draft: SpecDraft, trouble: string): SpecDraft {
  return { ...draft, trouble };
}

export function afterCall(draft: SpecDraft, call: ProductToolCall, result: ToolResult): SpecDraft {
  const files = call.tool === "write_file" && result.ok ? written(draft.files, call) : draft.files;
  return { ...draft, files, trouble: null, exchanges: [...draft.exchanges, { round: draft.round, call, result }] };
}

/** The draft written last comes last. */
function written(files: SpecDraft["files"], { path, content }: CallOf<"write_file">): SpecDraft["files"] {
  const where = assertCanonicalPath(path);
  return new Map([...files].filter(([other]) => other !== where)).set(where, content);
}

/**
 * Versioned references to page and drafts: each context has its own major version, and every rewrite of a text raises its minor version.
 */
export function textRefs({ context, source, given, files, exchanges }: SpecDraft): {
  readonly page: string;
  readonly own: readonly string[];
} {
  const writes = exchanges.flatMap(({ call, result }) => (call.tool === "write_file" && result.ok ? [assertCanonicalPath(call.path)] : []));
  const texts = [...files.keys()].filter((path) => path !== source.name);
  return {
    page: `${source.name}@${context}.0.0`,
    own: texts.map((path) => {
      const times = writes.filter((other) => other === path).length;
      return `${path}@${context}.${given.has(path) ? times : times - 1}.0`;
    }),
  };
}

/** One query with its results. */
export interface Source {
  readonly query: string;
  readonly urls: readonly string[];
  /** Why it failed. */
  readonly failed?: string;
}

export function sourcesOf({ exchanges }: Pick<SpecDraft, "exchanges">): Source[] {
  return exchanges.flatMap(({ call, result }): Source[] => {
    if (call.tool !== "web_search") return [];
    if (!result.ok) return [{ query: call.query, urls: [], failed: result.error }];
    return [{ query: call.query, urls: (result.output as readonly WebSearchResult[]).map(({ url }) => url) }];
  });
}

/** The result of `emit_structured_spec`, which opens the gate. */
export interface Emitted {
  readonly artifact_ref: string;
  readonly spec_digest: string;
  readonly warnings: readonly Deficiency[];
}

/** The spec emitted last. */
export function emittedSpec({ exchanges }: SpecDraft): unknown {
  const last = exchanges.findLast(({ call, result }) => call.tool === "emit_structured_spec" && result.ok);
  return last?.call.tool === "emit_structured_spec" ? last.call.spec : null;
}
