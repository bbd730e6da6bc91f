import { createPack } from "@slipway/agents/pack";
import type { Failure } from "@slipway/durable/errors";
import { refOf, type ArtifactType } from "../artifacts/envelope.ts";
import { z } from "zod";
import { askAgent } from "../../asking.ts";
import type { AgentDesk, Reply } from "../../desk.ts";
import { nextActions } from "../../pausing.ts";
import { roleFolder, type FolderAnswer } from "./folder.ts";
import type { ContextPackDraft, ContributionDraft } from "./ports.ts";
import { keepPack } from "./packing.ts";
import { callsIn, orCalls, TOOL_ROUNDS, useTools, type ToolUse } from "./role-tools.ts";
import { moduleRules, readItems, seenBy, storedFiles, type ContextItem } from "./seen.ts";
import type { EngineeringSite } from "./site.ts";

export type RoleName = "planner" | "proposer" | "challenger" | "arbiter";

/** What a role is shown, and the account of it. */
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
  /** For one who works on files: how its answer looks there. */
  readonly folder?: FolderAnswer;
}

/** An invocation that has ended, with what it was given. */
export interface Played<T> {
  readonly reply: Reply<T>;
  /** A role, the ship step, or a person in a role's place. */
  readonly by: { readonly role: RoleName | "ship" | "human"; readonly run_id: string };
  readonly contextPack: string;
}

/** One invocation of a role: its context pack is kept first, then it is asked. Nothing is carried over from any other. */
export async function play<T>(site: EngineeringSite, work: RoleWork<T>): Promise<Played<T>> {
  const { shop, task } = site;
  const { step, role, subject, attempt, context, instructions, schema, folder } = work;
  const by = { role, run_id: site.call(step).operationId } as const;
  const created_for = { ...by, task_ref: task.task_ref };
  const { included_refs, excluded_refs, sections } = context;
  const context_pack_id = await keepPack(site, step, { created_for, included_refs, excluded_refs });
  const seen = seenBy(shop.view.tree, included_refs);
  const take = task.take === undefined ? "" : `${task.take}.`;
  const user = { role, runId: by.run_id, contextPackRef: context_pack_id, sees: included_refs.map(({ ref }) => ref) };
  const used: ToolUse[] = [];
  for (let tools = 0, round = 1; ; round++) {
    const turn = tools === 0 ? step : `${step}+${tools}`;
    const name = round === 1 ? turn : `${turn}^${round}`;
    const items = tools === 0 ? sections : [...sections, { title: "what your tools gave", kind: "tools", text: json(used) }];
    const asking = { folder, schema, ...(tools < TOOL_ROUNDS ? withTools(role, schema, folder) : {}) };
    // Read when the role is asked, and not whenever the run is replayed.
    const desk: AgentDesk = {
      invoke: async (asked, signal) => shop.desk.invoke({ ...asked, pack: createPack(await readItems(items, seen)) }, signal),
    };
    const reply: Reply<unknown> = await askAgent<unknown>({ ...site, desk }, name, {
      role,
      subject,
      attempt: `${take}${attempt}${tools === 0 ? "" : `-tools-${tools}`}`,
      instructions,
      schema: asking.schema,
      pack: createPack([]),
      folder: async () => {
        const shown = { sections: await readItems(items, seen), stored: await storedFiles(items, seen) };
        return roleFolder<unknown>({ ...shown, rules: moduleRules(included_refs) }, asking.schema, shop.objectFormat, asking.folder);
      },
    });
    const calls = reply.ok && tools < TOOL_ROUNDS ? callsIn(role, reply.value) : null;
    if (calls !== null) {
      used.push(...(await useTools(site, turn, user, calls)));
      [tools, round] = [tools + 1, 0];
    } else if (reply.ok || !needsPerson(reply.failure)) {
      return { reply: reply as Reply<T>, by, contextPack: context_pack_id };
    } else await askToMend(site, name, reply.failure);
  }
}

/** The same answer, or calls; where the role has tools. */
function withTools(role: RoleName, schema: z.ZodType, folder: FolderAnswer | undefined) {
  const open = orCalls(role, schema);
  if (open === null) return {};
  if (folder === undefined) return { schema: open };
  const inFolder = orCalls(role, folder.schema) ?? folder.schema;
  const adopt: FolderAnswer["adopt"] = (answer, files) => (callsIn(role, answer) === null ? folder.adopt(answer, files) : answer);
  return { schema: open, folder: { ...folder, schema: inFolder, adopt } };
}

/** An answer that is none is the role's; a provider that is not there is somebody else's. */
function needsPerson({ details }: Failure): boolean {
  return details["requires_human"] === true;
}

const mendAnswer = z.strictObject({ decision: z.enum(["retry", "give_up"]), comment: z.string().optional() });

export async function askToMend(site: EngineeringSite, name: string, failure: Failure): Promise<void> {
  const answer = await site.ctx.ask(`mend:${name}`, {
    kind: "mend",
    title: `${site.subject} cannot go on: ${failure.code}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "it is mended: try again" },
      { value: "give_up", label: site.givingUp },
    ],
    schema: mendAnswer,
    context: { ...site.about, code: failure.code },
  });
  if (answer.decision === "give_up") await site.giveUp(name, answer.comment);
}

export interface Made {
  readonly type: ArtifactType;
  readonly contribution: ContributionDraft["type"] | null;
  readonly body: Readonly<Record<string, string>>;
  readonly inputs?: readonly { readonly ref: string; readonly purpose: string }[];
  /** The artifact of which it is the next version. */
  readonly follows?: string | undefined;
}

/** Keeps what an invocation made and, where it stands for the invocation, the contribution. Returns its reference. */
export async function keepMade(
  site: EngineeringSite,
  step: string,
  { by, contextPack }: Pick<Played<unknown>, "by" | "contextPack">,
  made: Made,
) {
  const { store } = site.shop;
  const { pillar } = site.task;
  const envelope = await site.keep(step, (call) =>
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
  if (contribution !== null) await contribute(site, step, by, contextPack, contribution, ref);
  return { id: envelope.artifact_id, ref };
}

/** One for each invocation, also where its answer came to nothing. */
export function contribute(
  site: EngineeringSite,
  step: string,
  produced_by: Played<unknown>["by"],
  context_pack_ref: string,
  type: ContributionDraft["type"],
  artifact_ref: string,
) {
  const draft = { type, produced_by, artifact_ref, task_ref: site.task.task_ref, context_pack_ref };
  return site.keep(`contribution:${step}`, (call) => site.shop.store.keepContribution(call, draft));
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
