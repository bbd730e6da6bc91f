import { z } from "zod";
import type { Operation } from "../operations/operation.ts";
import { DECISION_ROLES } from "./append.ts";
import { decisionScope } from "./decision.ts";

const compactInput = z.strictObject({ scope: decisionScope });

/** Moves ended entries to the archive, except those on which an active entry depends, even through others. Ids stay readable. */
export const compactOperation: Operation<z.output<typeof compactInput>, undefined, { readonly archived: string[] }> = {
  name: "decision.compact",
  roles: DECISION_ROLES,
  input: compactInput,
  async commit(tx, { scope }) {
    const rows = await tx
      .withRecursive("needed(id)", (query) =>
        query
          .selectFrom("decision_dependencies as edge")
          .innerJoin("decisions as user", (join) => join.onRef("user.scope", "=", "edge.scope").onRef("user.id", "=", "edge.decision"))
          .select("edge.depends_on as id")
          .where("edge.scope", "=", scope)
          .where("user.status", "=", "active")
          .union(
            query
              .selectFrom("decision_dependencies as further")
              .innerJoin("needed", "needed.id", "further.decision")
              .select("further.depends_on as id")
              .where("further.scope", "=", scope),
          ),
      )
      .updateTable("decisions")
      .set({ archived: 1 })
      .where("scope", "=", scope)
      .where("status", "!=", "active")
      .where("archived", "=", 0)
      .where("id", "not in", (query) => query.selectFrom("needed").select("id"))
      .returning(["id", "seq"])
      .execute();
    return { archived: rows.toSorted((one, two) => one.seq - two.seq).map(({ id }) => id) };
  },
  event: ({ scope }, { archived }) => ({ scope, archived }),
};
