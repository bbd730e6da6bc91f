import { z } from "zod";

const MAX_WORD = 24;
/** A fourth word is left for the number that a second session of a day and name gets. */
const WORDS = 3;
const MIN_WORDS = 2;
const LITTLE = new Set(
  "a an the and or of to in on for with from by at as is are be it its this that please we i you our my should must can will add make".split(
    " ",
  ),
);

/** `YYYY-MM-DD_<slug>`, the slug of 2 to 4 words in kebab-case. The name of a specification may join its words with `_`. */
export const sessionNameSchema = z.string().regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}_[a-z0-9]+(?:[-_][a-z0-9]+){1,3}$/);

/** The words of a request that say what it is about. */
export function sessionSlug(request: string): string {
  const words = request
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.slice(0, MAX_WORD));
  const telling = words.filter((word) => !LITTLE.has(word));
  const chosen = (telling.length >= MIN_WORDS ? telling : words).slice(0, WORDS);
  if (chosen.length >= MIN_WORDS) return chosen.join("-");
  return `${chosen[0] ?? "crew"}-session`;
}

const RUNS = ".slipway/runs";

/** The folder of a session, with a slash at its end. */
export function sessionPath(session: string): string {
  return `${RUNS}/${session}/`;
}

/** The name within the session, or null for a path outside it. */
export function inSession(session: string, path: string): string | null {
  const folder = sessionPath(session);
  return path.startsWith(folder) && path.length > folder.length ? path.slice(folder.length) : null;
}
