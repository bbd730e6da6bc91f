import type { Actor } from "./operation.ts";

/** The actor and the operation id. A repeated id is performed once. */
export interface Call {
  readonly actor: Actor;
  readonly operationId: string;
  /** The version of the feature's state that the caller has read. If it is no longer current, the call is refused. */
  readonly expectedVersion?: number;
}
