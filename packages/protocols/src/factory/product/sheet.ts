import type { SearchResult } from "@slipway/agents/web-search/web-search";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { Deficiency, ValidationReport } from "./deficiency.ts";
import type { CallOf, ToolCall } from "./tools/calls.ts";

/** What a tool gave. A failed call says why, and where a draft was refused, everything that is wrong with it. */
export type ToolResult =
  { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: string; readonly report?: ValidationReport };

export interface Exchange {
  readonly round: number;
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/** All that one product owner knows: a fold over what it asked for and what it was told, so that a resumed run has the same. */
export interface Sheet {
  /** One more with every rejection: nothing of an earlier one is in it. */
  readonly context: number;
  /** The file the person wrote. */
  readonly source: { readonly name: string; readonly text: string };
  /** Drafts it begins with. */
  readonly given: ReadonlyMap<string, string>;
  readonly round: number;
  readonly files: ReadonlyMap<string, string>;
  readonly exchanges: readonly Exchange[];
  /** What people wrote to it, in order. */
  readonly messages: readonly string[];
  /** Why the last round came to nothing. */
  readonly trouble: string | null;
}

/** Where the product owner finds what was built before the page was edited. */
export const BEFORE = { page: "before/SPEC.md", spec: "before/spec.json" } as const;

export function freshSheet(context: number, name: string, text: string, given: Sheet["given"] = new Map()): Sheet {
  return { context, source: { name, text }, given, round: 0, files: new Map(given), exchanges: [], messages: [], trouble: null };
}

const REJECTION_HEADING = "## Rejection Feedback";

/** The person's own text and why the spec was rejected. Of the rejected spec, its research and its drafts nothing is left. */
export function afterRejection({ context, given }: Sheet, name: string, original: string, reasons: string): Sheet {
  return freshSheet(context + 1, name, `${original.trimEnd()}\n\n${REJECTION_HEADING}\n\n${reasons.trim()}\n`, given);
}

export function withMessage(sheet: Sheet, message: string): Sheet {
  return { ...sheet, messages: [...sheet.messages, message], trouble: null };
}

export function nextRound(sheet: Sheet): Sheet {
  return { ...sheet, round: sheet.round + 1 };
}

export function withTrouble(sheet: Sheet, trouble: string): Sheet {
  return { ...sheet, trouble };
}

export function afterCall(sheet: Sheet, call: ToolCall, result: ToolResult): Sheet {
  const files = call.tool === "write_file" && result.ok ? written(sheet.files, call) : sheet.files;
  return { ...sheet, files, trouble: null, exchanges: [...sheet.exchanges, { round: sheet.round, call, result }] };
}

/** The last one written comes last. */
function written(files: Sheet["files"], { path, content }: CallOf<"write_file">): Sheet["files"] {
  const where = assertCanonicalPath(path);
  return new Map([...files].filter(([other]) => other !== where)).set(where, content);
}

/** Page and texts as references: every context counts from its own first version, and each text goes up by one when it is written again. */
export function textRefs({ context, source, given, files, exchanges }: Sheet): { readonly page: string; readonly own: readonly string[] } {
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

/** One query and where it led. */
export interface Source {
  readonly query: string;
  readonly urls: readonly string[];
  /** Why it led nowhere. */
  readonly failed?: string;
}

export function sourcesOf({ exchanges }: Pick<Sheet, "exchanges">): Source[] {
  return exchanges.flatMap(({ call, result }): Source[] => {
    if (call.tool !== "web_search") return [];
    if (!result.ok) return [{ query: call.query, urls: [], failed: result.error }];
    return [{ query: call.query, urls: (result.output as readonly SearchResult[]).map(({ url }) => url) }];
  });
}

/** What `emit_structured_spec` returns, and what the gate is opened with. */
export interface Emitted {
  readonly artifact_ref: string;
  readonly spec_digest: string;
  readonly warnings: readonly Deficiency[];
}

/** The spec as it was last emitted. */
export function emittedSpec({ exchanges }: Sheet): unknown {
  const last = exchanges.findLast(({ call, result }) => call.tool === "emit_structured_spec" && result.ok);
  return last?.call.tool === "emit_structured_spec" ? last.call.spec : null;
}
