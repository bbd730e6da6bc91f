import { userInfo } from "node:os";
import { placesIn } from "@slipway/kernel/host/places";
import type { Io } from "./io.ts";

/** Where Slipway keeps what must not be inside the repository. */
export function placesOf(io: Io) {
  return placesIn(io.env);
}

/** Who sits at the keyboard, as far as the system tells. */
export function personOf(io: Io): { type: "person"; id: string } {
  return { type: "person", id: io.env["SLIPWAY_USER"] ?? io.env["USER"] ?? io.env["LOGNAME"] ?? userInfo().username };
}
