import { createApprovals, createMergeProposals } from "./change/land/approvals/tables.ts";
import { createBudget } from "./budget/tables.ts";
import { createDecisions } from "./record/decisions/tables.ts";
import { createDocuments } from "./record/documents/tables.ts";
import { createEgress, createEvidence } from "./change/judge/evidence/tables.ts";
import { createCanaryWaivers } from "./change/judge/canary/tables.ts";
import { createExpectedTests } from "./change/judge/expected-tests/tables.ts";
import { createFeatureIndex } from "./change/views/feature-index/tables.ts";
import { addFeatureState, addGateSnapshot, createDeletedFeatures, createFeatures } from "./change/feature/tables.ts";
import { createGateRuns } from "./change/judge/gates/tables.ts";
import { createNotifications } from "./notify/tables.ts";
import { createHolds } from "./change/turn/worktree-mutex/tables.ts";
import { createLocks } from "./change/turn/locks/tables.ts";
import { createOperations } from "./record/operations/tables.ts";
import { createPlanClaims } from "./change/plan/tables.ts";
import { createQa } from "./change/judge/qa/tables.ts";
import { createQuestions } from "./record/questions/tables.ts";
import { createBlockedQueue } from "./change/turn/queue/tables.ts";
import { createRunFiles } from "./record/run-files/tables.ts";
import { createRunLease } from "./record/run-lease/tables.ts";
import { createTrials } from "./change/judge/trials/tables.ts";
import { createWaits } from "./change/turn/turns/tables.ts";
import { bindFormerFacts } from "./record/facts/bind-former.ts";
import type { Migration } from "./record/database/migration.ts";

/**
 * In the order they are applied; a database is current when it has all of them. Only ever append. A new room exports its `up` from
 * `<room>/tables.ts` (which imports nothing of Kysely at run time, so that reading the version stays cheap) and adds one line here.
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
  { name: "documents", up: createDocuments },
  { name: "deleted-features", up: createDeletedFeatures },
  { name: "trials", up: createTrials },
  { name: "decisions", up: createDecisions },
  { name: "notifications", up: createNotifications },
  { name: "expected-tests", up: createExpectedTests },
  { name: "run-files", up: createRunFiles },
  { name: "former-facts", up: bindFormerFacts },
  { name: "merge-proposals", up: createMergeProposals },
  { name: "canary-waivers", up: createCanaryWaivers },
  { name: "egress", up: createEgress },
];
