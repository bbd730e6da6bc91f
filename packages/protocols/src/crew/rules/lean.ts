import { problem } from "../contract/problems.ts";

/** What the user declares of a task at the start. Code checks what can be counted. */
export interface LeanDeclaration {
  readonly unambiguous: boolean;
  readonly files: number;
  readonly architectureDecision: boolean;
  readonly interfaceDecision: boolean;
  readonly securityImplication: boolean;
  readonly minutes: number;
}

export const MAX_LEAN_FILES = 3;
export const MAX_LEAN_MINUTES = 5;

/** Why a task runs in full mode. Empty if lean mode may start. */
export function leanProblems(declared: LeanDeclaration): string[] {
  return [
    ...problem(!declared.unambiguous, "the task is ambiguous"),
    ...problem(!isAtMost(declared.files, MAX_LEAN_FILES), `more than ${MAX_LEAN_FILES} files`),
    ...problem(declared.architectureDecision, "it needs an architecture decision"),
    ...problem(declared.interfaceDecision, "it needs a UI/UX decision"),
    ...problem(declared.securityImplication, "it has a security implication"),
    ...problem(!isAtMost(declared.minutes, MAX_LEAN_MINUTES), `more than ${MAX_LEAN_MINUTES} minutes`),
  ];
}

function isAtMost(value: number, limit: number): boolean {
  return value >= 0 && value <= limit;
}

/** Why a lean session goes on in full mode; null if it stays. `changed` are the session's changed files. */
export function outgrown(changed: readonly string[], reported: readonly string[]): string | null {
  if (reported[0] !== undefined) return reported[0];
  return changed.length > MAX_LEAN_FILES ? `${changed.length} files changed; a lean task has at most ${MAX_LEAN_FILES}` : null;
}
