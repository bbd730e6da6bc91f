import { basename, dirname, join } from "node:path";
import { sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "../schema/errors.ts";
import { makePrivateFolder } from "./files/private-folder.ts";
import type { Anchors } from "./layout.ts";
import { isBelow } from "./sandbox/arguments.ts";

/**
 * Folders for bytes that no gate has passed, in the user's state folder. In the checkout a test runner or a formatter would find them
 * and run them outside the sandbox.
 */
export interface UngatedPlaces {
  readonly worktrees: string;
  /** Context packs in use, and the cache of their contents. */
  readonly packs: string;
  /** Requests for roles that a person plays, with their files. */
  readonly manual: string;
  /** Trees that a probe deliberately breaks. */
  readonly probes: string;
  /** Caches of gate steps. */
  readonly caches: string;
}

/** One folder of each kind per repository, shared by its working trees. */
export function ungatedPlaces({ root, commonDir }: Anchors, stateHome: string): UngatedPlaces {
  const name = basename(root)
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "");
  const key = `${name.slice(0, 40) || "repository"}-${sha256(commonDir).slice(0, 16)}`;
  const of = (kind: string) => join(stateHome, kind, key);
  return { worktrees: of("worktrees"), packs: of("packs"), manual: of("manual"), probes: of("probes"), caches: of("caches") };
}

/** Creates one of them with mode 0700. Refuses a state folder inside the repository. */
export function makeUngatedFolder({ root, commonDir }: Anchors, folder: string): void {
  if ([root, commonDir].some((anchor) => isBelow(anchor, folder))) throw insideRepository(folder);
  makePrivateFolder(dirname(folder));
  makePrivateFolder(folder);
}

function insideRepository(folder: string): SlipwayError {
  return new SlipwayError(
    "path_out_of_bounds",
    `${folder} is inside the repository, where other tools could run files that no gate has passed.`,
    {
      file: folder,
      suggested_next_actions: [
        "Set XDG_STATE_HOME or HOME to a folder outside the repository, or set worktree.root in slipway/policy.yaml if you want worktrees inside.",
      ],
    },
  );
}
