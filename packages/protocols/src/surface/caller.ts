import { userInfo } from "node:os";
import { placesIn } from "@slipway/kernel/host/places";

/** The process around a call: a command line, a server, a test. */
export interface Caller {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard error. */
  err(text: string): void;
}

/** The folders that Slipway uses outside the repository. */
export function placesOf({ env }: Pick<Caller, "env">) {
  return placesIn(env);
}

/** The person at the keyboard, as the environment names them. */
export function personOf({ env }: Pick<Caller, "env">): { type: "person"; id: string } {
  return { type: "person", id: env["SLIPWAY_USER"] ?? env["USER"] ?? env["LOGNAME"] ?? userInfo().username };
}
