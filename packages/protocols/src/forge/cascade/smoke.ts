import type { CascadeCommand } from "./plan-cascade.ts";

/** A throwaway program that uses the changed code. */
export interface SmokeScript {
  readonly path: string;
  readonly text: string;
  /** The program and its arguments, the script's path among them. */
  readonly command: readonly string[];
}

const LINES = { least: 3, most: 5 } as const;
const SMOKE_SECONDS = 60;

/** Its command, or why it cannot be evidence. */
export function smokeCommand(smoke: SmokeScript, changed: readonly string[]): CascadeCommand | string {
  const lines = smoke.text.split("\n").filter((line) => line.trim() !== "").length;
  if (lines < LINES.least || lines > LINES.most) return `the smoke script has ${lines} lines, not ${LINES.least} to ${LINES.most}`;
  const [program, ...args] = smoke.command;
  if (program === undefined || !smoke.command.some((part) => part === smoke.path || part === `./${smoke.path}`))
    return "the command does not start the smoke script";
  if (!changed.some((path) => smoke.text.includes(stemOf(path)))) return "the smoke script names no changed file";
  const files = { [smoke.path]: smoke.text };
  return {
    kind: "smoke",
    name: "smoke",
    tool: program,
    command: [program, ...args],
    timeout_seconds: SMOKE_SECONDS,
    files,
    optional: false,
  };
}

/** As an import names it; a package is named by its folder. */
function stemOf(path: string): string {
  const parts = path.split("/");
  const stem = (parts.at(-1) ?? "").replace(/\.[^.]+$/, "");
  return /^(?:index|__init__|mod|main|lib)$/.test(stem) && parts.length > 1 ? (parts.at(-2) ?? stem) : stem;
}
