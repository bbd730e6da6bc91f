import { SlipwayError } from "./errors.ts";

const MAX_LENGTH = 400;

/** Suffixes that the engine appends to a step's name for the keys of its own events. */
const RESERVED = /@(?:asked|wake|outcome|reminder\d+|retry\d+)$/;

/** The key of a run's outcome in its own stream. */
export const OUTCOME = "@outcome";

export const askedKey = (name: string): string => `${name}@asked`;
export const wakeKey = (name: string): string => `${name}@wake`;
export const reminderKey = (name: string, number: number): string => `${name}@reminder${number}`;
export const retryKey = (name: string, attempt: number): string => `${name}@retry${attempt}`;

export function assertStepName(name: string): void {
  if (isPlainText(name) && !(name.includes("@") && RESERVED.test(name))) return;
  throw new SlipwayError("schema_validation_failed", `${JSON.stringify(name)} cannot be the name of a step.`, {
    field: "name",
    suggested_next_actions: [
      `Use 1 to ${MAX_LENGTH} characters without control characters, not ending like @asked, @wake, @outcome, @reminder1 or @retry1.`,
    ],
  });
}

export function assertRunId(runId: string): void {
  if (isPlainText(runId) && !/[/#]/.test(runId)) return;
  throw new SlipwayError("schema_validation_failed", `${JSON.stringify(runId)} cannot be the id of a run.`, {
    field: "runId",
    suggested_next_actions: [`Use 1 to ${MAX_LENGTH} characters without "/", "#" and control characters.`],
  });
}

/** "/" separates parent and child, so it is escaped in the name; two children never share an id. */
export function childRunId(parent: string, name: string): string {
  return `${parent}/${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;
}

/** Hot path, called for every step: a loop instead of regular expressions. */
function isPlainText(text: string): boolean {
  if (text.length === 0 || text.length > MAX_LENGTH) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code > 0x7e && code < 0xa0)) return false;
    if (code >= 0xd800 && code < 0xe000) return text.isWellFormed() && !/\p{Cc}/u.test(text);
  }
  return true;
}
