import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Slipway keeps what must not be inside the repository. */
export function placesIn(env: Environment): { readonly configHome: string; readonly stateHome: string } {
  const home = env["HOME"] ?? homedir();
  return {
    configHome: env["XDG_CONFIG_HOME"] ?? join(home, ".config"),
    // A variable that is empty or relative counts as not set, as the XDG specification has it.
    stateHome: join(absolute(env["XDG_STATE_HOME"]) ?? join(absolute(home) ?? homedir(), ".local", "state"), "slipway"),
  };
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
