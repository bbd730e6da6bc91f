import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Slipway's folders outside the repository. */
export function placesIn(env: Environment): { readonly configHome: string; readonly stateHome: string } {
  const home = env["HOME"] ?? homedir();
  return {
    configHome: env["XDG_CONFIG_HOME"] ?? join(home, ".config"),
    // An empty or relative variable counts as unset, as in the XDG specification.
    stateHome: join(absolute(env["XDG_STATE_HOME"]) ?? join(absolute(home) ?? homedir(), ".local", "state"), "slipway"),
  };
}

/** The folder of the trees of steps, and of what could not be removed of them. */
export function layersIn(env: Environment): string {
  return join(placesIn(env).stateHome, "layers");
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
