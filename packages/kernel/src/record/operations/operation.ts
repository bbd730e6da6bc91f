import type { Json } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/durable/errors";
import type { z } from "zod";
import { checkSchema } from "../../schema/violations.ts";
import type { Tx } from "../database/tables.ts";

export const ACTOR_TYPES = ["orchestrator", "planner", "builder", "qa", "system", "person"] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export interface Actor {
  readonly type: ActorType;
  readonly id: string;
}

export interface Call {
  readonly actor: Actor;
  readonly operationId: string;
  /** When the call came in. */
  readonly at: number;
  /** An earlier attempt may have had its effect: look at the real state before doing it again. */
  readonly redriven: boolean;
  /** To say, in a commit, that another feature than the input's has changed: its files are written as well. */
  readonly touched?: (feature: string) => void;
}

export interface Operation<I, E, O> {
  readonly name: string;
  /** Who may call it. Nobody else may, whatever the input. */
  readonly roles: readonly ActorType[];
  readonly input: z.ZodType<I>;
  /** Outside any transaction; may run again after a crash, so it must reconcile with what it finds. */
  readonly effect?: (input: I, call: Call) => Promise<E>;
  /** The effect only looks, or what it does may be done twice: then nobody need know that it was begun, and `redriven` is never true. */
  readonly unclaimed?: true;
  /** Inside the one transaction. What it returns is kept as the answer, as JSON. What it throws undoes all it wrote; a `Refusal` does not. */
  readonly commit: (tx: Tx, input: I, effect: E, call: Call) => Promise<O | Refusal>;
  /** What the repository's journal keeps beside the actor and the input's digest. */
  readonly event?: (input: I, output: O) => Json;
}

/**
 * The answer of a commit that says no and yet changes something: a plan that is refused and queued, for example. The change is
 * kept, it has its event in the journal, and every repeat of the call fails with the same error.
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
  throw new SlipwayError("forbidden_tool_for_role", `${operation.name} is not open to the role "${actor.type}".`, {
    operation: operation.name,
    role: actor.type,
    allowed_roles: operation.roles,
    suggested_next_actions: [`Have it done by one of: ${operation.roles.join(", ") || "nobody"}.`],
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
