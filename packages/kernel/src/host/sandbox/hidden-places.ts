import { homedir } from "node:os";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { placesIn, type Environment } from "../places.ts";
import { isBelow } from "./arguments.ts";
import { kindAt, realPathOrNull } from "./paths.ts";

/** Below the home folder: keys and passwords of well-known programs. */
const SECRETS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".git-credentials",
  ".password-store",
  ".mozilla",
  ".config/gcloud",
  ".config/gh",
  ".config/op",
  ".config/google-chrome",
  ".config/chromium",
  ".local/share/keyrings",
  "Library/Keychains",
];

/** Sockets, processes and devices of the host, which a read-only mount does not close. */
const LIVE = ["/run", "/var/run", "/proc", "/sys", "/dev"];
/** Folders of everybody's things. Folders in them may be shown. */
const NEVER_WHOLE = ["/tmp", "/var/tmp", "/var", "/etc", "/home", "/Users"];

/** Paths of the host that no sandbox shows, not even because a repository or a link names them. */
export interface HiddenPlaces {
  /** Neither these, nor anything in them, nor a folder with one of them in it. */
  readonly closed: readonly string[];
  /** Not these, nor a folder with one of them in it. */
  readonly neverWhole: readonly string[];
}

export function hiddenPlaces(env: Environment): HiddenPlaces {
  const { configHome } = placesIn(env);
  const home = env["HOME"] ?? homedir();
  const own = [join(configHome, "slipway"), ...SECRETS.map((path) => join(home, path))];
  const closed = [...LIVE, ...own];
  return { closed: [...new Set(closed.flatMap((path) => [path, realOfNearest(path)]))], neverWhole: [...NEVER_WHOLE, home] };
}

/** The hidden place that showing the path would show, with links resolved; null if there is none. */
export function hiddenBy(path: string, { closed, neverWhole }: HiddenPlaces): string | null {
  const real = realPathOrNull(path) ?? path;
  // A socket, a pipe or a device.
  if (kindAt(real) === "other") return real;
  return closed.find((place) => isBelow(place, real) || isBelow(real, place)) ?? neverWhole.find((place) => isBelow(real, place)) ?? null;
}

/** At the start of a command: a link may have been made since the configuration was read. */
export function assertShowable(paths: readonly string[], hidden: HiddenPlaces): void {
  for (const path of paths) {
    const place = hiddenBy(path, hidden);
    if (place === null) continue;
    throw new SlipwayError("path_out_of_bounds", `${path} cannot be shown in the sandbox: it would show ${place}.`, {
      path,
      suggested_next_actions: ["Name the folder of the toolchain itself, and put programs into a folder of their own."],
    });
  }
}

function realOfNearest(path: string): string {
  const parts = path.split("/");
  for (let count = parts.length; count > 1; count--) {
    const real = realPathOrNull(parts.slice(0, count).join("/"));
    if (real !== null) return [real === "/" ? "" : real, ...parts.slice(count)].join("/");
  }
  return path;
}
