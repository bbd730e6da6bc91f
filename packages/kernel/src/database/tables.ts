import type { DurableTables } from "@slipway/durable/tables";
import type { Kysely, Transaction } from "kysely";
import type { FeaturesTables } from "../features/tables.ts";
import type { OperationsTables } from "../operations/tables.ts";

/** Every table of the database. A room with tables of its own adds its interface here and its migrations to `migrations.ts`. */
export interface Tables extends DurableTables, OperationsTables, FeaturesTables {}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
