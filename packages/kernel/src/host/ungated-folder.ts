import { basename, dirname, join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "../schema/errors.ts";
import { makePrivateFolder } from "./files/private-folder.ts";
import type { Anchors } from "./layout.ts";
import { isBelow } from "./sandbox/arguments.ts";

/**
 * Where bytes lie that no gate has passed: in the user's state folder. In the checkout a test runner or a formatter would find them
 * and run them, outside every sandbox.
 */
export interface UngatedPlaces {
  readonly worktrees: string;
  /** Context packs while somebody works in them, and the contents they are made of. */
  readonly packs: string;
  /** Requests to whoever plays a role by hand, with the files they are about. */
  readonly manual: string;
  /** Trees that a probe breaks on purpose. */
  readonly probes: string;
  /** What a step of a feature's gates left for its own next run. */
  readonly caches: string;
}

/** One folder of each kind for a repository, whichever of its working trees it is opened from. */
export function ungatedPlaces({ root, commonDir }: Anchors, stateHome: string): UngatedPlaces {
  const name = basename(root)
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "");
  const key = `${name.slice(0, 40) || "repository"}-${sha256(commonDir).slice(0, 16)}`;
  const of = (kind: string) => join(stateHome, kind, key);
  return { worktrees: of("worktrees"), packs: of("packs"), manual: of("manual"), probes: of("probes"), caches: of("caches") };
}

/** Makes one of them, for this user alone. Refuses a state folder that is inside the repository. */
export function makeUngatedFolder({ root, commonDir }: Anchors, folder: string): void {
  if ([root, commonDir].some((anchor) => isBelow(anchor, folder))) throw insideRepository(folder);
  makePrivateFolder(dirname(folder));
  makePrivateFolder(folder);
}

function insideRepository(folder: string): SlipwayError {
  return new SlipwayError(
    "path_out_of_bounds",
    `${folder} is inside the repository: tools that run there would run what no gate has passed.`,
    {
      file: folder,
      suggested_next_actions: [
        "Let XDG_STATE_HOME, or HOME, name a folder outside the repository, or set worktree.root in slipway/policy.yaml if that is what you want.",
      ],
    },
  );
}
