import { isDeepStrictEqual } from "node:util";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import type { DispatchedRole } from "../agents.ts";
import { texts } from "../contract/names.ts";
import type { CrewStatus } from "./status.ts";

/** What of an agent's edit counts, and one sentence for each part that does not. */
export interface AcceptedEdit<T> {
  readonly next: T;
  readonly violations: readonly string[];
}

const AGENT_FIELDS = ["assumptions", "known_issues"] as const;

/** `edited` is the text of status.json after a dispatch. Agents may add to and reword two lists; every other field has one writer. */
export function acceptStatusEdit(before: CrewStatus, edited: string | null, role: DispatchedRole): AcceptedEdit<CrewStatus> {
  const say = (what: string) => `${role} ${what} in status.json; the edit is discarded.`;
  if (edited === null) return { next: before, violations: [`${role} deleted status.json; it is restored.`] };
  const json = parseStrictJson(edited);
  if (!json.ok) return { next: before, violations: [say(`left text that is ${json.problem}`)] };
  if (typeof json.value !== "object" || json.value === null || Array.isArray(json.value))
    return { next: before, violations: [say("left no object")] };
  const after = json.value as Readonly<Record<string, unknown>>;
  const lists = AGENT_FIELDS.map((field) => ({ field, ...acceptedList(before[field], after[field]) }));
  const foreign = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !(AGENT_FIELDS as readonly string[]).includes(key))
    .filter((key) => !isDeepStrictEqual((before as Readonly<Record<string, unknown>>)[key], after[key]));
  return {
    next: { ...before, ...Object.fromEntries(lists.map(({ field, list }) => [field, list])) },
    violations: [
      ...foreign.map((key) => say(`changed ${key}`)),
      ...lists.flatMap(({ field, wrong }) => (wrong === null ? [] : [say(`${wrong} ${field}`)])),
    ],
  };
}

function acceptedList(before: readonly string[], after: unknown): { readonly list: string[]; readonly wrong: string | null } {
  const read = texts.safeParse(after);
  if (!read.success) return { list: [...before], wrong: "left no list of texts as" };
  if (read.data.length < before.length) return { list: [...before], wrong: "removed entries of" };
  return { list: read.data, wrong: null };
}
