import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import type { Io } from "./io.ts";

/** Where Slipway keeps what must not be inside the repository. */
export function placesOf(io: Io) {
  const home = io.env["HOME"] ?? homedir();
  return {
    configHome: io.env["XDG_CONFIG_HOME"] ?? join(home, ".config"),
    stateHome: join(io.env["XDG_STATE_HOME"] ?? join(home, ".local", "state"), "slipway"),
  };
}

/** Who sits at the keyboard, as far as the system tells. */
export function personOf(io: Io): { type: "person"; id: string } {
  return { type: "person", id: io.env["SLIPWAY_USER"] ?? io.env["USER"] ?? io.env["LOGNAME"] ?? userInfo().username };
}
