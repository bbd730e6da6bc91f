import { givenFiles } from "@slipway/agents/packs/source";
import { escalationsAfter } from "@slipway/agents/routing/tiers";
import type { Failure } from "@slipway/durable/errors";
import { askAgent } from "../../dispatch/ask-agent.ts";
import type { Reply } from "../../dispatch/dispatcher.ts";
import { nextActions } from "../../dispatch/pauses.ts";
import type { FolderWork } from "../../dispatch/work-folder.ts";
import type { ContextPackDraft } from "../engineering/ports.ts";
import { packOf } from "./pack.ts";
import {
  afterCall,
  BEFORE,
  emittedSpec,
  nextRound,
  textRefs,
  withMessage,
  withTrouble,
  type Emitted,
  type SpecDraft,
  type ToolResult,
} from "./spec-draft.ts";
import type { ProductRun } from "./product-run.ts";
import { keepDraft, persistSpec } from "./store.ts";
import { toolCalls, type ProductToolCall, type ToolCalls } from "./tools/calls.ts";
import { PRODUCT_STEPS } from "../steps.ts";
import { perform, type ToolPorts } from "./tools/perform.ts";
import { retryAnswer } from "../../dispatch/retry-answer.ts";

/** Answers a product owner may give for one spec before a person is asked. */
export const MAX_ROUNDS = 30;
/** Failures in a row before a person is asked. */
const MAX_FAILURES = 3;

export const ROLE = "product-owner";
export const INSTRUCTIONS = "Return the next tool calls. Their results come with the next round, under `last tool results`.";
const AMENDING = "A person has read the spec you emitted. Do everything the last human message asks for, and emit the spec again.";
const EDITED = `The product already exists: \`${BEFORE.spec}\` is the spec it was built from, \`${BEFORE.page}\` the page of that time. Continue from that spec and change only what the page now asks for. Keep ids, order and every unchanged text, word for word: a task whose text is the same is not built again. New tasks get new ids, removed tasks are left out, and spec_version is raised.`;
const GUIDED = "A person has written to you: follow the last human message.";

export interface Refined {
  readonly draft: SpecDraft;
  readonly emitted: Emitted;
}

/** Plays rounds until a spec is emitted. Without one, asks a person; giving up throws. */
export async function refine(run: ProductRun, start: SpecDraft): Promise<Refined> {
  let draft = start;
  for (;;) {
    let failures = 0;
    let failure: Failure | null = null;
    for (let count = 1; count <= MAX_ROUNDS && failures < MAX_FAILURES; count++) {
      draft = nextRound(draft);
      const answered = await askOwner(run, draft, failures);
      if (answered.ok) {
        failures = 0;
        const done = await carryOut(run, draft, answered.value.calls);
        if (done.emitted !== null) return { draft: done.draft, emitted: done.emitted };
        draft = done.draft;
      } else {
        ({ failure } = answered);
        draft = withTrouble(draft, `${failure.code}: ${failure.message}`);
        failures = onlyAPersonHelps(failure) ? MAX_FAILURES : failures + 1;
      }
    }
    draft = withMessage(draft, await askForHelp(run, draft, failures === 0 ? null : failure));
  }
}

function onlyAPersonHelps({ code, details }: Failure): boolean {
  return details["requires_human"] === true || code === "agent_failed";
}

function nameOf({ context, round }: SpecDraft): string {
  return `${context}.${round}`;
}

async function askOwner(run: ProductRun, draft: SpecDraft, failures: number): Promise<Reply<ToolCalls>> {
  const attempt = nameOf(draft);
  const step = `${ROLE}:${attempt}`;
  const by = { role: ROLE, run_id: run.call(step).operationId };
  await run.operate(`pack:${step}`, async (call) => {
    await run.services.keepContextPack(call, { created_for: { ...by, task_ref: draft.source.name }, ...seenIn(draft) });
    return null;
  });
  return askAgent<ToolCalls>(run, step, {
    role: ROLE,
    subject: run.subject,
    attempt,
    escalations: escalationsAfter(failures),
    pack: packOf(draft),
    instructions: instructionsFor(draft),
    schema: toolCalls,
    folder: async () => folderOf(run, draft),
  });
}

