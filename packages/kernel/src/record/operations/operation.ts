import type { Json } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import type { z } from "zod";
import { checkSchema } from "../../schema/violations.ts";
import type { Tx } from "../database/tables.ts";

export const ACTOR_TYPES = ["orchestrator", "planner", "builder", "qa", "system", "person"] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export interface Actor {
  readonly type: ActorType;
  readonly id: string;
}

export interface OperationCall {
  readonly actor: Actor;
  readonly operationId: string;
  /** When the call arrived. */
  readonly at: number;
  /** An earlier attempt may have had its effect: check the actual state before repeating it. */
  readonly redriven: boolean;
  /** Called in a commit that changed another feature than the input's, so that its files are written too. */
  readonly touched?: (feature: string) => void;
}

export interface Operation<I, E, O> {
  readonly name: string;
  /** The only roles that may call it, for any input. */
  readonly roles: readonly ActorType[];
  readonly input: z.ZodType<I>;
  /** Runs outside any transaction, and again after a crash, so it must reconcile with the state it finds. */
  readonly effect?: (input: I, call: OperationCall) => Promise<E>;
  /** The effect only reads, or may be repeated: its start is not recorded, and `redriven` is never true. */
  readonly unclaimed?: true;
  /** Runs in the one transaction. Its result is stored as the answer, as JSON. An exception undoes its writes; a `Refusal` does not. */
  readonly commit: (tx: Tx, input: I, effect: E, call: OperationCall) => Promise<O | Refusal>;
  /** The journal event's data besides the actor and the digest of the input. */
  readonly event?: (input: I, output: O) => Json;
}

/**
 * A negative answer of a commit whose writes are kept: for example, a plan that is refused and queued. The journal has its event, and every
 * repeat of the call fails with the same error.
 */
export class Refusal {
  readonly error: SlipwayError;
  readonly event: Json;

  constructor(error: SlipwayError, event: Json) {
    this.error = error;
    this.event = event;
  }
}

export function authorize(operation: { readonly name: string; readonly roles: readonly ActorType[] }, actor: Actor): void {
  if (operation.roles.includes(actor.type)) return;
  throw new SlipwayError("forbidden_tool_for_role", `The role "${actor.type}" may not call ${operation.name}.`, {
    operation: operation.name,
    role: actor.type,
    allowed_roles: operation.roles,
    suggested_next_actions: [`Allowed roles: ${operation.roles.join(", ") || "none"}.`],
  });
}

export function parseInput<I>(operation: { readonly name: string; readonly input: z.ZodType<I> }, input: unknown): I {
  const checked = checkSchema(operation.input, input);
  if (checked.ok) return checked.value;
  const { violations } = checked;
  const listed = violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
  throw new SlipwayError("schema_validation_failed", `The input of ${operation.name} is not valid. ${listed}`, {
    operation: operation.name,
    violations,
    suggested_next_actions: ["Correct every field listed in `violations` and call again."],
  });
}
