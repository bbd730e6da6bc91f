import { isUtf8 } from "node:buffer";
import { MAX_RESULTS, type WebSearch } from "@slipway/agents/web-search/web-search";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { assertCanonicalPath, visible } from "@slipway/kernel/paths/paths";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { asToolResult } from "../../tool-result.ts";
import { sourcesOf, type Emitted, type SpecDraft, type Source, type ToolResult } from "../spec-draft.ts";
import { judgeSpec, validateSpec, type Judged } from "../validate.ts";
import type { CallOf, CodeIndexQuery, ProductToolCall, ToolName } from "./calls.ts";

/** What the tools need besides the draft. */
export interface ToolPorts {
  /** Null if web search is off. */
  readonly webSearch: WebSearch | null;
  readonly searchCodeIndex: (query: CodeIndexQuery) => Promise<readonly unknown[]>;
  /** Reads a committed file of the repository; null if there is none. */
  readonly readRepository: ReadFile;
  /** Stores a draft where a person can read it. */
  readonly keepDraft: (context: number, path: string, content: string) => Promise<void>;
  readonly persist: (spec: Extract<Judged, { ok: true }>, sources: readonly Source[]) => Promise<Emitted>;
  readonly conceal: (text: string) => string;
}

const MAX_READ_BYTES = 256 * 1024;

type Tools = {
  readonly [T in ToolName]: (call: CallOf<T>, draft: SpecDraft, ports: ToolPorts, signal: AbortSignal) => Promise<ToolResult>;
};

const TOOLS: Tools = {
  async web_search({ query, max_results }, _sheet, { webSearch, conceal }, signal) {
    if (webSearch === null) return refused(SEARCH_IS_OFF);
    const results = await webSearch(conceal(query), Math.min(max_results, MAX_RESULTS), signal);
    return { ok: true, output: results.slice(0, MAX_RESULTS).map(({ url, title, snippet }) => ({ url, title, snippet })) };
  },

  async read_file(call, draft, { readRepository }) {
    const path = assertCanonicalPath(call.path);
    if (path === draft.source.name) return { ok: true, output: { content: draft.source.text } };
    const written = draft.files.get(path);
    if (written !== undefined) return { ok: true, output: { content: written } };
    const bytes = await readRepository(path);
    if (bytes === null) return refused(`There is no ${visible(path)} in the workspace.`);
    if (bytes.byteLength > MAX_READ_BYTES)
      return refused(`${visible(path)} has ${bytes.byteLength} bytes; at most ${MAX_READ_BYTES} are read.`);
    if (!isUtf8(bytes)) return refused(`${visible(path)} is no text.`);
    return { ok: true, output: { content: Buffer.from(bytes).toString() } };
  },

  async write_file({ path, content }, { context, source }, { keepDraft }) {
    const where = assertCanonicalPath(path);
    if (where === source.name) return refused(`${source.name} is the person's own: write your draft beside it.`);
    await keepDraft(context, where, content);
    return { ok: true, output: { success: true } };
  },

  async validate_spec({ spec_path }, draft, ports, signal) {
    const found = await TOOLS.read_file({ tool: "read_file", path: spec_path }, draft, ports, signal);
    if (!found.ok) return found;
    const parsed = parseStrictJson((found.output as { content: string }).content);
    return parsed.ok ? { ok: true, output: validateSpec(parsed.value) } : refused(`${visible(spec_path)}: ${parsed.problem}.`);
  },

  async search_code_index({ tool: _tool, ...query }, _sheet, { searchCodeIndex }) {
    return { ok: true, output: await searchCodeIndex(query) };
  },

  async emit_structured_spec({ spec }, draft, { persist }) {
    const judged = judgeSpec(spec);
    if (judged.ok) return { ok: true, output: await persist(judged, sourcesOf(draft)) };
    return { ok: false, error: "Nothing was emitted: the spec has errors.", report: judged.report };
  },
};

const SEARCH_IS_OFF =
  "web_search is off: no backend is configured under runtime.web_search of slipway/agents.yaml. Go on from SPEC.md, the files and what you know.";

export async function perform(call: ProductToolCall, draft: SpecDraft, ports: ToolPorts, signal: AbortSignal): Promise<ToolResult> {
  const tool = TOOLS[call.tool] as (call: ProductToolCall, ...rest: [SpecDraft, ToolPorts, AbortSignal]) => Promise<ToolResult>;
  return asToolResult(signal, () => tool(call, draft, ports, signal));
}

function refused(error: string): ToolResult {
  return { ok: false, error };
}
