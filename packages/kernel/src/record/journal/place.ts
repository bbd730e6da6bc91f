import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import { z } from "zod";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode, nodeFileSystem } from "../../host/files/file-system.ts";
import { makePrivateFolder } from "../../host/files/private-folder.ts";
import { ensureDirectory, writeFileAtomic } from "../../host/files/write-atomic.ts";
import { preparedQuery } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";
import { REPOSITORY_STREAM } from "./repository.ts";

/** The real path of the git directory with the records: a clone or a copy has another. */
function placeOf(database: string): string {
  return realpathSync(dirname(dirname(database)));
}

/** The same as the name of a file or folder. */
export function placeName(database: string): string {
  return sha256(placeOf(database)).slice(0, 24);
}

const firstRow = preparedQuery((db) => db.selectFrom("events").select("hash").where("stream", "=", REPOSITORY_STREAM).where("seq", "=", 1));

/** The hash of the journal's first event, which no two databases share; null before it. */
export async function firstEvent(db: Db | Tx): Promise<string | null> {
  return (await firstRow(db))[0]?.hash ?? null;
}

/** Names this repository, in this place: a clone, a copy and a new database have other names. */
export async function repositoryId(db: Db | Tx, database: string): Promise<string> {
  return sha256(canonicalJson({ journal: await firstEvent(db), path: placeOf(database) }));
}

const kept = z.strictObject({ path: z.string(), first: z.string().nullable() });

/**
 * Which journal a place has, stored outside the repository: a journal that was written anew from its first event is noticed. The inode
 * tells repositories apart that containers mount at one path.
 */
function keptPlaceIn(stateHome: string, database: string) {
  const path = placeOf(database);
  const folder = join(stateHome, "places");
  const inode = String(statSync(path, { bigint: true }).ino);
  const file = join(folder, `${sha256(canonicalJson({ path, inode })).slice(0, 24)}.json`);
  return {
    file,
    /** The journal's first event. Null if the journal had none; undefined for a place that is not known. */
    async read(): Promise<string | null | undefined> {
      const bytes = await nodeFileSystem.read(file).catch((error: unknown) => {
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      });
      if (bytes === undefined) return undefined;
      const parsed = kept.safeParse(jsonOf(Buffer.from(bytes).toString("utf8")));
      if (parsed.success) return parsed.data.first;
      throw replaced(file, `${file} was changed outside Slipway.`);
    },
    async write(first: string | null): Promise<void> {
      await ensureDirectory(nodeFileSystem, folder, 0o700);
      await writeFileAtomic(nodeFileSystem, file, Buffer.from(canonicalJson({ path, first })));
    },
  };
}

/** Refuses a journal that is not the one of this place. Null is the answer about a journal that is. */
export async function replacedJournal(stateHome: string, db: Db | Tx, database: string): Promise<SlipwayError | null> {
  const place = keptPlaceIn(stateHome, database);
  const [known, first] = [await place.read(), await firstEvent(db)];
  if (typeof known !== "string" || first === null || known === first) return null;
  return replaced(place.file, `${database} has another journal than the one kept for this repository: it was written anew or replaced.`);
}

/** Remembers the journal of this place. A database without events is a new one. */
export async function keepPlace(stateHome: string, db: Db, database: string): Promise<void> {
  makePrivateFolder(stateHome);
  const place = keptPlaceIn(stateHome, database);
  const first = await firstEvent(db);
  if ((await place.read()) !== first) await place.write(first);
}

function replaced(file: string, message: string): SlipwayError {
  return new SlipwayError("journal_broken", message, {
    file,
    suggested_next_actions: [
      "Restore slipway/ below the git directory from a copy.",
      `If you have replaced the database yourself, remove ${file}.`,
    ],
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
