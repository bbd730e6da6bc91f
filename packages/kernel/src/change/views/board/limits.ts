import { DIMENSIONS } from "../../../budget/amounts.ts";
import type { BoardBudget, Wait } from "./board.ts";
import type { Row } from "./snapshot.ts";

/** Runs whose last event begins a pause; the step before it names the provider and the limit. */
export const PAUSES = `
  SELECT e.stream, e.at + json_extract(e.payload, '$.ms') AS until,
         json_extract(s.payload, '$.value.failure.code') AS code,
         json_extract(s.payload, '$.value.failure.details.provider') AS provider
  FROM heads h JOIN events e ON e.stream = h.stream AND e.seq = h.seq
  JOIN events s ON s.stream = e.stream AND s.key = substr(e.name, length('pause:') + 1)
  WHERE e.kind = 'sleeping' AND e.name LIKE 'pause:%'`;

export function pauseOf(feature: string, pauses: readonly Row[]): Wait | null {
  const pause = pauses.find(({ stream }) => String(stream).endsWith(`/feature:${feature}`));
  if (pause === undefined) return null;
  const code = pause["code"] === "quota_exhausted" ? "quota_exhausted" : "rate_limited";
  return { for: "limit", provider: String(pause["provider"] ?? "the provider"), code, until: Number(pause["until"]) };
}

const AMOUNT = DIMENSIONS.map((dimension) => `WHEN '${dimension}' THEN r.${dimension}`).join(" ");
const MINE =
  "r.root_run_id = b.root_run_id AND (b.scope = 'run' OR (b.scope = 'feature' AND r.feature_id = b.name) OR (b.scope = 'role' AND r.role = b.name))";
const sum = (when: string) =>
  `(SELECT coalesce(sum(CASE b.dimension ${AMOUNT} END), 0) FROM reservations r WHERE ${MINE} AND r.status ${when} 'reserved')`;

/** Every limit that holds in a run that is not over, and how far it is used up. */
export const BUDGETS = `
  SELECT b.root_run_id AS run, b.scope, b.name, b.dimension, max(b.configured, coalesce(b.raised, 0)) AS "limit",
         ${sum("<>")} AS spent, ${sum("=")} AS reserved
  FROM budgets b JOIN runs u ON u.run_id = b.root_run_id
  WHERE b.configured IS NOT NULL AND u.finished_at IS NULL ORDER BY b.scope = 'run' DESC, b.scope, b.name, b.dimension`;

export function boardBudget(row: Row): BoardBudget {
  return { ...(row as unknown as BoardBudget) };
}
