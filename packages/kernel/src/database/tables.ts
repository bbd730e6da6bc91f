import type { DurableTables } from "@slipway/durable/tables";
import type { Kysely, Transaction } from "kysely";
import type { ApprovalsTables } from "../approvals/tables.ts";
import type { EvidenceTables } from "../evidence/tables.ts";
import type { FeaturesTables } from "../features/tables.ts";
import type { LocksTables } from "../locks/tables.ts";
import type { OperationsTables } from "../operations/tables.ts";
import type { QuestionsTables } from "../questions/tables.ts";

/** Every table of the database. A room with tables of its own adds its interface here and its migrations to `migrations.ts`. */
export interface Tables
  extends DurableTables, OperationsTables, QuestionsTables, LocksTables, EvidenceTables, ApprovalsTables, FeaturesTables {}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
