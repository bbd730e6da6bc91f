import { open, stat } from "node:fs/promises";
import type { Selectable } from "kysely";
import type { Db } from "../database/tables.ts";
import type { ProjectedFiles } from "../files/projected.ts";
import { translateFileError } from "../files/write-atomic.ts";
import type { FeaturesTables } from "./tables.ts";

type Note = Selectable<FeaturesTables["notes"]>;

const TITLE = "# Decisions\n";

/** Quoted, so that no note can look like another entry. */
export function decisionEntry({ actor_type, actor_id, at, text }: Note): string {
  const who = `${actor_type} (${oneLine(actor_id)})`;
  const quoted = text
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
  return `\n## ${new Date(at).toISOString()} ${who}\n\n${quoted}\n`;
}

export interface DecisionsFile {
  readonly path: string;
  /** The id of the feature's newest note; 0 when it has none. */
  readonly newest: number;
}

/** `decisions.md` only ever grows, and so does the work only by what is new. Whoever finds it otherwise writes it anew. */
export function decisionsProjection(db: Db, files: ProjectedFiles) {
  const written = new Map<string, { readonly newest: number; readonly bytes: number }>();

  async function notesOf(id: string, after: number): Promise<Note[]> {
    return db.selectFrom("notes").selectAll().where("feature_id", "=", id).where("id", ">", after).orderBy("id").execute();
  }

  return {
    async write(id: string, { path, newest }: DecisionsFile): Promise<boolean> {
      const last = written.get(id);
      const intact = last !== undefined && (await sizeOf(path)) === last.bytes;
      if (intact && last.newest === newest) return false;
      const notes = await notesOf(id, intact ? last.newest : 0);
      const text = `${intact ? "" : TITLE}${notes.map(decisionEntry).join("")}`;
      const changed = intact ? await append(path, text) : await files.write(path, text);
      written.set(id, { newest: notes.at(-1)?.id ?? newest, bytes: (intact ? last.bytes : 0) + Buffer.byteLength(text) });
      files.forget(path);
      return changed;
    },
    forget: (id: string) => void written.delete(id),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ");
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null;
}

async function append(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, "a");
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    throw translateFileError(error, path);
  }
}
