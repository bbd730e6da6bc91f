import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { z } from "zod";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { projectedFiles } from "../../host/files/projection-writer.ts";
import { canonicalPath } from "../../paths/paths.ts";
import { SlipwayError } from "../../schema/errors.ts";
import type { Call } from "../operations/call.ts";
import type { Operation } from "../operations/operation.ts";
import type { Records } from "../storage.ts";

/** The files of one run or change, for people and tools. The rows are the record; the files are written again from them. */
export interface RunFolder {
  /** Below `.slipway/runs`. */
  readonly folder: string;
  /** On disk. */
  readonly place: string;
  /** Records the texts by path, then writes the files. Null removes a file. */
  write(call: Call, texts: Readonly<Record<string, string | null>>): Promise<void>;
  /** The recorded text; null if there is none. */
  text(path: string): Promise<string | null>;
  /** What is on disk now; null if the file is missing or cannot be read. */
  onDisk(path: string): Promise<string | null>;
  paths(): Promise<string[]>;
  /** Writes missing and edited files again. Returns their paths. */
  restore(): Promise<string[]>;
}

/** Longer texts are stored as objects. */
const MAX_ROW_CHARACTERS = 65_536;

const file = z.strictObject({ path: z.string(), text: z.string().nullable(), digest: z.string().nullable() });
const writeInput = z.strictObject({ folder: z.string(), files: z.array(file).min(1) });
type WriteInput = z.infer<typeof writeInput>;

const writeOperation: Operation<WriteInput, undefined, null> = {
  name: "run.write_files",
  roles: ["orchestrator", "system"],
  input: writeInput,
  async commit(tx, { folder, files }, _effect, { at }) {
    for (const { path, text, digest } of files) {
      if (digest === null) {
        await tx.deleteFrom("run_files").where("folder", "=", folder).where("path", "=", path).execute();
        continue;
      }
      const content = { text, digest, at };
      await tx
        .insertInto("run_files")
        .values({ folder, path, ...content })
        .onConflict((conflict) => conflict.columns(["folder", "path"]).doUpdateSet(content))
        .execute();
    }
    return null;
  },
  event: ({ folder, files }) => ({ folder, files: files.map(({ path, digest }) => [path, digest]) }),
};

/** `folder` is the run's id, or `<run>/<change>` for a change with files of its own. */
export function openRunFiles({ layout, database: { db }, door, objects }: Records, folder: string): RunFolder {
  const place = join(layout.runs, ...folder.split("/").map(encodeURIComponent));
  const written = projectedFiles(nodeFileSystem);

  async function row(path: string) {
    const found = db.selectFrom("run_files").selectAll().where("folder", "=", folder).where("path", "=", path);
    return (await found.executeTakeFirst()) ?? null;
  }

  async function current(path: string): Promise<string | null> {
    const found = await row(path);
    return found === null ? null : textOf(found);
  }

  async function textOf({ text, digest }: { readonly text: string | null; readonly digest: string }): Promise<string> {
    return text ?? Buffer.from(await objects.get(digest)).toString("utf8");
  }

  async function recorded(path: string, text: string | null): Promise<WriteInput["files"][number]> {
    if (text === null) return { path, text: null, digest: null };
    const digest = sha256(text);
    if (text.length <= MAX_ROW_CHARACTERS) return { path, text, digest };
    await objects.put(Buffer.from(text));
    return { path, text: null, digest };
  }

  async function project(path: string, text: string | null): Promise<boolean> {
    if (text !== null) return written.write(join(place, path), text);
    await nodeFileSystem.unlink(join(place, path)).catch(() => undefined);
    written.forget(join(place, path));
    return true;
  }

  return {
    folder,
    place,
    async write({ actor, operationId }, texts) {
      for (const path of Object.keys(texts)) assertInside(path);
      const wellFormed = Object.entries(texts).map(([path, text]) => [path, text?.toWellFormed() ?? null] as const);
      const files = await Promise.all(wellFormed.map(([path, text]) => recorded(path, text)));
      await door.perform(writeOperation, actor, operationId, { folder, files });
      // A repeated call may be older than the row.
      for (const [path] of wellFormed) await project(path, await current(path));
    },
    text: current,
    onDisk: (path) => readFile(join(place, path), "utf8").catch(() => null),
    async paths() {
      const rows = await db.selectFrom("run_files").select("path").where("folder", "=", folder).orderBy("path").execute();
      return rows.map(({ path }) => path);
    },
    async restore() {
      const rows = await db.selectFrom("run_files").selectAll().where("folder", "=", folder).orderBy("path").execute();
      const restored: string[] = [];
      for (const one of rows) {
        written.forget(join(place, one.path));
        if (await project(one.path, await textOf(one))) restored.push(one.path);
      }
      return restored;
    },
  };
}

/** Writes missing and edited files of a run and of its changes again. Returns their paths below `.slipway/runs`. */
export async function restoreRunFiles(records: Records, runId: string): Promise<string[]> {
  const rows = await records.database.db.selectFrom("run_files").select("folder").distinct().execute();
  const folders = rows.map(({ folder }) => folder).filter((folder) => folder === runId || folder.startsWith(`${runId}/`));
  const restored = await Promise.all(
    folders.map(async (folder) => (await openRunFiles(records, folder).restore()).map((path) => `${folder}/${path}`)),
  );
  return restored.flat();
}

function assertInside(path: string): void {
  const canonical = canonicalPath(path);
  if (canonical.ok && canonical.path === path) return;
  throw new SlipwayError("path_out_of_bounds", `${JSON.stringify(path)} is not a path inside a run's folder.`, {
    path,
    suggested_next_actions: ["Name a file relative to the folder of the run."],
  });
}
