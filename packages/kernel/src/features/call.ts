import type { Actor } from "../operations/operation.ts";

/** Who asks, and under which id: the same id twice is executed once. */
export interface Call {
  readonly actor: Actor;
  readonly operationId: string;
}
