import { openBench, type Bench } from "../../operations/testing/door.ts";
import type { DecisionDraft } from "../decision.ts";
import { openDecisions, type Decisions } from "../decisions.ts";

export const SCOPE = "run:r1";
export const REPORT = { summary: "the test failed", phase: "injection" };
export const PROOF = { method: "ran the tests again", evidence: "12 passed" };

export interface DecisionBench extends Bench {
  readonly decisions: Decisions;
}

export async function openDecisionBench(): Promise<DecisionBench> {
  const bench = await openBench();
  return { ...bench, decisions: openDecisions(bench) };
}

let calls = 0;

export function callBy(type: "orchestrator" | "person", operationId = `call ${++calls}`) {
  return { actor: { type, id: "test" }, operationId } as const;
}

export function draft(changes: Partial<DecisionDraft> = {}): DecisionDraft {
  return {
    constraint: "User IDs are UUIDs",
    category: "data_model",
    source: "user_explicit",
    phase: "ignition",
    confidence: "inferred",
    ...changes,
  };
}
