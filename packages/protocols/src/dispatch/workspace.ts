import type { InvocationResult } from "@slipway/agents/invoke";
import type { PackChanges } from "@slipway/agents/packs/changes";
import { planPack, type PackContents, type PackPlan } from "@slipway/agents/packs/plan";
import { filesOfChanges, writtenChanges, writtenFiles, type WrittenFile } from "@slipway/agents/packs/written";
import type { FilesNote } from "@slipway/agents/prompt";
import type { Repository } from "@slipway/kernel/host/git/repository";
import { z } from "zod";
import type { Reply } from "./dispatcher.ts";

/**
 * A request whose work is files, for both kinds of provider. One that works in a folder gets the contents there. One that only answers
 * writes the changed files into its answer, beside its output. Both are judged by the rules of the contents.
 */
export interface Workspace<T> {
  readonly contents: PackContents;
  /** Of the role's own output, without the files. */
  readonly outputSchema: z.ZodType;
  /** Turns output and changed files into a reply. Only the changed files count, not what the output claims. */
  readonly adopt: (output: unknown, changes: PackChanges) => Reply<T>;
}

export interface TypedWorkspace<O, T> extends Pick<Workspace<T>, "contents"> {
  readonly outputSchema: z.ZodType<O>;
  readonly adopt: (output: O, changes: PackChanges) => Reply<T>;
}

export function workspaceOf<O, T>({ contents, outputSchema, adopt }: TypedWorkspace<O, T>): Workspace<T> {
  // Only an output that has passed the schema is adopted.
  return { contents, outputSchema, adopt: (output, changes) => adopt(output as O, changes) };
}

/** A workspace as both kinds of provider are asked for it. */
export interface PlannedWorkspace<T> extends Workspace<T> {
  readonly plan: PackPlan;
  /** The form of an answer without a folder: `{output, files}`, or the output alone where no file may change. */
  readonly plainSchema: z.ZodType;
  /** Null where no file may change. */
  readonly files: FilesNote | null;
}

export function planWorkspace<T>(workspace: Workspace<T>): PlannedWorkspace<T> {
  const plan = planPack(workspace.contents);
  const files = changeable(plan);
  const { outputSchema } = workspace;
  return { ...workspace, plan, files, plainSchema: files === null ? outputSchema : withFiles(outputSchema) };
}

const envelopes = new WeakMap<z.ZodType, z.ZodType>();

/** Cached, because the text of a schema is cached by its identity. */
function withFiles(outputSchema: z.ZodType): z.ZodType {
  const envelope = envelopes.get(outputSchema) ?? z.strictObject({ output: outputSchema, files: writtenFiles });
  envelopes.set(outputSchema, envelope);
  return envelope;
}

/** The grants of the rules, which are shorter than the files they cover and also name files to create. */
function changeable({ rules, files }: PackPlan): FilesNote | null {
  const shown = rules.flatMap((rule) => (rule.level === "FULL" ? [{ path: rule.path, writable: rule.permission === "write" }] : []));
  const named = (writable: boolean) => shown.filter((rule) => rule.writable === writable).map(({ path }) => path);
  const isFolder = (path: string) => path === "." || files.some((file) => file.path.startsWith(`${path}/`));
  const withSlash = (path: string) => (isFolder(path) ? `${path}/` : path);
  const granted = [...new Set(named(true))];
  if (granted.length === 0) return null;
  const except = named(false).filter((path) => granted.some((grant) => grant === "." || path.startsWith(`${grant}/`)) && path !== ".");
  return { writable: granted.map(withSlash), except: [...new Set(except)].map(withSlash) };
}

/** The output and the changes of a plain answer. */
export async function readPlainAnswer<T>(
  repository: Repository,
  { plan, files }: PlannedWorkspace<T>,
  answer: unknown,
): Promise<{ readonly output: unknown; readonly changes: PackChanges }> {
  if (files === null) return { output: answer, changes: { diff: "", changed: [], dropped: [] } };
  const { output, files: written } = answer as { readonly output: unknown; readonly files: readonly WrittenFile[] };
  return { output, changes: await writtenChanges(repository, plan, written) };
}

/** The answer of an agent in a folder as one without a folder would give it, so that a cassette can replay it. */
export function plainAnswer<T>({ plan, files }: PlannedWorkspace<T>, folder: string, output: unknown, changes: PackChanges): unknown {
  return files === null ? output : { output, files: filesOfChanges(folder, plan, changes) };
}

export function replyOf<T>(result: InvocationResult<unknown>, reply: Reply<T>): InvocationResult<T> {
  return reply.ok ? { ...result, ok: true, output: reply.value } : { ...result, ok: false, failure: reply.failure };
}
