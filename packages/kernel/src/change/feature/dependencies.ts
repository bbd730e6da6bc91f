import type { Clock } from "@slipway/durable/environment";
import type { Sqlite } from "@slipway/durable/sqlite";
import type { ApprovalKey } from "../land/approvals/key.ts";
import type { Configuration } from "../../config/load.ts";
import type { Db } from "../../record/database/tables.ts";
import type { Repository } from "../../host/git/repository.ts";
import type { Journal } from "../../record/journal/repository.ts";
import type { Layout } from "../../host/layout.ts";
import type { Objects } from "../../record/objects/store.ts";
import type { Door } from "../../record/operations/door.ts";
import type { Redactor } from "../../host/redaction/contract.ts";
import type { Sandbox } from "../../host/sandbox/contract.ts";

/** Dependencies of the operations on features. */
export interface FeatureDependencies {
  readonly repository: Repository;
  readonly layout: Layout;
  readonly db: Db;
  /** The same connection, for plain SQL. */
  readonly sqlite: Sqlite;
  readonly door: Door;
  readonly journal: Journal;
  readonly objects: Objects;
  readonly configuration: Configuration;
  readonly clock: Clock;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly approvalKey: ApprovalKey;
  readonly redactor: Redactor;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Opened on first use: most commands never run a gate. */
  readonly sandbox: () => Promise<Sandbox>;
}
