import { createApprovals } from "../approvals/tables.ts";
import { createArtifacts, createArtifactTexts } from "../artifacts/tables.ts";
import { createBudget } from "../budget/tables.ts";
import { createCodeIndex } from "../code-index/tables.ts";
import { createDocuments } from "../documents/tables.ts";
import { createEvidence } from "../evidence/tables.ts";
import { createFeatureIndex } from "../feature-index/tables.ts";
import { addFeatureState, addGateSnapshot, createDeletedFeatures, createFeatures } from "../features/tables.ts";
import { createGateRuns } from "../gates/tables.ts";
import { createHolds } from "../holds/tables.ts";
import { createLocks } from "../locks/tables.ts";
import { createOperations } from "../operations/tables.ts";
import { createPlanClaims } from "../plans/tables.ts";
import { addProjectOrigin, createProjects } from "../projects/tables.ts";
import { createQa } from "../qa/tables.ts";
import { createQuestions } from "../questions/tables.ts";
import { createBlockedQueue } from "../queue/tables.ts";
import { createRunLease } from "../run-lease/tables.ts";
import { createTrials } from "../trials/tables.ts";
import { createWaits } from "../waits/tables.ts";
import type { Tx } from "./tables.ts";

export interface Migration {
  readonly name: string;
  readonly up: (tx: Tx) => Promise<void>;
}

/**
 * In the order they are applied; the schema version of a database is how many of them it has.
 * Only ever append: a released entry is never edited, moved or removed. A new room exports its `up` from `<room>/tables.ts`
 * (which imports nothing of Kysely at run time, so that reading the version stays cheap) and adds one line here.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: "operations", up: createOperations },
  { name: "questions", up: createQuestions },
  { name: "locks", up: createLocks },
  { name: "evidence", up: createEvidence },
  { name: "approvals", up: createApprovals },
  { name: "features", up: createFeatures },
  { name: "feature-state", up: addFeatureState },
  { name: "run-lease", up: createRunLease },
  { name: "waits", up: createWaits },
  { name: "qa", up: createQa },
  { name: "gate-runs", up: createGateRuns },
  { name: "plan-claims", up: createPlanClaims },
  { name: "blocked-queue", up: createBlockedQueue },
  { name: "feature-index", up: createFeatureIndex },
  { name: "holds", up: createHolds },
  { name: "merge-snapshot", up: addGateSnapshot },
  { name: "budget", up: createBudget },
  { name: "code-index", up: createCodeIndex },
  { name: "artifacts", up: createArtifacts },
  { name: "projects", up: createProjects },
  { name: "documents", up: createDocuments },
  { name: "project-origin", up: addProjectOrigin },
  { name: "artifact-texts", up: createArtifactTexts },
  { name: "deleted-features", up: createDeletedFeatures },
  { name: "trials", up: createTrials },
];
