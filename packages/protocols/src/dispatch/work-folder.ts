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

/** The same work for a provider that works on files: what its folder holds, and what its answer becomes with what it changed there. */
export interface FolderWork<T> {
  readonly contents: PackContents;
  readonly schema: z.ZodType;
  /** The plain answer. What is claimed counts for nothing here; what has changed does. */
  readonly adopt: (answer: unknown, changes: PackChanges) => Reply<T>;
}

/** What an invocation is made with: nothing more for a provider that only answers. */
export interface WorkFolder {
  readonly workplace: Workplace | null;
  readonly schema: z.ZodType;
  readonly folder: FolderNote | null;
}

export interface WorkFolderNotes {
  readonly onWarning: (warning: string) => void;
  readonly watch: Watch;
}

type Body = (place: WorkFolder) => Promise<InvocationResult<unknown>>;

/** Opens the context pack for a provider that works in a folder, and takes over what it changed there. */
export async function withWorkplace<T>(
  kernel: Kernel,
  { folder, schema, call, invocation = call.operationId }: Pick<AgentRequest<T>, "folder" | "schema" | "call" | "invocation">,
  { works }: Pick<Provider, "works">,
  body: Body,
  told: WorkFolderNotes,
): Promise<InvocationResult<T>> {
  if (works === "prompt" || folder === undefined) {
    return (await body({ workplace: null, schema, folder: null })) as InvocationResult<T>;
  }
  const work = await folder();
  // A link leads to the cache that all packs share: only for those who see it through a wall.
  const walled = await kernel.sandbox().then(
    ({ kind }) => kind === "bubblewrap",
    () => false,
  );
  const { packs } = kernel.repository.ungated;
  makeUngatedFolder(kernel.repository, packs);
  const store = packStore(kernel.repository, packs, kernel.clock);
  const pack = await store.open(planPack(work.contents), { id: sha256(invocation).slice(0, 24), links: walled });
  try {
    const writable = pack.manifest.included.filter(({ permission }) => permission === "write").map(({ path }) => path);
    const place = { workplace: workplaceIn(pack, kernel.sandbox), schema: work.schema, folder: { writable, plainSchema: schema } };
    return await takeOver(kernel, pack, work, await body(place), told);
  } finally {
    await pack.close();
  }
}

async function takeOver<T>(
  kernel: Kernel,
  pack: OpenPack,
  { adopt }: FolderWork<T>,
  result: InvocationResult<unknown>,
  { onWarning, watch }: WorkFolderNotes,
): Promise<InvocationResult<T>> {
  const changes = await pack.changes();
  await keepAccount(kernel, pack, changes, watch);
  if (changes.dropped.length > 0) onWarning(droppedText(changes));
  const reply: Reply<T> = result.ok ? adopt(result.output, changes) : result;
  if (!reply.ok) {
    await watch({ kind: "rejected", failure: reply.failure });
    return { ...result, ok: false, failure: reply.failure };
  }
  await watch({ kind: "output", output: JSON.parse(JSON.stringify(reply.value)) as never });
  return { ...result, ok: true, output: reply.value };
}

/** What could be seen, what was looked at and what was changed, for as long as the run is kept. */
async function keepAccount(
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
  return `Not taken over from the agent's folder: ${shown.join(", ")}${more}.`;
}
