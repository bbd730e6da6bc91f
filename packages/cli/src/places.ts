import { homedir } from "node:os";
import { join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import type { Io } from "./io.ts";

/** Where Slipway keeps what must not be inside the repository. */
export function placesOf(io: Io, repositoryRoot: string) {
  const home = io.env["HOME"] ?? homedir();
  const configHome = io.env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const stateHome = io.env["XDG_STATE_HOME"] ?? join(home, ".local", "state");
  return {
    configHome,
    /** Heads of the journal, so that a rolled-back database is noticed. */
    heads: join(stateHome, "slipway", "heads", sha256(repositoryRoot).slice(0, 24)),
  };
}

/** Who sits at the keyboard, as far as the system tells. */
export function personOf(io: Io): { type: "person"; id: string } {
  return { type: "person", id: io.env["SLIPWAY_USER"] ?? io.env["USER"] ?? io.env["LOGNAME"] ?? "unknown" };
}
