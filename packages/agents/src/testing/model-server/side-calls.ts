import type { ModelRequest, ScriptedAnswer } from "./script.ts";
import { record } from "./wire.ts";

const TITLE = "A scripted conversation";
const ASKS_FOR_TITLE =
  /title generator|(?:generate|write|come up with|create) a (?:short |brief |concise |clear |descriptive |,|sentence-case |\s)*title|new conversation topic/i;

/** Clients make small requests of their own, such as a title or a quota check. The script does not see them. */
export function answerToSideCall(request: ModelRequest): ScriptedAnswer | null {
  if (request.tools.length > 0) return null;
  const properties = Object.keys(record(request.schema?.["properties"]));
  if (properties.length > 0 && properties.every((name) => ["title", "branch", "isNewTopic"].includes(name))) {
    return { text: JSON.stringify({ title: TITLE, branch: "scripted", isNewTopic: false }) };
  }
  if (ASKS_FOR_TITLE.test(request.system)) return { text: TITLE };
  if (request.maxTokens === 1) return { text: "OK" };
  return null;
}
