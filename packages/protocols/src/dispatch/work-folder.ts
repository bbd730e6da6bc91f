import type { InvocationResult } from "@slipway/agents/invoke";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { planPack, type PackContents, type PackPlan } from "@slipway/agents/packs/plan";
import { packStore, type OpenPack } from "@slipway/agents/packs/store";
import { workplaceIn } from "@slipway/agents/packs/workplace";
import type { OnTraffic } from "@slipway/agents/process/run";
import type { FilesNote, FolderNote } from "@slipway/agents/prompt";
import type { Provider, Workplace } from "@slipway/agents/provider";
import type { NativeTool } from "@slipway/agents/tools/native-tools";
import type { Watch } from "@slipway/agents/transcripts/line";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import type { Kernel } from "@slipway/kernel/kernel";
import { makeUngatedFolder } from "@slipway/kernel/host/ungated-folder";
import type { z } from "zod";
import type { AgentQuestion, AgentRequest, Reply, WorkspaceRequest } from "./dispatcher.ts";
import { plainAnswer, planWorkspace, readPlainAnswer, replyOf, type PlannedWorkspace } from "./workspace.ts";

/** A request for a provider that works on files: the contents of its folder, and how answer and changed files become a reply. */
export interface FolderWork<T> {
  readonly contents: PackContents;
  readonly schema: z.ZodType;
  /** Turns the answer and the changed files into a reply. Only the changed files count, not what the answer claims. */
  readonly adopt: (answer: unknown, changes: PackChanges) => Reply<T>;
}

/** The folder of an invocation; `workplace` and `folder` are null for a provider that only answers. */
export interface WorkFolder {
  readonly workplace: Workplace | null;
  readonly schema: z.ZodType;
  readonly folder: FolderNote | null;
  readonly files?: FilesNote | null;
}

export interface WorkNotes {
  readonly onWarning: (warning: string) => void;
  readonly onDropped: (dropped: PackChanges["dropped"]) => void;
  readonly onTraffic: OnTraffic;
  readonly watch: Watch;
}

type Body = (folder: WorkFolder) => Promise<InvocationResult<unknown>>;
type Asked<T> = AgentRequest<T> | WorkspaceRequest<T>;

/** The player of a request: how it works, and what its role may do with files. */
export interface PlayedRole extends Pick<Provider, "works" | "needsFolder"> {
  readonly tools: readonly NativeTool[];
}

/** Opens the context pack for a provider that works in a folder, and adopts the files that were changed there or in the answer. */
export async function withWorkplace<T>(
  kernel: Kernel,
  request: Asked<T>,
  player: PlayedRole,
  body: Body,
  notes: WorkNotes,
): Promise<InvocationResult<T>> {
  const asked: FolderRequest = { kernel, request, tools: player.tools, notes };
  if (hasWorkspace(request)) return inWorkspace(asked, planWorkspace(await request.workspace()), player, body);
  const { schema, folder } = request;
  if (folder === undefined && player.needsFolder === true) return inEmptyFolder(asked, schema, body);
  if (player.works === "prompt" || folder === undefined) {
    return (await body({ workplace: null, schema, folder: null })) as InvocationResult<T>;
  }
  const { contents, ...work } = await folder();
  const plan = planPack(contents);
  return inFolder(asked, { ...work, plan, note: { writable: plan.writable, plainSchema: schema } }, body);
}

function hasWorkspace<T>(request: Asked<T>): request is WorkspaceRequest<T> {
  return request.workspace !== undefined;
}

async function inWorkspace<T>(
  asked: FolderRequest,
  planned: PlannedWorkspace<T>,
  { works }: PlayedRole,
  body: Body,
): Promise<InvocationResult<T>> {
  const { plan, files, plainSchema, outputSchema, adopt } = planned;
  if (works === "folder") {
    const note = { ...(files ?? { writable: [] }), plainSchema, ...(files === null ? {} : { plainFiles: files }) };
    const recorded: FolderTask<T>["recorded"] = (folder, output, changes) => plainAnswer(planned, folder, output, changes);
    return inFolder(asked, { plan, note, schema: outputSchema, adopt, recorded }, body);
  }
  const result = await body({ workplace: null, schema: plainSchema, folder: null, files });
  if (!result.ok) return result;
  const { kernel, notes } = asked;
  const { output, changes } = await readPlainAnswer(kernel.repository, planned, result.output);
  await tellChanges(kernel, { manifest: plan.manifest, reads: [] }, changes, notes);
  return replyOf(result, adopt(output, changes));
}

