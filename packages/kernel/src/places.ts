import { homedir } from "node:os";
import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Slipway keeps what must not be inside the repository. */
export function placesIn(env: Environment): { readonly configHome: string; readonly stateHome: string } {
  const home = env["HOME"] ?? homedir();
  return {
    configHome: env["XDG_CONFIG_HOME"] ?? join(home, ".config"),
    stateHome: join(env["XDG_STATE_HOME"] ?? join(home, ".local", "state"), "slipway"),
  };
}
