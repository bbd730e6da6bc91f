import type { Actor } from "./operation.ts";

/** Who asks, and under which id: the same id twice is executed once. */
export interface Call {
  readonly actor: Actor;
  readonly operationId: string;
  /** The version of the feature's state the caller has seen; when given and no longer current, nothing is done. */
  readonly expectedVersion?: number;
}
