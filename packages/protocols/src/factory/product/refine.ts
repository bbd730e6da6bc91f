import { givenFiles } from "@slipway/agents/packs/source";
import { escalationsAfter } from "@slipway/agents/routing/tiers";
import type { Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { askAgent } from "../../asking.ts";
import type { Reply } from "../../desk.ts";
import { nextActions } from "../../pausing.ts";
import type { FolderWork } from "../../workplace.ts";
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
  type Sheet,
  type ToolResult,
} from "./sheet.ts";
import type { ProductSite } from "./site.ts";
import { keepDraft, persistSpec } from "./store.ts";
import { toolCalls, type ToolCall, type ToolCalls } from "./tools/calls.ts";
import { perform, type ToolPorts } from "./tools/perform.ts";

/** How many answers a product owner has for one spec before a person is asked what to do. */
export const MAX_ROUNDS = 30;
/** So many in a row that came to nothing are enough. */
const MAX_FAILURES = 3;

export const ROLE = "product-owner";
export const INSTRUCTIONS = "Return the next tool calls. What they gave comes with the next round, under `last tool results`.";
const AMENDING = "A person has read the spec you emitted. Do everything the last human message asks for, and emit the spec anew.";
const EDITED = `The product is there already: \`${BEFORE.spec}\` is the spec it was built from, \`${BEFORE.page}\` the page as it was then. Go on from that spec and change only what the page now asks for. Keep ids, order and every text of what stays, word for word: a task whose text is the same is not built again. New tasks get new ids, what is gone is left out, and spec_version is raised.`;
const GUIDED = "A person has written to you: follow the last human message.";

export interface Refined {
  readonly sheet: Sheet;
  readonly emitted: Emitted;
}

/** Round by round until a spec is emitted. When nothing comes of it a person decides; who gives up throws. */
export async function refine(site: ProductSite, start: Sheet): Promise<Refined> {
  let sheet = start;
  for (;;) {
    let failures = 0;
    let failure: Failure | null = null;
    for (let count = 1; count <= MAX_ROUNDS && failures < MAX_FAILURES; count++) {
      sheet = nextRound(sheet);
      const answered = await askOwner(site, sheet, failures);
      if (answered.ok) {
        failures = 0;
        const done = await carryOut(site, sheet, answered.value.calls);
        if (done.emitted !== null) return { sheet: done.sheet, emitted: done.emitted };
        sheet = done.sheet;
      } else {
        ({ failure } = answered);
        sheet = withTrouble(sheet, `${failure.code}: ${failure.message}`);
        failures = onlyAPersonHelps(failure) ? MAX_FAILURES : failures + 1;
      }
    }
    sheet = withMessage(sheet, await askForHelp(site, sheet, failures === 0 ? null : failure));
  }
}

function onlyAPersonHelps({ code, details }: Failure): boolean {
  return details["requires_human"] === true || code === "agent_failed";
}

function nameOf({ context, round }: Sheet): string {
  return `${context}.${round}`;
}

async function askOwner(site: ProductSite, sheet: Sheet, failures: number): Promise<Reply<ToolCalls>> {
  const attempt = nameOf(sheet);
  const step = `${ROLE}:${attempt}`;
  const by = { role: ROLE, run_id: site.call(step).operationId };
  await site.operate(`pack:${step}`, async (call) => {
    await site.shop.keepContextPack(call, { created_for: { ...by, task_ref: sheet.source.name }, ...seenIn(sheet) });
    return null;
  });
  return askAgent<ToolCalls>(site, step, {
    role: ROLE,
    subject: site.subject,
    attempt,
    escalations: escalationsAfter(failures),
    pack: packOf(sheet),
    instructions: instructionsFor(sheet),
    schema: toolCalls,
    folder: async () => folderOf(site, sheet),
  });
}

/** The page and its own texts; of modules only what the code index says, so none of them is named. */
function seenIn(sheet: Sheet): Pick<ContextPackDraft, "included_refs" | "excluded_refs"> {
  const { page, own } = textRefs(sheet);
  return {
    included_refs: [
      { ref: page, permission: "FULL", reason: "the person's page" },
      ...own.map((ref) => ({ ref, permission: "FULL" as const, reason: "a text of its own" })),
    ],
    excluded_refs: [],
  };
}

function instructionsFor(sheet: Sheet): string {
  const told = sheet.messages.length === 0 ? [] : [emittedSpec(sheet) === null ? GUIDED : AMENDING];
  return [...(sheet.given.size === 0 ? [] : [EDITED]), ...told, INSTRUCTIONS].join("\n");
}

/** For a client that works in a folder: the same texts to be read, and nothing to be changed. Its tools are the calls it answers with. */
function folderOf({ kernel }: ProductSite, { source, files }: Sheet): FolderWork<ToolCalls> {
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

/** In the order they were asked for; a spec that is emitted ends it, and what comes after is not done. */
async function carryOut(
  site: ProductSite,
  start: Sheet,
  calls: readonly ToolCall[],
): Promise<{ readonly sheet: Sheet; readonly emitted: Emitted | null }> {
  let sheet = start;
  for (const [index, call] of calls.entries()) {
    const step = `tool:${nameOf(sheet)}.${index + 1}`;
    const before = sheet;
    const result = await site.ctx.step(step, (signal): Promise<ToolResult> => perform(call, before, portsOf(site, step), signal));
    sheet = afterCall(sheet, call, result);
    if (call.tool === "emit_structured_spec" && result.ok) return { sheet, emitted: result.output as Emitted };
  }
  return { sheet, emitted: null };
}

function portsOf({ ctx, kernel, shop, call }: ProductSite, step: string): ToolPorts {
  const { webSearch, searchCodeIndex, readRepository } = shop;
  return {
    webSearch,
    searchCodeIndex,
    readRepository,
    keepDraft: (context, path, content) => keepDraft(kernel, ctx.runId, context, path, content),
    persist: ({ spec, warnings }, sources) => persistSpec(kernel, call(step), { spec, warnings, sources }),
    conceal: kernel.conceal,
  };
}

/** What was wrong with the spec it last tried to emit. */
function lastRefusal({ exchanges }: Sheet): string {
  const refused = exchanges.findLast(({ call, result }) => call.tool === "emit_structured_spec" && !result.ok)?.result;
  if (refused === undefined || refused.ok) return "";
  const faults = (refused.report?.errors ?? []).slice(0, MOST_FAULTS).map(({ path, message }) => `\n- ${path || "/"}: ${message}`);
  return ` The last one was refused: ${refused.error}${faults.join("")}`;
}

const MOST_FAULTS = 5;

const helpAnswer = z.strictObject({ decision: z.enum(["retry", "give_up"]), comment: z.string().optional() });

async function askForHelp(site: ProductSite, sheet: Sheet, failure: Failure | null): Promise<string> {
  const name = nameOf(sheet);
  const why =
    failure === null
      ? `No spec was emitted in ${MAX_ROUNDS} rounds.${lastRefusal(sheet)}`
      : `The last round ended with ${failure.code}: ${failure.message}`;
  const answer = await site.ctx.ask(`blocked:${name}`, {
    kind: "blocked",
    title: `${site.subject} has no spec yet`,
    body: [why, ...(failure === null ? [] : nextActions(failure))].join("\n"),
    options: [
      { value: "retry", label: "go on from the draft, with your comment as guidance" },
      { value: "give_up", label: site.givingUp },
    ],
    schema: helpAnswer,
    context: { ...site.about, round: name },
    answerableBy: ["person"],
  });
  if (answer.decision === "give_up") return site.giveUp(name, answer.comment);
  return answer.comment ?? "Try again.";
}
