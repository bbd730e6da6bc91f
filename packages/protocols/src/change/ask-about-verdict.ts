import type { Failure } from "@slipway/durable/errors";
import { MERGE_ALL_THE_SAME } from "@slipway/kernel/change/judge/canary/waiver";
import { z } from "zod";
import { GivenUp } from "../dispatch/given-up.ts";
import type { ChangeRun } from "./change-run.ts";
import { orchestratorCall } from "./change-run.ts";
import { endFeature } from "./end-feature.ts";
import { mustPerform } from "./perform.ts";

const verdictAnswer = z.strictObject({
  decision: z.enum(["retry", "build", MERGE_ALL_THE_SAME, "give_up"]),
  comment: z.string().optional(),
});

/**
 * A gate stayed green with a planted failure: a person decides. "again" if the gate is to run again, also after the decision to merge all
 * the same, which is recorded as theirs; otherwise the failure that goes back to whoever builds the change.
 */
export async function askAboutVerdict(change: ChangeRun, name: string, failure: Failure): Promise<"again" | Failure> {
  const { features } = change.services.kernel;
  const step = `verdict:${name}`;
  const { decision, comment } = await change.ctx.ask(step, verdictQuestion(change.id, failure));
  switch (decision) {
    case "retry":
      return "again";
    case MERGE_ALL_THE_SAME:
      await mustPerform(change, `waive:${step}`, (call) =>
        features.waiveCanary(call, { feature_id: change.id, question_id: `${change.ctx.runId}#${step}` }),
      );
      return "again";
    case "build": {
      const { requires_human: _, ...details } = failure.details;
      return { ...failure, message: comment === undefined ? failure.message : `${failure.message} ${comment}`, details };
    }
    case "give_up": {
      const end = `give-up:${step}`;
      const reason = comment ?? "given up by a person: the verdict of the gate proves nothing";
      await change.ctx.step(end, () => endFeature(change.services.kernel, orchestratorCall(change, end), change.id, reason));
      throw new GivenUp(change.id);
    }
  }
}

interface VerdictDetails {
  readonly key?: string;
  readonly log_tail?: string;
  readonly planted?: readonly { readonly kind: "test" | "load" | "cover"; readonly path: string; readonly why: string }[];
}

function verdictQuestion(id: string, { message, code, details }: Failure) {
  const { key = "", log_tail = "", planted = [] }: VerdictDetails = details;
  return {
    kind: "verdict_not_proven",
    title: `The verdict of a gate of ${id} proves nothing`,
    body: [
      message,
      ...planted.map(({ kind, path, why }) => `${KINDS[kind]} in ${path}: ${why}`),
      "A person should look at the gates and at what this change loads.",
      ...(log_tail.trim() === ""
        ? []
        : [
            "The end of the log:",
            ...log_tail
              .trimEnd()
              .split("\n")
              .slice(-LOG_LINES)
              .map((line) => `| ${line}`),
          ]),
    ].join("\n"),
    options: [
      { value: "retry", label: "run the gate again (changes in slipway/ take effect after `slipway resume`)" },
      { value: "build", label: "send it back to be built again, with your comment" },
      { value: MERGE_ALL_THE_SAME, label: "merge all the same; recorded as your decision" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: verdictAnswer,
    context: { feature_id: id, code, key },
    answerableBy: ["person" as const],
  };
}

const LOG_LINES = 20;
const KINDS = { test: "failing test", load: "exception", cover: "function that nothing calls" } as const;
