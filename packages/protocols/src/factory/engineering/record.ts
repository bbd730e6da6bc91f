import { createPack } from "@slipway/agents/pack";
import type { Failure } from "@slipway/durable/errors";
import { refOf, type ArtifactType } from "../artifacts/envelope.ts";
import { z } from "zod";
import { askAgent } from "../../dispatch/ask-agent.ts";
import type { AgentDispatcher, Reply } from "../../dispatch/dispatcher.ts";
import { nextActions } from "../../dispatch/pauses.ts";
import { roleFolder, type FolderAnswer } from "./folder.ts";
import type { ContextPackDraft, ContributionDraft } from "./ports.ts";
import { keepPack } from "./pack-folder.ts";
import { callsIn, orCalls, TOOL_ROUNDS, useTools, type ToolUse } from "./role-tools.ts";
import { moduleRules, readItems, seenBy, storedFiles, type ContextItem } from "./role-view.ts";
import type { TaskRun } from "./task-run.ts";
import { retryAnswer } from "../../dispatch/retry-answer.ts";

export type RoleName = "planner" | "proposer" | "challenger" | "arbiter";

/** The context of a role, with the references for its context pack. */
export interface RoleContext extends Pick<ContextPackDraft, "included_refs" | "excluded_refs"> {
  readonly sections: readonly ContextItem[];
}

export interface RoleWork<T> {
  /** Unique in the task. */
  readonly step: string;
  readonly role: RoleName;
  readonly subject: string;
  readonly attempt: string;
  readonly context: RoleContext;
  readonly instructions: string;
  readonly schema: z.ZodType<T>;
  /** For a provider that works on files: the form of its answer. */
  readonly folder?: FolderAnswer;
}

/** A finished invocation with its context pack. */
export interface Played<T> {
  readonly reply: Reply<T>;
  /** A role, the ship step, or a person in a role's place. */
  readonly by: { readonly role: RoleName | "ship" | "human"; readonly run_id: string };
  readonly contextPack: string;
}

/** Asks a role once: records its context pack, then invokes it. Nothing carries over between invocations. */
export async function play<T>(run: TaskRun, work: RoleWork<T>): Promise<Played<T>> {
  const { services, task } = run;
  const { step, role, subject, attempt, context, instructions, schema, folder } = work;
  const by = { role, run_id: run.call(step).operationId } as const;
  const created_for = { ...by, task_ref: task.task_ref };
  const { included_refs, excluded_refs, sections } = context;
  const context_pack_id = await keepPack(run, step, { created_for, included_refs, excluded_refs });
  const seen = seenBy(services.view.tree, included_refs);
  const take = task.take === undefined ? "" : `${task.take}.`;
  const user = { role, runId: by.run_id, contextPackRef: context_pack_id, sees: included_refs.map(({ ref }) => ref) };
  const used: ToolUse[] = [];
  for (let tools = 0, round = 1; ; round++) {
    const turn = tools === 0 ? step : `${step}+${tools}`;
    const name = round === 1 ? turn : `${turn}^${round}`;
    const items = tools === 0 ? sections : [...sections, { title: "what your tools gave", kind: "tools", text: json(used) }];
    const asking = { folder, schema, ...(tools < TOOL_ROUNDS ? withTools(role, schema, folder) : {}) };
    // The pack is read when the role is asked, not on every replay of the run.
    const dispatcher: AgentDispatcher = {
      invoke: async (asked, signal) => services.dispatcher.invoke({ ...asked, pack: createPack(await readItems(items, seen)) }, signal),
    };
    const reply: Reply<unknown> = await askAgent<unknown>({ ...run, dispatcher }, name, {
      role,
      subject,
      attempt: `${take}${attempt}${tools === 0 ? "" : `-tools-${tools}`}`,
      instructions,
      schema: asking.schema,
      pack: createPack([]),
      folder: async () => {
        const shown = { sections: await readItems(items, seen), stored: await storedFiles(items, seen) };
        return roleFolder<unknown>({ ...shown, rules: moduleRules(included_refs) }, asking.schema, services.objectFormat, asking.folder);
      },
    });
    const calls = reply.ok && tools < TOOL_ROUNDS ? callsIn(role, reply.value) : null;
    if (calls !== null) {
      used.push(...(await useTools(run, turn, user, calls)));
      [tools, round] = [tools + 1, 0];
    } else if (reply.ok || !needsPerson(reply.failure)) {
      return { reply: reply as Reply<T>, by, contextPack: context_pack_id };
    } else await askToRepair(run, name, reply.failure);
  }
}

/** Adds tool calls to the schema, if the role has tools. */
function withTools(role: RoleName, schema: z.ZodType, folder: FolderAnswer | undefined) {
  const open = orCalls(role, schema);
  if (open === null) return {};
  if (folder === undefined) return { schema: open };
  const inFolder = orCalls(role, folder.schema) ?? folder.schema;
  const adopt: FolderAnswer["adopt"] = (answer, files) => (callsIn(role, answer) === null ? folder.adopt(answer, files) : answer);
  return { schema: open, folder: { ...folder, schema: inFolder, adopt } };
}

/** An invalid answer is handled by the protocol; a missing provider needs a person. */
function needsPerson({ details }: Failure): boolean {
  return details["requires_human"] === true;
}

export async function askToRepair(run: TaskRun, name: string, failure: Failure): Promise<void> {
  const answer = await run.ctx.ask(`mend:${name}`, {
    kind: "mend",
    title: `${run.subject} cannot continue: ${failure.code}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "retry (the problem is fixed)" },
      { value: "give_up", label: run.givingUp },
    ],
    schema: retryAnswer,
    context: { ...run.about, code: failure.code },
  });
  if (answer.decision === "give_up") await run.giveUp(name, answer.comment);
}

export interface Made {
  readonly type: ArtifactType;
  readonly contribution: ContributionDraft["type"] | null;
  readonly body: Readonly<Record<string, string>>;
  readonly inputs?: readonly { readonly ref: string; readonly purpose: string }[];
  /** The artifact this one is the next version of. */
  readonly follows?: string | undefined;
}

/** Records an artifact and, if set, its contribution. Returns its reference. */
export async function recordArtifact(
  run: TaskRun,
  step: string,
  { by, contextPack }: Pick<Played<unknown>, "by" | "contextPack">,
  made: Made,
) {
  const { store } = run.services;
  const { pillar } = run.task;
  const envelope = await run.keep(step, (call) =>
    store.artifacts.create(call, {
      artifact_type: made.type,
      pillar,
      created_by: by,
      context_pack_ref: contextPack,
      body: { ...made.body },
      inputs: [...(made.inputs ?? [])],
      ...(made.follows === undefined ? {} : { follows: made.follows }),
    }),
  );
  const ref = refOf(envelope);
  const { contribution } = made;
  if (contribution !== null) await contribute(run, step, by, contextPack, contribution, ref);
  return { id: envelope.artifact_id, ref };
}

/** One per invocation, even if the answer was refused. */
export function contribute(
  run: TaskRun,
  step: string,
  produced_by: Played<unknown>["by"],
  context_pack_ref: string,
  type: ContributionDraft["type"],
  artifact_ref: string,
) {
  const draft = { type, produced_by, artifact_ref, task_ref: run.task.task_ref, context_pack_ref };
  return run.keep(`contribution:${step}`, (call) => run.services.store.keepContribution(call, draft));
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
