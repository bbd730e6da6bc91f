import type { ReadFile } from "../files/read-file.ts";
import type { InstalledTool } from "./installations.ts";

/** The requested version, and the file that requests it. */
export interface WantedVersion {
  readonly version: string;
  readonly file: string;
}

export interface WantedVersions extends Readonly<Record<InstalledTool, WantedVersion | null>> {
  /** Every line of .tool-versions: nodejs 20.11.1, golang 1.22.0, … */
  readonly tools: readonly { readonly tool: string; readonly version: string }[];
}

const LARGEST_BYTES = 1024 ** 2;

/**
 * Reads the commit that the gates come from, never a worktree: an older interpreter may skip every test, so a change must
 * not choose the interpreter that judges it.
 */
export async function wantedVersions(readFile: ReadFile): Promise<WantedVersions> {
  const [nvmrc = "", nodeVersion = "", pythonVersion = "", toolVersions = "", packageJson = ""] = await Promise.all(
    [".nvmrc", ".node-version", ".python-version", ".tool-versions", "package.json"].map((file) => textOf(readFile, file)),
  );
  const tools = toolLines(toolVersions);
  const listed = (...names: readonly string[]) => tools.find(({ tool }) => names.includes(tool))?.version ?? null;
  const { volta, engines } = packageVersions(packageJson);
  return {
    node: first(
      [firstLine(nvmrc), ".nvmrc"],
      [firstLine(nodeVersion), ".node-version"],
      [listed("nodejs", "node"), ".tool-versions"],
      [volta, "package.json (volta)"],
      [engines, "package.json (engines)"],
    ),
    python: first([firstLine(pythonVersion), ".python-version"], [listed("python"), ".tool-versions"]),
    tools,
  };
}

async function textOf(readFile: ReadFile, file: string): Promise<string> {
  const bytes = await readFile(file);
  return bytes === null || bytes.length > LARGEST_BYTES ? "" : Buffer.from(bytes).toString("utf8");
}

function first(...found: readonly (readonly [version: string | null, file: string])[]): WantedVersion | null {
  const [hit] = found.flatMap(([version, file]) => (version === null ? [] : [{ version, file }]));
  return hit ?? null;
}

/** The first line that is neither empty nor a comment. */
export function firstLine(text: string): string | null {
  return lines(text)[0] ?? null;
}

export function toolLines(text: string): { tool: string; version: string }[] {
  return lines(text).flatMap((line) => {
    const [tool, version] = line.split(/\s+/);
    return tool === undefined || version === undefined ? [] : [{ tool, version }];
  });
}

function lines(text: string): string[] {
  return text.split("\n").flatMap((line) => line.replace(/#.*$/, "").trim() || []);
}

function packageVersions(text: string): { volta: string | null; engines: string | null } {
  try {
    const parsed = JSON.parse(text) as { volta?: { node?: unknown }; engines?: { node?: unknown } } | null;
    return { volta: word(parsed?.volta?.node), engines: word(parsed?.engines?.node) };
  } catch {
    return { volta: null, engines: null };
  }
}

function word(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
