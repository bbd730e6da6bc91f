import { exportRole, type ExportedFile, type Target } from "@slipway/agents/role-export";
import type { Role } from "@slipway/agents/role";

/** The target's names for each tool of a protocol; none where the target has no such tool. */
export type ExportedToolNames = Readonly<Record<Target, Readonly<Record<string, readonly string[]>>>>;

const TOOLS_LINE = /^tools: .*$/m;

/** A role as the target reads it: the target's names in `tools`, the role's own in the mark. */
export function agentFile(
  target: Target,
  protocol: string,
  role: Role,
  names: ExportedToolNames,
  fields: Readonly<Record<string, unknown>> = {},
  /** Tools that only the target's agent needs. */
  added: readonly string[] = [],
): ExportedFile {
  const file = exportRole(target, protocol, role);
  const tools = [...role.tools, ...added].flatMap((tool) => names[target][tool] ?? [tool]);
  const [shown = ""] = TOOLS_LINE.exec(exportRole(target, protocol, { ...role, tools }).text) ?? [];
  const lines = [shown, ...fieldLines(fields)];
  return { ...file, text: file.text.replace(TOOLS_LINE, () => lines.join("\n")) };
}

/** A file that is no agent. Its mark says that Slipway wrote it. */
export function referenceFile(protocol: string, path: string, body: string, fields: Readonly<Record<string, unknown>> = {}): ExportedFile {
  const mark = `# slipway export: ${JSON.stringify({ protocol, reference: path.slice(path.lastIndexOf("/") + 1) })}`;
  return { path, text: `---\n${[...fieldLines(fields), mark].join("\n")}\n---\n\n${body.trim()}\n` };
}

function fieldLines(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([key, value]) => `${key}: ${isPlain(value) ? value : JSON.stringify(value)}`);
}

function isPlain(value: unknown): value is string {
  return typeof value === "string" && /^[a-z][a-z-]*$/.test(value);
}

/** Every `.md` file in .github/agents counts as an agent there: these fields hide one that is none. */
export function hiddenAgent(name: string, description: string): Readonly<Record<string, unknown>> {
  return { name, description, tools: [], "user-invocable": false, "disable-model-invocation": true };
}
