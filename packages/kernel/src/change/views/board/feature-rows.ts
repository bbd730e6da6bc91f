import type { BoardLock, BoardQuestion, FeatureFacts } from "./board.ts";
import { plannedIn, UNFINISHED_RUNS, type PlannedFeature } from "./planned-features.ts";
import type { From, Row } from "./snapshot.ts";

/** The records of one feature, for the board and the tool report.dashboard. */
export interface FeatureRow {
  readonly facts: FeatureFacts;
  /** Of its state and of its roles; null before it has begun. */
  readonly state: { readonly version: number; readonly roles: Readonly<Record<string, string>> } | null;
  /** The oldest open question, which blocks the feature. */
  readonly question: BoardQuestion | null;
  /** Null once it has begun. */
  readonly planned: PlannedFeature | null;
}

export interface FeatureRows {
  /** By id, including those that an unfinished run has not begun. */
  readonly features: readonly FeatureRow[];
  readonly questions: readonly BoardQuestion[];
  readonly locks: readonly BoardLock[];
}

/** The number of queries does not depend on the number of features; git is not called. `objects` is the folder of the object store. */
export function readFeatureRows(from: From, objects: string, now: number): FeatureRows {
  const questions = from("questions", QUESTIONS).map(questionOf);
  const locks = from("locks", LOCKS).map((row) => row as unknown as BoardLock);
  const held = Map.groupBy(
    locks.filter(({ expires_at }) => expires_at !== null && expires_at > now),
    ({ holder }) => holder,
  );
  const asked = new Map(questions.toReversed().map((question) => [question.feature, question]));
  const gates = new Map(from("gate_runs", LAST_GATES).map((row) => [row["feature_id"], row]));
  const begun = from("features", FEATURES).map((row): FeatureRow => {
    const id = String(row["id"]);
    const mine = (held.get(id) ?? []).map(({ resource }) => resource);
    return { facts: factsOf(row, gates.get(id), mine), state: stateOf(row), question: asked.get(id) ?? null, planned: null };
  });
  const known = new Set(begun.map(({ facts }) => facts.id));
  const others = from("events", UNFINISHED_RUNS)
    .flatMap((row) => plannedIn(row, objects))
    .filter(({ id }) => !known.has(id))
    .map((planned): FeatureRow => ({ facts: notBegun(planned), state: null, question: asked.get(planned.id) ?? null, planned }));
  const features = [...begun, ...others].toSorted((left, right) => (left.facts.id < right.facts.id ? -1 : 1));
  return { features, questions, locks };
}

// Selects all columns, because a database of an earlier version may lack some.
const FEATURES = `
  SELECT f.*, m.commit_sha AS merged_as,
         (SELECT coalesce(sum(t.cost_usd), 0) FROM telemetry t WHERE t.feature_id = f.id) AS cost_usd
  FROM features f LEFT JOIN merges m ON m.feature_id = f.id`;

const QUESTIONS = `
  SELECT id, number, kind, title, json_extract(context, '$.feature_id') AS feature, options, asked_at
  FROM (SELECT *, row_number() OVER (ORDER BY asked_at, id) AS number FROM questions) WHERE status = 'open' ORDER BY number`;

const LOCKS = `
  SELECT resource, holder, lease_id, token, CASE WHEN holder IS NULL THEN NULL ELSE expires_at END AS expires_at
  FROM locks ORDER BY resource`;

const LAST_GATES = `
  SELECT g.feature_id, g.mode, g.status, g.tree, g.at FROM features f JOIN gate_runs g ON g.id =
    (SELECT n.id FROM gate_runs n WHERE n.feature_id = f.id AND n.status != 'cancelled' ORDER BY n.at DESC, n.id DESC LIMIT 1)`;

function factsOf(row: Row, gate: Row | undefined, locks: readonly string[]): FeatureFacts {
  return {
    id: String(row["id"]),
    status: String(row["status"]),
    reason: String(row["status_reason"]),
    run: String(row["run_id"]),
    gates: JSON.parse(String(row["gates"])) as FeatureFacts["gates"],
    last_gate:
      gate === undefined
        ? null
        : { mode: String(gate["mode"]), passed: gate["status"] === "pass", current: gate["tree"] === row["tree"], at: Number(gate["at"]) },
    tree: String(row["tree"]),
    merged_as: row["merged_as"] === null ? null : String(row["merged_as"]),
    cost_usd: Number(row["cost_usd"]),
    locks,
    updated_at: Number(row["updated_at"]),
  };
}

function stateOf(row: Row): FeatureRow["state"] {
  return { version: Number(row["version"]), roles: JSON.parse(String(row["role_status"] ?? "{}")) as Record<string, string> };
}

function notBegun({ id, run, at, part }: PlannedFeature): FeatureFacts {
  const nothing = { gates: {}, last_gate: null, tree: null, merged_as: null, cost_usd: 0, locks: [] };
  const [status, reason] = part === "over" ? ["failed", "it ended before it had begun"] : ["waiting", ""];
  return { id, status, reason, run, ...nothing, updated_at: at };
}

function questionOf(row: Row): BoardQuestion {
  return { ...(row as unknown as BoardQuestion), options: JSON.parse(String(row["options"])) as BoardQuestion["options"] };
}
