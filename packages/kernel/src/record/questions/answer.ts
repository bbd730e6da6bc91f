import { z } from "zod";
import { ACTOR_TYPES, type Operation } from "../operations/operation.ts";
import { answerWithin } from "./inbox.ts";
import type { ValidityRules } from "./validity.ts";

const answerInput = z.strictObject({ question_id: z.string().min(1), value: z.unknown() });

/** Open to every role, because the question itself lists who may answer it. */
export function answerOperation(rules: ValidityRules = {}): Operation<z.infer<typeof answerInput>, undefined, { question_id: string }> {
  return {
    name: "question.answer",
    roles: ACTOR_TYPES,
    input: answerInput,
    async commit(tx, { question_id, value }, _effect, { actor, at }) {
      const { id } = await answerWithin(tx, { id: question_id, value, by: actor, at, rules });
      return { question_id: id };
    },
    // The run's own stream records the answer when the run takes it.
    event: (_input, output) => output,
  };
}
