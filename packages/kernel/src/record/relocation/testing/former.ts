import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eventHash, GENESIS, type JournalEvent } from "@slipway/durable/chain";
import { onTestFinished } from "vitest";
import { REPOSITORY_STREAM } from "../../journal/repository.ts";

/**
 * A repository written by Slipway 0.1.0 (commit 09a006f): `letters` is merged, `more` waits for its approval, and a project of the factory
 * has shipped its first task and halted at its second. Made with that version's own commands. `before.tgz` contains the folders `root` and
 * `home/cassette`; `paths` contains their original paths.
 */
export interface FormerRepository {
  readonly root: string;
  /** With the recorded answers in `cassette`. */
  readonly home: string;
}

export function formerRepository(): FormerRepository {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-former-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync("tar", ["xzf", join(import.meta.dirname, "before.tgz"), "-C", folder, "--no-same-owner"]);
  const [before = ""] = readFileSync(join(folder, "paths"), "utf8").split(" ");
  const root = join(folder, "root");
  mkdirSync(join(root, ".git", "hooks"));
  for (const file of filesWithPaths(root)) writeFileSync(file, readFileSync(file, "utf8").replaceAll(before, root));
  moveRows(join(root, ".slipway", "slipway.db"), before, root);
  return { root, home: join(folder, "home") };
}

/** Files besides the database that contain the path of the repository. */
function filesWithPaths(root: string): string[] {
  const records = join(root, ".git", "slipway", "worktrees");
  const projections = ["letters", "more"].map((id) => join(root, ".slipway", "features", id, "state.md"));
  return [
    ...projections,
    ...["letters", "more"].flatMap((id) => [join(root, ".git", "worktrees", id, "gitdir"), join(root, ".worktrees", id, ".git")]),
    ...readdirSync(records).map((key) => join(records, key, "record.json")),
  ];
}

const COLUMNS = [
  ["operations", "response"],
  ["questions", "body"],
  ["questions", "context"],
  ["features", "worktree"],
  ["features", "evidence"],
  ["gate_runs", "steps"],
] as const;

/** Paths are part of the hashed events, so the journal is chained again. The repository's stream contains the heads of the others. */
function moveRows(path: string, before: string, root: string): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA foreign_keys = OFF; BEGIN");
  for (const [table, column] of COLUMNS)
    database.prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?) > 0`).run(before, root, before);
  const order = `SELECT * FROM events ORDER BY stream = '${REPOSITORY_STREAM}', stream, seq`;
  const renamed = new Map<string, string>();
  const last = new Map<string, string>();
  for (const event of database.prepare(order).all() as unknown as JournalEvent[]) {
    const payload = event.payload.replaceAll(before, root).replaceAll(/[0-9a-f]{64}/g, (hash) => renamed.get(hash) ?? hash);
    const prev = event.seq === 1 ? GENESIS : (last.get(event.stream) ?? event.prev);
    const hash = eventHash({ ...event, payload, prev });
    renamed.set(event.hash, hash);
    last.set(event.stream, hash);
    database
      .prepare("UPDATE events SET payload = ?, prev = ?, hash = ? WHERE stream = ? AND seq = ?")
      .run(payload, prev, hash, event.stream, event.seq);
  }
  for (const [stream, hash] of last) database.prepare("UPDATE heads SET hash = ? WHERE stream = ?").run(hash, stream);
  database.exec("COMMIT");
  database.close();
}
