import type { QualifiedItem } from "./qualify.ts";

const ANSWER = /^([a-z0-9-]+):\s*(OK|issue|N\/A)\b\s*(.*)$/i;

/** What a reviewer answered, item by item: notes of the form `<item>: OK`, `<item>: issue …` or `<item>: N/A …`. */
export function checklistAnswers(notes: readonly string[]): ReadonlyMap<string, "OK" | "issue" | "N/A"> {
  const answers = new Map<string, "OK" | "issue" | "N/A">();
  for (const note of notes) {
    const [, id = "", result = ""] = ANSWER.exec(note.trim()) ?? [];
    if (id !== "") answers.set(id, /^ok$/i.test(result) ? "OK" : /^issue$/i.test(result) ? "issue" : "N/A");
  }
  return answers;
}

export function unanswered(items: readonly QualifiedItem[], notes: readonly string[]): string[] {
  const answers = checklistAnswers(notes);
  return items.filter(({ id }) => !answers.has(id)).map(({ id }) => id);
}
