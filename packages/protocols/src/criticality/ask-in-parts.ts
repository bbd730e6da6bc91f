import { SlipwayError } from "@slipway/agents/errors";
import { isUnavailable } from "@slipway/agents/routing/tiers";
import { fromFailure, type Failure } from "@slipway/durable/errors";
import { nextActions } from "../dispatch/pauses.ts";
import type { SkillRequest } from "./criticality-run.ts";
import { ModelBlocked, type AskingBlock } from "./phases/phase-left.ts";
import { fitRequest, type PromptFit } from "./routing/fit-request.ts";

/** Blocks the run until a person says that the model can be asked again. */
export type OnBlocked = (reason: AskingBlock) => Promise<void>;

/** One question, unless it is an audit that fits no model: then one for each part, and the answers become one. */
export async function askInParts<T>(
  name: string,
  request: SkillRequest<T>,
  onBlocked: OnBlocked | undefined,
  ask: (name: string, request: SkillRequest<T>) => Promise<T>,
): Promise<T> {
  const { alias, parts } = await fitted(request, onBlocked);
  const { modelKey: _key, ...others } = request;
  const chosen: SkillRequest<T> = alias === request.alias ? request : { ...others, alias };
  const [only = request.artifacts, ...more] = parts;
  if (more.length === 0) return ask(name, { ...chosen, artifacts: only });
  const answers: T[] = [];
  for (const [index, artifacts] of parts.entries())
    answers.push(await ask(`${name}:part:${index + 1}`, { ...chosen, artifacts, attempt: `${request.attempt}.${index + 1}` }));
  return request.chunked?.combine(answers) ?? (answers[0] as T);
}

/** A prompt that fits no model blocks the run. */
async function fitted<T>(request: SkillRequest<T>, onBlocked: OnBlocked | undefined): Promise<PromptFit> {
  for (;;) {
    try {
      return fitRequest(request);
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.code !== "context_overflow" || onBlocked === undefined) throw error;
      await blockAsking(request, { type: "context_overflow", message: `${request.subject}: ${error.message}` }, onBlocked);
    }
  }
}

/** Functions are written in parallel, so Injection blocks at its own place. */
export async function blockAsking(
  { phase }: Pick<SkillRequest<unknown>, "phase">,
  reason: AskingBlock,
  onBlocked: OnBlocked,
): Promise<void> {
  if (phase === "injection") throw new ModelBlocked(reason);
  await onBlocked(reason);
}

/** The block that follows from a failure of a model; null if a person is asked about the answer itself. */
export function askingBlock(failure: Failure): AskingBlock | null {
  const message = [fromFailure(failure).message, ...nextActions(failure)].join("\n");
  if (failure.code === "context_overflow") return { type: failure.code, message };
  return isUnavailable(failure.code) ? { type: "provider_unavailable", message } : null;
}
