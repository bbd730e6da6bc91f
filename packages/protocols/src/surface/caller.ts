import { userInfo } from "node:os";
import { placesIn } from "@slipway/kernel/host/places";

/** Who calls: a command line, a server, a test. */
export interface Caller {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a person beside the output of the command. */
  err(text: string): void;
}

/** Where Slipway keeps what must not be inside the repository. */
export function placesOf({ env }: Pick<Caller, "env">) {
  return placesIn(env);
}

/** Who sits at the keyboard, as far as the system tells. */
export function personOf({ env }: Pick<Caller, "env">): { type: "person"; id: string } {
  return { type: "person", id: env["SLIPWAY_USER"] ?? env["USER"] ?? env["LOGNAME"] ?? userInfo().username };
}
