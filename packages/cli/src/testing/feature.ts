import type { BoardFeature } from "@slipway/kernel/change/views/board/board";

/** A feature as the dashboard has it; a test overrides the fields it needs. */
export function boardFeature(parts: Partial<BoardFeature> = {}): BoardFeature {
  return {
    id: "letters",
    status: "building",
    reason: "",
    run: "2026-01-01_letters/feature:letters",
    gates: {},
    last_gate: null,
    tree: "t",
    merged_as: null,
    cost_usd: 0,
    locks: [],
    at_work: null,
    waits_for: null,
    updated_at: 0,
    ...parts,
  };
}
