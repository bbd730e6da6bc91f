import type { PackChanges } from "@slipway/agents/packs/changes";
import { sessionPath } from "../session/session-name.ts";
import { STATUS_FILE } from "./accept-files.ts";

/**
 * What an answer may call the session instead of its name, which begins with the day. A recorded answer that does can be replayed on
 * another day. No session has this name.
 */
export const OWN_SESSION = "own-session";

const ALIAS = sessionPath(OWN_SESSION);

/** Changes under the session's real names. A file that was written under both names stays under the other one, which no role may write. */
export function withRealNames(changes: PackChanges, folder: string): PackChanges {
  const own = sessionPath(folder);
  const real = (path: string) => (path.startsWith(ALIAS) ? `${own}${path.slice(ALIAS.length)}` : path);
  const given = new Set(changes.changed);
  if (changes.changed.some((path) => real(path) !== path && given.has(real(path)))) return changes;
  return {
    changed: changes.changed.map(real).toSorted(),
    dropped: changes.dropped.map((drop) => ({ ...drop, path: real(drop.path) })),
    diff: changes.diff
      .split(/^(?=diff --git )/m)
      .map((part) => (part.startsWith(`diff --git a/${ALIAS}`) ? renamed(part, own) : part))
      .join(""),
  };
}

/** Only the head of the part names the file. */
function renamed(part: string, own: string): string {
  const start = part.search(/^@@ /m);
  const [head, body] = start < 0 ? [part, ""] : [part.slice(0, start), part.slice(start)];
  const isStatus = head.startsWith(`diff --git a/${ALIAS}${STATUS_FILE} `);
  return head.replaceAll(ALIAS, own) + (isStatus ? withRealName(body, own) : body);
}

const NAME_IN_STATUS = new RegExp(`("session":\\s*)"${OWN_SESSION}"`);

function withRealName(body: string, own: string): string {
  const session = own.split("/").at(-2) ?? "";
  return body.replace(NAME_IN_STATUS, (_, key: string) => `${key}"${session}"`);
}
