import type { DurableTables } from "@slipway/durable/tables";
import type { Kysely, Transaction } from "kysely";
import type { ApprovalsTables } from "../approvals/tables.ts";
import type { ArtifactTables } from "../artifacts/tables.ts";
import type { BudgetTables } from "../budget/tables.ts";
import type { CodeIndexTables } from "../code-index/tables.ts";
import type { DocumentTables } from "../documents/tables.ts";
import type { EvidenceTables } from "../evidence/tables.ts";
import type { FeatureIndexTables } from "../feature-index/tables.ts";
import type { FeaturesTables } from "../features/tables.ts";
import type { GateTables } from "../gates/tables.ts";
import type { HoldsTables } from "../holds/tables.ts";
import type { LocksTables } from "../locks/tables.ts";
import type { OperationsTables } from "../operations/tables.ts";
import type { PlansTables } from "../plans/tables.ts";
import type { ProjectTables } from "../projects/tables.ts";
import type { QaTables } from "../qa/tables.ts";
import type { QuestionsTables } from "../questions/tables.ts";
import type { QueueTables } from "../queue/tables.ts";
import type { RunLeaseTables } from "../run-lease/tables.ts";
import type { TrialTables } from "../trials/tables.ts";
import type { WaitsTables } from "../waits/tables.ts";

/** Every table of the database. A room with tables of its own adds its interface here and its migrations to `migrations.ts`. */
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
    RunLeaseTables,
    WaitsTables,
    QaTables,
    GateTables,
    BudgetTables,
    HoldsTables,
    CodeIndexTables,
    DocumentTables,
    ArtifactTables,
    ProjectTables,
    TrialTables {}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
