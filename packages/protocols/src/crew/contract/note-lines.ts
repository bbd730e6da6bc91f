/** Lines of `artifacts.notes` that the harness reads, by their first words. Every other note is for people. */
export const NOTE_LINES = {
  missing: "missing:",
  workaround: "workaround:",
  noDesignSpec: "design-spec: none",
  noBehaviourChange: "no-behaviour-change:",
  notCompliant: "non-compliant:",
  missingTests: "missing-tests:",
  flaky: "flaky:",
} as const;
export type NoteLine = keyof typeof NOTE_LINES;

/** What follows the first words, for each note that begins with them. */
export function noted(notes: readonly string[], line: NoteLine): string[] {
  const start = NOTE_LINES[line];
  return notes.filter((note) => note.trim().toLowerCase().startsWith(start)).map((note) => note.trim().slice(start.length).trim());
}

/** Whether a note says it, with a text where the line asks for one. */
export function notes(all: readonly string[], line: NoteLine): boolean {
  const found = noted(all, line);
  return NOTE_LINES[line].endsWith(":") ? found.some((text) => text !== "") : found.length > 0;
}
