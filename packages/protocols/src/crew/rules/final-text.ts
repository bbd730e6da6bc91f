import { sessionPath } from "../session/session-name.ts";
import type { CrewStatus } from "../session/status.ts";

export interface FinalFacts {
  readonly status: CrewStatus;
  /** Names in the session's folder. */
  readonly artifacts: readonly string[];
  /** Commands that run, test or continue the work. */
  readonly commands: readonly string[];
  /** What a person can do about a blocked session; null at DONE. */
  readonly workaround: string | null;
  /** Answers that no file holds, by decision. */
  readonly unsaved?: Readonly<Record<string, string>>;
}

function lines(title: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : ["", title, ...entries.map((entry) => `- ${entry}`)];
}

/** The one text for a person, at DONE or BLOCKED. */
export function finalText({ status, artifacts, commands, workaround, unsaved = {} }: FinalFacts): string {
  const folder = sessionPath(status.session);
  const isDone = status.current_state === "DONE";
  const outcome = isDone
    ? `The session ${status.session} is done.`
    : `The session ${status.session} is blocked: ${status.blocker ?? "no reason is recorded"}.`;
  const detail = isDone ? [] : status.known_issues.slice(-1);
  return [
    outcome,
    ...detail,
    ...(isDone ? [] : [`What you can do: ${workaround ?? "remove the blocker, then resume the session."}`]),
    ...lines(
      "Answers that could not be saved:",
      Object.entries(unsaved).map(([id, answer]) => `${id}: ${answer}`),
    ),
    ...lines("Known issues:", isDone ? status.known_issues : status.known_issues.slice(0, -1)),
    ...lines(
      "Artifacts:",
      artifacts.map((name) => `${folder}${name}`),
    ),
    ...lines("Commands:", commands),
    "",
  ].join("\n");
}
