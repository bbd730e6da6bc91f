import { homedir } from "node:os";
import { join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/files/file-system";
import { keptHeadsIn, type KeptHeads } from "@slipway/kernel/journal/kept-heads";
import { REPOSITORY_STREAM } from "@slipway/kernel/journal/repository";
import type { Sqlite } from "@slipway/durable/sqlite";
import type { Io } from "./io.ts";

/** Where Slipway keeps what must not be inside the repository. */
export function placesOf(io: Io) {
  const home = io.env["HOME"] ?? homedir();
  return {
    configHome: io.env["XDG_CONFIG_HOME"] ?? join(home, ".config"),
    stateHome: join(io.env["XDG_STATE_HOME"] ?? join(home, ".local", "state"), "slipway"),
  };
}

/**
 * Heads of the journal, so that a rolled-back database is noticed. They belong to one database, named by its first event:
 * a new one in the same folder is another. Null before anything was written.
 */
export async function keptHeadsFor(io: Io, sqlite: Sqlite): Promise<KeptHeads | null> {
  const first = await sqlite.exclusive(() => sqlite.prepare("SELECT hash FROM events WHERE stream = ? AND seq = 1").get(REPOSITORY_STREAM));
  return first === undefined
    ? null
    : keptHeadsIn(nodeFileSystem, join(placesOf(io).stateHome, "heads", String(first["hash"]).slice(0, 24)));
}

/** Who sits at the keyboard, as far as the system tells. */
export function personOf(io: Io): { type: "person"; id: string } {
  return { type: "person", id: io.env["SLIPWAY_USER"] ?? io.env["USER"] ?? io.env["LOGNAME"] ?? "unknown" };
}