interface FolderTask<T> extends Pick<FolderWork<T>, "schema" | "adopt"> {
  readonly plan: PackPlan;
  readonly note: FolderNote;
  /** What a cassette keeps of an adopted answer; by default the reply. */
  readonly recorded?: (folder: string, output: unknown, changes: PackChanges) => unknown;
}

interface FolderRequest {
  readonly kernel: Kernel;
  readonly request: Pick<AgentQuestion, "call" | "invocation">;
  readonly tools: readonly NativeTool[];
  readonly notes: WorkNotes;
}

/** Everything is in the prompt; the client only needs a place to run in. */
function inEmptyFolder<T>(asked: FolderRequest, schema: z.ZodType<T>, body: Body): Promise<InvocationResult<T>> {
  const { objectFormat } = asked.kernel.repository;
  const plan = planPack({ tree: null, files: [], others: [], rules: [], objectFormat });
  const note = { writable: [], plainSchema: schema };
  const adopt = (value: unknown): Reply<T> => ({ ok: true, value: value as T });
  return inFolder(asked, { plan, note, schema, adopt }, (folder) => body({ ...folder, folder: null }));
}

async function inFolder<T>(asked: FolderRequest, task: FolderTask<T>, body: Body): Promise<InvocationResult<T>> {
  const { kernel, request, tools, notes } = asked;
  const { invocation = request.call.operationId } = request;
  const { schema, note, plan } = task;
  // Hard links lead to the cache that all packs share, so only a sandboxed agent may get them.
  const sandboxed = await kernel.sandbox().then(
    ({ kind }) => kind === "bubblewrap",
    () => false,
  );
  const { packs } = kernel.repository.ungated;
  makeUngatedFolder(kernel.repository, packs);
  const store = packStore(kernel.repository, packs, kernel.clock);
  const pack = await store.open(plan, { id: sha256(invocation).slice(0, 24), links: sandboxed });
  try {
    const result = await body({ workplace: workplaceIn(pack, kernel.sandbox, tools, notes.onTraffic), schema, folder: note });
    return await adoptChanges(kernel, pack, task, result, notes);
  } finally {
    await pack.close();
  }
}

async function adoptChanges<T>(
  kernel: Kernel,
  pack: OpenPack,
  { adopt, recorded }: FolderTask<T>,
  result: InvocationResult<unknown>,
  notes: WorkNotes,
): Promise<InvocationResult<T>> {
  const changes = await pack.changes();
  await tellChanges(kernel, pack, changes, notes);
  const reply: Reply<T> = result.ok ? adopt(result.output, changes) : result;
  if (!reply.ok) await notes.watch({ kind: "rejected", failure: reply.failure });
  else {
    const kept = recorded === undefined || !result.ok ? reply.value : recorded(pack.folder, result.output, changes);
    await notes.watch({ kind: "output", output: JSON.parse(JSON.stringify(kept)) as never });
  }
  return replyOf(result, reply);
}

async function tellChanges(
  kernel: Kernel,
  pack: Pick<OpenPack, "manifest" | "reads">,
  changes: PackChanges,
  { watch, onWarning, onDropped }: WorkNotes,
): Promise<void> {
  await recordPackUse(kernel, pack, changes, watch);
  if (changes.dropped.length === 0) return;
  onWarning(droppedText(changes));
  onDropped(changes.dropped);
}

/** Stores which files the agent could see, read and changed. */
async function recordPackUse(
  { records }: Kernel,
  { manifest, reads }: Pick<OpenPack, "manifest" | "reads">,
  { changed, dropped }: PackChanges,
  watch: Watch,
): Promise<void> {
  const account = { manifest, reads: reads.map((read) => ({ ...read })), changed, dropped };
  const digest = await records.objects.put(Buffer.from(canonicalJson(account)));
  const { included, excluded } = manifest;
  const line = { context_pack: digest, included: included.length, excluded: excluded.length, reads: reads.length, changed, dropped };
  await watch({ kind: "raw", line: JSON.stringify(line) });
}

const SHOWN_PATHS = 10;

export function droppedText({ dropped }: PackChanges): string {
  const shown = dropped.slice(0, SHOWN_PATHS).map(({ path, what, reason }) => `${path} (${what}: ${reason})`);
  const more = dropped.length > SHOWN_PATHS ? ` and ${dropped.length - SHOWN_PATHS} more` : "";
  return `Not adopted from the agent's folder: ${shown.join(", ")}${more}.`;
}
