export const MAX_LEAN_FILES = 3;
export const MAX_LEAN_MINUTES = 5;

/** Why a lean session goes on in full mode; null if it stays. `changed` are the session's changed files. */
export function outgrown(changed: readonly string[], reported: readonly string[]): string | null {
  if (reported[0] !== undefined) return reported[0];
  return changed.length > MAX_LEAN_FILES ? `${changed.length} files changed; a lean task has at most ${MAX_LEAN_FILES}` : null;
}
