import { z } from "zod";
import { SlipwayError } from "../../schema/errors.ts";
import type { Tx } from "../database/tables.ts";
import type { ActorType, Operation } from "../operations/operation.ts";
import { decisionDraft, decisionScope, type Decision } from "./decision.ts";
import { assertInForce, assertNoCycle, contradictory } from "./dependencies.ts";
import { findDecision, insertDecision, mustFind, nextId } from "./store.ts";

export const DECISION_ROLES: readonly ActorType[] = ["orchestrator", "system", "person"];

const DEFAULT_PREFIX = "d";
const MOST_AT_ONCE = 500;

const appendInput = z.strictObject({ scope: decisionScope, drafts: z.array(decisionDraft).min(1).max(MOST_AT_ONCE) });

/** Appends entries, all or none. Each may depend on entries in force, and on others of the same call by their ids. */
export const appendOperation: Operation<z.output<typeof appendInput>, undefined, { readonly decisions: Decision[] }> = {
  name: "decision.append",
  roles: DECISION_ROLES,
  input: appendInput,
  async commit(tx, { scope, drafts }, _effect, { at }) {
    const entries: (z.output<typeof decisionDraft> & { readonly id: string })[] = [];
    for (const draft of drafts) entries.push({ ...draft, id: await idFor(tx, scope, draft, entries) });
    const own = new Set(entries.map(({ id }) => id));
    assertNoCycle(entries);
    for (const entry of entries) await assertDependencies(tx, scope, entry, own);
    const decisions: Decision[] = [];
    for (const entry of entries) decisions.push(await insertEntry(tx, scope, entry, at));
    return { decisions };
  },
  event: ({ scope }, { decisions }) => ({ scope, decisions: decisions.map(({ id }) => id) }),
};

export async function idFor(
  tx: Tx,
  scope: string,
  { id, prefix }: { readonly id?: string | undefined; readonly prefix?: string | undefined },
  earlier: readonly { readonly id: string }[] = [],
): Promise<string> {
  if (id === undefined) return nextId(tx, scope, prefix ?? DEFAULT_PREFIX);
  const taken = earlier.some((one) => one.id === id) || (await findDecision(tx, scope, id)) !== undefined;
  if (!taken) return id;
  throw new SlipwayError("decision_exists", `There is already a decision ${id} in ${scope}; entries never change. Nothing was stored.`, {
    decision_id: id,
    scope,
    suggested_next_actions: [`Supersede ${id}, or leave the id out to get the next free one.`],
  });
}

type Entry = z.output<typeof decisionDraft> & { readonly id: string };

/** A blocking entry names the contradicting decisions as its dependencies; any other entry must not depend on both. */
export async function assertDependencies(tx: Tx, scope: string, entry: Entry, own: ReadonlySet<string> = new Set()): Promise<void> {
  const { id, dependencies, confidence } = entry;
  for (const dependency of dependencies) {
    if (!own.has(dependency)) assertInForce(id, dependency, await findDecision(tx, scope, dependency));
  }
  if (confidence === "blocking" || dependencies.length < 2) return;
  const blocking = await tx
    .selectFrom("decision_dependencies as edge")
    .innerJoin("decisions", (join) => join.onRef("decisions.scope", "=", "edge.scope").onRef("decisions.id", "=", "edge.decision"))
    .select(["edge.decision", "edge.depends_on"])
    .where("edge.scope", "=", scope)
    .where("edge.depends_on", "in", dependencies)
    .where("decisions.status", "=", "active")
    .where("decisions.suspended", "=", 0)
    .where("decisions.confidence", "=", "blocking")
    .orderBy("decisions.seq")
    .execute();
  for (const [contradiction, edges] of Map.groupBy(blocking, ({ decision }) => decision)) {
    const both = edges.map(({ depends_on }) => depends_on);
    if (both.length > 1) throw contradictory(id, contradiction, both);
  }
}

export async function insertEntry(
  tx: Tx,
  scope: string,
  entry: Entry,
  at: number,
  replaces?: { readonly id: string; readonly reason: string },
): Promise<Decision> {
  const { id, constraint, category, source, phase, confidence, dependencies } = entry;
  const row = {
    scope,
    id,
    at,
    constraint,
    category,
    source,
    phase,
    confidence,
    dependencies: JSON.stringify(dependencies),
    failure_context: entry.failure_context ?? null,
    contradiction_resolved: entry.contradiction_resolved ?? null,
    user_notes: entry.user_notes ?? null,
    rationale: entry.rationale ?? null,
    supersedes: replaces?.id ?? null,
    supersedes_reason: replaces?.reason ?? null,
    status: "active" as const,
    suspended: 0,
    suspended_by: null,
    superseded_by: null,
    ended_reason: null,
    failure_report: null,
    validation: null,
    archived: 0,
  };
  await insertDecision(tx, row, dependencies);
  return mustFind(tx, scope, id);
}
