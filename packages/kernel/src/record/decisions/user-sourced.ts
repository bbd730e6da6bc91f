import { preparedQuery } from "../database/prepared-query.ts";
import type { Tx } from "../database/tables.ts";
import type { Actor } from "../operations/operation.ts";

const answeredBy = preparedQuery((db, id: string) =>
  db.selectFrom("questions").select("answered_by").where("id", "=", id).where("status", "=", "answered"),
);

/** Whether a person stands behind the call: as its actor, or with a recorded answer to the question named. */
export async function isUserSourced(tx: Tx, actor: Actor, answerTo: string | undefined): Promise<boolean> {
  if (actor.type === "person") return true;
  if (answerTo === undefined) return false;
  const [answer] = await answeredBy(tx, answerTo);
  return answer?.answered_by?.startsWith("person:") === true;
}
