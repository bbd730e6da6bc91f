import { closeSync, fdatasyncSync, openSync, statSync, writeFileSync } from "node:fs";
import type { Selectable } from "kysely";
import type { Db } from "../../record/database/tables.ts";
import type { ProjectedFiles } from "../../host/files/projection-writer.ts";
import { translateFileError } from "../../host/files/write-atomic.ts";
import type { FeaturesTables } from "./tables.ts";

type Note = Selectable<FeaturesTables["notes"]>;

const TITLE = "# Decisions\n";

/** Quoted, so that no note can be mistaken for another entry. */
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

/** `decisions.md` only grows, so only new notes are appended. A file that does not match the notes written so far is rewritten. */
export function decisionsProjection(db: Db, files: ProjectedFiles) {
  const written = new Map<string, { readonly newest: number; readonly bytes: number }>();

  async function notesOf(id: string, after: number): Promise<Note[]> {
    return db.selectFrom("notes").selectAll().where("feature_id", "=", id).where("id", ">", after).orderBy("id").execute();
  }

  return {
    async write(id: string, { path, newest }: DecisionsFile): Promise<boolean> {
      const last = written.get(id);
      const intact = last !== undefined && sizeOf(path) === last.bytes;
      if (intact && last.newest === newest) return false;
      const notes = await notesOf(id, intact ? last.newest : 0);
      const text = `${intact ? "" : TITLE}${notes.map(decisionEntry).join("")}`;
      const changed = intact ? append(path, text) : await files.write(path, text);
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

function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch {
    return null;
  }
}

/** Synchronous: the text is short, and four round trips through the thread pool would take longer than the disk. */
function append(path: string, text: string): boolean {
  try {
    const file = openSync(path, "a");
    try {
      writeFileSync(file, text);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    throw translateFileError(error, path);
  }
}