/** The page and the drafts. No module is named: the product owner only sees search results of the code index. */
function seenIn(draft: SpecDraft): Pick<ContextPackDraft, "included_refs" | "excluded_refs"> {
  const { page, own } = textRefs(draft);
  return {
    included_refs: [
      { ref: page, permission: "FULL", reason: "the person's page" },
      ...own.map((ref) => ({ ref, permission: "FULL" as const, reason: "a text of its own" })),
    ],
    excluded_refs: [],
  };
}

function instructionsFor(draft: SpecDraft): string {
  const guidance = draft.messages.length === 0 ? [] : [emittedSpec(draft) === null ? GUIDED : AMENDING];
  return [...(draft.given.size === 0 ? [] : [EDITED]), ...guidance, INSTRUCTIONS].join("\n");
}

/** For a provider that works in a folder: the same texts, read-only. It calls tools in its answer. */
function folderOf({ kernel }: ProductRun, { source, files }: SpecDraft): FolderWork<ToolCalls> {
  const { objectFormat } = kernel.repository;
  return {
    contents: {
      tree: null,
      files: givenFiles({ ...Object.fromEntries(files), [source.name]: source.text }, objectFormat),
      others: [],
      rules: [{ path: ".", level: "FULL", permission: "read", reason: "the product owner's own texts" }],
      objectFormat,
    },
    schema: toolCalls,
    adopt: (answer) => ({ ok: true, value: toolCalls.parse(answer) }),
  };
}

/** Runs the calls in order; an emitted spec ends the round, and later calls are skipped. */
async function carryOut(
  run: ProductRun,
  start: SpecDraft,
  calls: readonly ProductToolCall[],
): Promise<{ readonly draft: SpecDraft; readonly emitted: Emitted | null }> {
  let draft = start;
  for (const [index, call] of calls.entries()) {
    const step = PRODUCT_STEPS.tool.named(`${nameOf(draft)}.${index + 1}`);
    const before = draft;
    const result = await run.ctx.step(step, (signal): Promise<ToolResult> => perform(call, before, portsOf(run, step), signal));
    draft = afterCall(draft, call, result);
    if (call.tool === "emit_structured_spec" && result.ok) return { draft, emitted: result.output as Emitted };
  }
  return { draft, emitted: null };
}

function portsOf({ ctx, kernel, services, call }: ProductRun, step: string): ToolPorts {
  const { webSearch, searchCodeIndex, readRepository } = services;
  return {
    webSearch,
    searchCodeIndex,
    readRepository,
    keepDraft: (context, path, content) => keepDraft(kernel, ctx.runId, context, path, content),
    persist: ({ spec, warnings }, sources) => persistSpec(kernel, call(step), { spec, warnings, sources }),
    conceal: kernel.conceal,
  };
}

/** The errors of the last spec that was refused. */
function lastRefusal({ exchanges }: SpecDraft): string {
  const refused = exchanges.findLast(({ call, result }) => call.tool === "emit_structured_spec" && !result.ok)?.result;
  if (refused === undefined || refused.ok) return "";
  const faults = (refused.report?.errors ?? []).slice(0, MOST_FAULTS).map(({ path, message }) => `\n- ${path || "/"}: ${message}`);
  return ` The last one was refused: ${refused.error}${faults.join("")}`;
}

const MOST_FAULTS = 5;

async function askForHelp(run: ProductRun, draft: SpecDraft, failure: Failure | null): Promise<string> {
  const name = nameOf(draft);
  const why =
    failure === null
      ? `No spec was emitted in ${MAX_ROUNDS} rounds.${lastRefusal(draft)}`
      : `The last round ended with ${failure.code}: ${failure.message}`;
  const answer = await run.ctx.ask(`blocked:${name}`, {
    kind: "blocked",
    title: `${run.subject} has no spec yet`,
    body: [why, ...(failure === null ? [] : nextActions(failure))].join("\n"),
    options: [
      { value: "retry", label: "continue from the draft, with your comment as guidance" },
      { value: "give_up", label: run.givingUp },
    ],
    schema: retryAnswer,
    context: { ...run.about, round: name },
    answerableBy: ["person"],
  });
  if (answer.decision === "give_up") return run.giveUp(name, answer.comment);
  return answer.comment ?? "Try again.";
}
