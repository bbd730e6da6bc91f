import type { InvocationResult } from "@slipway/agents/invoke";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { planPack, type PackContents } from "@slipway/agents/packs/plan";
import { packStore, type OpenPack } from "@slipway/agents/packs/store";
import { workplaceIn } from "@slipway/agents/packs/workplace";
import type { FolderNote } from "@slipway/agents/prompt";
import type { Provider, Workplace } from "@slipway/agents/provider";
import type { Watch } from "@slipway/agents/transcripts/line";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import type { Kernel } from "@slipway/kernel/kernel";
import { makeUngatedFolder } from "@slipway/kernel/host/ungated-folder";
import type { z } from "zod";
import type { AgentRequest, Reply } from "./dispatcher.ts";

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
}

export interface WorkFolderNotes {
  readonly onWarning: (warning: string) => void;
  readonly watch: Watch;
}

type Body = (folder: WorkFolder) => Promise<InvocationResult<unknown>>;

/** Opens the context pack for a provider that works in a folder, and adopts the files it changed there. */
export async function withWorkplace<T>(
  kernel: Kernel,
  { folder, schema, call, invocation = call.operationId }: Pick<AgentRequest<T>, "folder" | "schema" | "call" | "invocation">,
  { works }: Pick<Provider, "works">,
  body: Body,
  notes: WorkFolderNotes,
): Promise<InvocationResult<T>> {
  if (works === "prompt" || folder === undefined) {
    return (await body({ workplace: null, schema, folder: null })) as InvocationResult<T>;
  }
  const work = await folder();
  // Hard links lead to the cache that all packs share, so only a sandboxed agent may get them.
  const sandboxed = await kernel.sandbox().then(
    ({ kind }) => kind === "bubblewrap",
    () => false,
  );
  const { packs } = kernel.repository.ungated;
  makeUngatedFolder(kernel.repository, packs);
  const store = packStore(kernel.repository, packs, kernel.clock);
  const pack = await store.open(planPack(work.contents), { id: sha256(invocation).slice(0, 24), links: sandboxed });
  try {
    const writable = pack.manifest.included.filter(({ permission }) => permission === "write").map(({ path }) => path);
    const workFolder = { workplace: workplaceIn(pack, kernel.sandbox), schema: work.schema, folder: { writable, plainSchema: schema } };
    return await adoptChanges(kernel, pack, work, await body(workFolder), notes);
  } finally {
    await pack.close();
  }
}

async function adoptChanges<T>(
  kernel: Kernel,
  pack: OpenPack,
  { adopt }: FolderWork<T>,
  result: InvocationResult<unknown>,
  { onWarning, watch }: WorkFolderNotes,
): Promise<InvocationResult<T>> {
  const changes = await pack.changes();
  await recordPackUse(kernel, pack, changes, watch);
  if (changes.dropped.length > 0) onWarning(droppedText(changes));
  const reply: Reply<T> = result.ok ? adopt(result.output, changes) : result;
  if (!reply.ok) {
    await watch({ kind: "rejected", failure: reply.failure });
    return { ...result, ok: false, failure: reply.failure };
  }
  await watch({ kind: "output", output: JSON.parse(JSON.stringify(reply.value)) as never });
  return { ...result, ok: true, output: reply.value };
}

/** Stores which files the agent could see, read and changed. */
async function recordPackUse(
  { records }: Kernel,
  { manifest, reads }: OpenPack,
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
