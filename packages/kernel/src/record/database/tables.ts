import type { DurableTables } from "@slipway/durable/tables";
import type { Kysely, Transaction } from "kysely";
import type { ApprovalsTables } from "../../change/land/approvals/tables.ts";
import type { BudgetTables } from "../../budget/tables.ts";
import type { DecisionTables } from "../decisions/tables.ts";
import type { DocumentTables } from "../documents/tables.ts";
import type { EvidenceTables } from "../../change/judge/evidence/tables.ts";
import type { CanaryTables } from "../../change/judge/canary/tables.ts";
import type { ExpectedTestsTables } from "../../change/judge/expected-tests/tables.ts";
import type { FeatureIndexTables } from "../../change/views/feature-index/tables.ts";
import type { FeaturesTables } from "../../change/feature/tables.ts";
import type { GateTables } from "../../change/judge/gates/tables.ts";
import type { HoldsTables } from "../../change/turn/worktree-mutex/tables.ts";
import type { LocksTables } from "../../change/turn/locks/tables.ts";
import type { NotifyTables } from "../../notify/tables.ts";
import type { OperationsTables } from "../operations/tables.ts";
import type { PlansTables } from "../../change/plan/tables.ts";
import type { QaTables } from "../../change/judge/qa/tables.ts";
import type { QuestionsTables } from "../questions/tables.ts";
import type { QueueTables } from "../../change/turn/queue/tables.ts";
import type { RunFilesTables } from "../run-files/tables.ts";
import type { RunLeaseTables } from "../run-lease/tables.ts";
import type { TrialTables } from "../../change/judge/trials/tables.ts";
import type { WaitsTables } from "../../change/turn/turns/tables.ts";

/**
 * Every table of the kernel. A room with tables adds its interface here and its migrations to `migrations.ts`; a protocol declares its
 * tables by merging into this interface, in the file that lists its migrations.
 */
export interface Tables
  extends
    DurableTables,
    OperationsTables,
    QuestionsTables,
    LocksTables,
    EvidenceTables,
    ApprovalsTables,
    FeaturesTables,
    FeatureIndexTables,
    PlansTables,
    QueueTables,
    RunFilesTables,
    RunLeaseTables,
    WaitsTables,
    QaTables,
    GateTables,
    BudgetTables,
    HoldsTables,
    DocumentTables,
    DecisionTables,
    ExpectedTestsTables,
    CanaryTables,
    NotifyTables,
    TrialTables {}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
