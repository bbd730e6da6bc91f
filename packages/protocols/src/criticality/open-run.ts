import { createPack } from "@slipway/agents/pack";
import { fromFailure, type Failure } from "@slipway/durable/errors";
import type { Ctx } from "@slipway/durable/ctx";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import { askAgent } from "../dispatch/ask-agent.ts";
import type { AgentDispatcher } from "../dispatch/dispatcher.ts";
import { GivenUp } from "../dispatch/given-up.ts";
import { nextActions, type Invoker } from "../dispatch/pauses.ts";
import { retryAnswer } from "../dispatch/retry-answer.ts";
import type { ChangeServices } from "../change/services.ts";
import { askInParts, askingBlock, blockAsking, type OnBlocked } from "./ask-in-parts.ts";
import type { CriticalityConfig } from "./config/config.ts";
import type { CriticalityRun, SkillRequest } from "./criticality-run.ts";
import type { RunFiles } from "./files/run-files.ts";
import { openLedger } from "./ledger/ledger.ts";
import type { ModelCall } from "./model-calls.ts";
import { SKILL_PROMPTS } from "./models/prompts.ts";
import { assertSkill, ROLE_OF_ALIAS } from "./models/skills.ts";

export interface RunParts {
  readonly id: string;
  readonly services: ChangeServices;
  readonly config: CriticalityConfig;
  readonly language: LanguageAdapter;
  readonly files: RunFiles;
  /** Called once for each invocation of a model, live or replayed. */
  readonly onModelCall: (call: ModelCall) => void;
  readonly onBlocked?: OnBlocked;
  /** A value in place of an answer that is missing. By default, and where it returns null, a person is asked. */
  readonly insteadOfAnswer?: <T>(request: SkillRequest<T>, failure: Failure) => T | null;
}

export function openCriticalityRun(ctx: Ctx, parts: RunParts): CriticalityRun {
  const { id, services, config, language, files } = parts;
  const invoker = invokerFor(ctx, services, id);
  const { kernel } = services;
  return {
    ctx,
    services: { ...services, language },
    config,
    id,
    files,
    ledger: openLedger({ ctx, kernel, call: invoker.call }),
    now: (name) => ctx.step(`time:${name}`, async () => kernel.clock.now()),
    askModel: (name, request) => {
      assertSkill(request.phase, request.skill, request.alias);
      return askInParts(name, request, parts.onBlocked, (step, fitted) => askUntilAnswered(invoker, step, fitted, parts));
    },
  };
}

/** A model that gives no valid answer is asked again only after a person says so: there is no attempt to count. */
async function askUntilAnswered<T>(
  invoker: Invoker & { readonly dispatcher: AgentDispatcher },
  name: string,
  request: SkillRequest<T>,
  { onModelCall, insteadOfAnswer = () => null, onBlocked }: Pick<RunParts, "onModelCall" | "insteadOfAnswer" | "onBlocked">,
): Promise<T> {
  const { phase, skill, alias, modelKey, subject, attempt, artifacts, schema } = request;
  const pack = createPack(artifacts);
  const asked = {
    protocol: "criticality",
    role: ROLE_OF_ALIAS[alias],
    modelKey,
    subject,
    attempt,
    pack,
    instructions: SKILL_PROMPTS[skill],
    schema,
  };
  for (let round = 1; ; round++) {
    const step = round === 1 ? name : `${name}^${round}`;
    const reply = await askAgent(invoker, step, asked);
    onModelCall({ id: invoker.call(step).operationId, alias, phase });
    if (reply.ok) return reply.value;
    const instead = insteadOfAnswer(request, reply.failure);
    if (instead !== null) return instead;
    const reason = askingBlock(reply.failure);
    if (reason !== null && onBlocked !== undefined) {
      await blockAsking(request, reason, onBlocked);
      continue;
    }
    const answer = await invoker.ctx.ask(`blocked:${step}`, {
      kind: "blocked",
      title: `The ${asked.role} gave no usable answer for ${subject}`,
      body: [fromFailure(reply.failure).message, ...nextActions(reply.failure)].join("\n"),
      options: [
        { value: "retry", label: "ask again" },
        { value: "give_up", label: invoker.givingUp },
      ],
      schema: retryAnswer,
      context: { ...invoker.about, phase, skill },
      answerableBy: ["person"],
    });
    if (answer.decision === "give_up") await invoker.giveUp(step, answer.comment);
  }
}

function invokerFor(ctx: Ctx, { kernel, dispatcher }: ChangeServices, id: string): Invoker & { readonly dispatcher: AgentDispatcher } {
  const actor = { type: "orchestrator", id: `orchestrator@${ctx.runId.split("/")[0]}` } as const;
  const call = (step: string): Call => ({ actor, operationId: `${ctx.runId}/${step}` });
  return {
    ctx,
    kernel,
    dispatcher,
    subject: id,
    about: { project: id },
    givingUp: "end the run; what is recorded stays",
    asksAboutOutages: true,
    call,
    operate: (step, body) => ctx.step(step, () => body(call(step))),
    giveUp: (_name, comment) => Promise.reject(new GivenUp(id, comment)),
  };
}
