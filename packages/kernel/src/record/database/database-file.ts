import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { translate } from "@slipway/durable/sqlite";
import { SlipwayError } from "../../schema/errors.ts";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { ensureDirectory, translateFileError } from "../../host/files/write-atomic.ts";

/** What a standalone SQLite file is built from, in this order. */
export interface DatabaseContent {
  /** SQL without results, such as CREATE TABLE. */
  readonly statements: readonly string[];
  readonly rows: readonly DatabaseRow[];
}

export interface DatabaseRow {
  readonly table: string;
  readonly values: Readonly<Record<string, string | number | null>>;
}

const BUSY_TIMEOUT_MS = 5_000;
/** Files that SQLite puts beside a database that is in use. */
const BESIDE = ["-wal", "-shm", "-journal"];

/**
 * Builds the database under a temporary name and renames it, so that a reader finds the whole old file or the whole new one. The header
 * says WAL, and no other file remains. Creates the folder.
 */
export async function writeDatabaseFile(path: string, content: DatabaseContent): Promise<void> {
  await ensureDirectory(nodeFileSystem, dirname(path));
  const draft = draftIn(dirname(path));
  try {
    build(draft, content);
    // SQLite would apply the log of the old file to the new one.
    dropBeside(path);
    renameSync(draft, path);
    await nodeFileSystem.syncDirectory(dirname(path));
  } catch (error) {
    drop(draft);
    throw translateFileError(translate(error, path), path);
  }
}

/** Why no SQLite database can be created at the path, in words; null if it can. Leaves nothing behind. */
export async function probeDatabaseFile(path: string): Promise<string | null> {
  const there = kindOf(path);
  if (there !== "missing" && there !== "file") return `${path} is not a file`;
  const folder = nearestFolder(dirname(path));
  if (folder === null) return `${dirname(path)} cannot be a folder: a part of the path is a file`;
  const draft = draftIn(folder);
  try {
    build(draft, { statements: ["CREATE TABLE probe (value TEXT)"], rows: [{ table: "probe", values: { value: "x" } }] });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    drop(draft);
  }
}

function build(file: string, { statements, rows }: DatabaseContent): void {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
    if (mode !== "wal") throw new SlipwayError("io_error", `The file system of ${file} does not support the journal mode WAL.`, { file });
    // A half-written file is never renamed, and the whole file is synced before it is.
    database.exec("PRAGMA synchronous = OFF");
    database.exec("BEGIN IMMEDIATE");
    for (const statement of statements) database.exec(statement);
    for (const row of rows) insert(database, row);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function insert(database: DatabaseSync, { table, values }: DatabaseRow): void {
  const columns = Object.keys(values);
  const places = columns.map(() => "?").join(", ");
  const target = columns.length === 0 ? "DEFAULT VALUES" : `(${columns.map(quoted).join(", ")}) VALUES (${places})`;
  database.prepare(`INSERT INTO ${quoted(table)} ${target}`).run(...Object.values(values).map(bound));
}

/** A number would be stored as a float where the column has no type. */
function bound(value: string | number | null): string | number | bigint | null {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The name has the form that the sweep of temporary files removes. */
function draftIn(folder: string): string {
  return join(folder, `.slipway-${randomBytes(8).toString("hex")}.tmp`);
}

function drop(file: string): void {
  try {
    rmSync(file, { force: true });
    dropBeside(file);
  } catch {
    // Where no file can be removed, none could be made.
  }
}

function dropBeside(file: string): void {
  for (const suffix of BESIDE) rmSync(`${file}${suffix}`, { force: true });
}

function nearestFolder(path: string): string | null {
  let current = path;
  while (kindOf(current) === "missing" && dirname(current) !== current) current = dirname(current);
  return kindOf(current) === "folder" ? current : null;
}

/** A link to a folder counts as one; a link to anything else is replaced like a file. */
function kindOf(path: string): "missing" | "folder" | "file" | "other" {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "missing";
    if (found.isSymbolicLink()) return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? "folder" : "file";
    return found.isDirectory() ? "folder" : found.isFile() ? "file" : "other";
  } catch {
    // Below a file, or in a folder that may not be entered.
    return "missing";
  }
}
