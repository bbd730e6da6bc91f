import { paint } from "../surface/paint.ts";
import type { FinishedDemo } from "./demo.ts";

export interface LastLines {
  readonly journal: { readonly events: number; readonly head: string };
  /** Lines before the suggestions. */
  readonly before?: readonly string[];
  /** Commands to try in the scratch repository, with what they show. */
  readonly tryNext: Readonly<Record<string, string>>;
  /** The command to begin with in a repository of one's own. */
  readonly begin: string;
}

/** How every demo ends: journal, time, folder, and what to try next. */
export function lastLines({ journal, before = [], tryNext, begin }: LastLines, finished: FinishedDemo): string[] {
  const { dim } = paint(finished.color);
  return [
    `journal  ${journal.events} events, head ${journal.head.slice(0, 16)}`,
    `time     ${(finished.elapsedMs / 1000).toFixed(1)} s`,
    `files    ${finished.repository}`,
    "",
    ...before,
    `Try next, in that folder${finished.howToCall}:`,
    ...Object.entries(tryNext).map(([command, what]) => `  ${command.padEnd(30)}  ${what}`.trimEnd()),
    `and \`${begin}\` in a repository of your own.`,
    dim("The demo's scratch folder is yours to delete."),
    "",
  ];
}
