import { digestOf } from "@slipway/durable/canonical";
import { z } from "zod";
import type { Door } from "../../record/operations/door.ts";
import type { Actor, Operation } from "../../record/operations/operation.ts";

const overrideInput = z.strictObject({ run_id: z.string().min(1), reason: z.string().min(1) });

/** Records in the journal who allowed a run without a sandbox, and why. */
const overrideOperation: Operation<z.infer<typeof overrideInput>, undefined, { by: string }> = {
  name: "sandbox.override",
  roles: ["person"],
  input: overrideInput,
  commit: async (_tx, _input, _effect, { actor }) => ({ by: actor.id }),
  event: ({ run_id, reason }, { by }) => ({ run_id, reason, by }),
};

/** Recorded once per person and reason, however often the run is resumed with it. */
export async function recordOverride(door: Door, person: Actor, runId: string, reason: string): Promise<void> {
  const which = digestOf({ by: person.id, reason }).slice(0, 16);
  await door.perform(overrideOperation, person, `${runId}/sandbox-override/${which}`, { run_id: runId, reason });
}
