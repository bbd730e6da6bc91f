import type { Blobs, Clock } from "@slipway/durable/environment";
import type { ApprovalKey } from "../approvals/key.ts";
import type { Configuration } from "../config/load.ts";
import type { Db } from "../database/tables.ts";
import type { Repository } from "../git/repository.ts";
import type { Layout } from "../layout.ts";
import type { Door } from "../operations/door.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What the operations on features stand on. */
export interface Rooms {
  readonly repository: Repository;
  readonly layout: Layout;
  readonly db: Db;
  readonly door: Door;
  readonly objects: Blobs;
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly approvalKey: ApprovalKey;
  readonly redactor: Redactor;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Opened on first use: most commands never run a gate. */
  readonly sandbox: () => Promise<Sandbox>;
}
