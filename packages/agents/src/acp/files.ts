import { RequestError, type ReadTextFileRequest, type WriteTextFileRequest } from "@agentclientprotocol/sdk/unstable";
import { SlipwayError } from "../errors.ts";
import type { AgentEvent, Workplace } from "../provider.ts";
import type { NativeTool } from "../tools/native-tools.ts";
import { packPath } from "./folder-path.ts";

/** How much of a read file the transcript shows. */
const SHOWN_CHARACTERS = 2_000;

/** The protocol's file system over the pack: it applies the pack's permissions and logs reads. */
export interface PackFiles {
  read(request: ReadTextFileRequest): Promise<{ content: string }>;
  write(request: WriteTextFileRequest): Promise<object>;
}

export function packFiles({ folder, tree }: Workplace, granted: readonly NativeTool[], onEvent: (event: AgentEvent) => void): PackFiles {
  async function logged<T>(
    name: string,
    needed: readonly NativeTool[],
    path: string,
    work: (path: string) => Promise<{ result: T; output: string }>,
  ): Promise<T> {
    const tell = (ok: boolean, output: string) => onEvent({ kind: "tool", name, input: { path }, output, ok, duration_ms: 0 });
    try {
      if (!needed.some((tool) => granted.includes(tool))) throw new SlipwayError("policy_violation", `The role has no tool for ${name}.`);
      const inside = packPath(folder, path);
      if (inside === null) throw new SlipwayError("path_out_of_bounds", `${path} is outside the context pack.`);
      const { result, output } = await work(inside);
      tell(true, output);
      return result;
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      tell(false, error.message);
      if (REFUSALS.has(error.code)) onEvent({ kind: "refused", tool: name, path: packPath(folder, path) ?? path, reason: error.message });
      throw refusal(error);
    }
  }

  return {
    read: ({ path, line, limit }) =>
      logged("fs/read_text_file", ["read"], path, async (inside) => {
        const content = excerpt(new TextDecoder().decode(await tree.read(inside)), line ?? 1, limit ?? null);
        return { result: { content }, output: content.slice(0, SHOWN_CHARACTERS) };
      }),
    write: ({ path, content }) =>
      logged("fs/write_text_file", ["write", "edit"], path, async (inside) => {
        const bytes = new TextEncoder().encode(content);
        await tree.write(inside, bytes);
        return { result: {}, output: `${bytes.byteLength} bytes` };
      }),
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["policy_violation", "path_out_of_bounds"]);

const NOT_FOUND = -32002;

/** Agents look for a file before they create it, so a missing file is reported as "not found", not as a refusal. */
function refusal({ code, message }: SlipwayError): RequestError {
  if (code === "input_path_not_found") return new RequestError(NOT_FOUND, `Resource not found: ${message}`, { code });
  return RequestError.invalidParams({ code }, message);
}

/** Lines are counted from 1. */
function excerpt(text: string, line: number, limit: number | null): string {
  if (line <= 1 && limit === null) return text;
  const from = Math.max(line, 1) - 1;
  return text
    .split("\n")
    .slice(from, limit === null ? undefined : from + limit)
    .join("\n");
}
