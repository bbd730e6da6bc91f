import { lstatSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import { readBelow } from "@slipway/kernel/host/file-views/files";
import { packPath } from "@slipway/kernel/host/file-views/pack-path";
import type { IndexEntry } from "@slipway/kernel/host/git/fast-path/index-file";
import type { Repository } from "@slipway/kernel/host/git/repository";
import { canonicalPath, visible } from "@slipway/kernel/paths/paths";
import { z } from "zod";
import { READ_ONLY, type Dropped, type PackChanges } from "./changes.ts";
import { diffOfEdits, modeOf } from "./edits.ts";
import type { PackPlan } from "./plan.ts";
import { blobId } from "./source.ts";

const path = z.string().min(1);
const executable = z.boolean().optional();

const writtenFile = z.union([
  z.strictObject({ path, content: z.string().nullable().describe("The whole new content; null deletes the file."), executable }),
  z.strictObject({ path, base64: z.base64().describe("Instead of content, for a file that is not text."), executable }),
]);

/** A file as an answer writes it: its whole new content, or null to delete it. */
export type WrittenFile = z.output<typeof writtenFile>;

export const writtenFiles = z.array(writtenFile).superRefine((files, context) => {
  const seen = new Set<string>();
  files.forEach(({ path: named }, index) => {
    const canonical = canonicalPath(named);
    const one = canonical.ok ? canonical.path : named;
    if (seen.has(one)) context.addIssue({ code: "custom", path: [index, "path"], message: `${visible(one)} is listed twice` });
    seen.add(one);
  });
});

type PlannedPack = Pick<PackPlan, "manifest" | "files" | "rulings">;

/** Judges files of an answer by the rules of a pack, as `packChanges` judges those of a folder. */
export async function writtenChanges(repo: Repository, plan: PlannedPack, written: readonly WrittenFile[]): Promise<PackChanges> {
  const base = new Map(plan.files.map((file) => [file.path, file]));
  const edits = new Map<string, IndexEntry | null>();
  const contents = new Map<string, Uint8Array>();
  const dropped: Dropped[] = [];
  const noFiles = plan.manifest.excluded.filter(({ path: at }) => plan.rulings(at).kind !== "absent");
  const hidden = new Map(noFiles.map(({ path: at, reason }) => [at, reason]));
  const whatIs = (at: string, content: Uint8Array | null) => (content === null ? "removed" : base.has(at) ? "changed" : "created");

  for (const file of written) {
    const content = contentOf(file);
    const at = placeOf(file.path);
    const what = whatIs(typeof at === "string" ? at : file.path, content);
    if (at instanceof SlipwayError) {
      dropped.push({ path: visible(file.path), what, reason: at.message });
      continue;
    }
    const drop = (reason: string) => dropped.push({ path: file.path.endsWith("/") ? `${at}/` : at, what, reason });
    const before = base.get(at);
    const ruling = plan.rulings(at);
    if (ruling.kind !== "shown" || !ruling.writable || file.path.endsWith("/")) drop(READ_ONLY);
    else if (inTheWay(at, hidden) !== undefined) drop(`${inTheWay(at, hidden)} is in its place`);
    else if (content === null && before === undefined) drop("there is no such file");
    else if (content === null) edits.set(at, null);
    else {
      const oid = blobId(content, repo.objectFormat);
      const mode = modeOf({ executable: file.executable ?? before?.executable ?? false });
      if (before?.oid === oid && modeOf(before) === mode) continue;
      edits.set(at, { mode, oid });
      contents.set(oid, content);
    }
  }
  for (const clash of clashes([...base.keys()], edits)) {
    dropped.push({ path: clash, what: whatIs(clash, new Uint8Array()), reason: "a file and a folder cannot have the same name" });
    edits.delete(clash);
  }
  const diff = await diffOfEdits(repo, plan, edits, contents);
  return { diff, changed: [...edits.keys()].toSorted(), dropped: dropped.toSorted((left, right) => (left.path < right.path ? -1 : 1)) };
}

/** Why the path, or a folder above it, is not among the files: it is a symbolic link, for example, which a write would replace or follow. */
function inTheWay(at: string, hidden: ReadonlyMap<string, string>): string | undefined {
  const taken = [at, ...parentsOf(at)].find((one) => hidden.has(one));
  return taken === undefined ? undefined : hidden.get(taken);
}

function contentOf(file: WrittenFile): Uint8Array | null {
  if ("base64" in file) return Buffer.from(file.base64, "base64");
  return file.content === null ? null : Buffer.from(file.content);
}

function placeOf(named: string): string | SlipwayError {
  try {
    return packPath(named);
  } catch (error) {
    if (error instanceof SlipwayError) return error;
    throw error;
  }
}

/** Written paths that are inside a file, or are a folder, after all the edits. */
function clashes(base: readonly string[], edits: ReadonlyMap<string, IndexEntry | null>): string[] {
  const files = new Set([...base, ...edits.keys()].filter((file) => edits.get(file) !== null));
  const folders = new Set([...files].flatMap(parentsOf));
  return [...edits.keys()].filter((file) => files.has(file) && (folders.has(file) || parentsOf(file).some((parent) => files.has(parent))));
}

function parentsOf(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Stands for the content of a change that is not adopted: a replay needs its path only. */
const NOT_KEPT = "(not adopted)\n";

/** The changes of a folder as files of an answer, so that `writtenChanges` gives the same changes again. */
export function filesOfChanges(folder: string, plan: PlannedPack, { changed, dropped }: PackChanges): WrittenFile[] {
  const base = new Map(plan.files.map((file) => [file.path, file]));
  const adopted = changed.map((at): WrittenFile => {
    const stats = lstatSync(join(folder, at), { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return { path: at, content: null };
    const runs = (stats.mode & 0o100) !== 0;
    const mode = runs === (base.get(at)?.executable ?? false) ? {} : { executable: runs };
    return { path: at, ...textOrBytes(readBelow(folder, at)), ...mode };
  });
  const refused = dropped.map(({ path: at, what }): WrittenFile => ({ path: at, content: what === "removed" ? null : NOT_KEPT }));
  return [...adopted, ...refused];
}

function textOrBytes(bytes: Buffer): { readonly content: string } | { readonly base64: string } {
  const content = bytes.toString("utf8");
  return Buffer.from(content).equals(bytes) ? { content } : { base64: bytes.toString("base64") };
}
