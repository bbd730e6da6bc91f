import { join } from "node:path";
import { SlipwayError } from "../schema/errors.ts";
import { hiddenBy, hiddenPlaces } from "../host/sandbox/hidden-places.ts";
import { placesIn, type Environment } from "../host/places.ts";
import { isBelow } from "../host/sandbox/arguments.ts";
import { realPathOrNull } from "../host/sandbox/paths.ts";
import { expandHome } from "./home.ts";
import type { Policy } from "./policy.ts";

const FILE = "slipway/policy.yaml";

/** Why a gate may not be shown a path that the policy names. */
export interface ShownSecret {
  /** As the policy has it. */
  readonly path: string;
  /** A pointer into the policy. */
  readonly field: string;
  readonly reason: string;
}

/** The paths of the policy that would give gates keys, passwords or sockets of this machine, links included. */
export function shownSecrets({ sandbox }: Pick<Policy, "sandbox">, root: string, env: Environment): ShownSecret[] {
  const named = [
    ...sandbox.read_only.map((path, index) => ({ path, real: expandHome(path, env), field: `/sandbox/read_only/${index}` })),
    ...sandbox.shared_paths.map((path, index) => ({ path, real: join(root, path), field: `/sandbox/shared_paths/${index}` })),
  ];
  const hidden = hiddenPlaces(env);
  const { configHome, stateHome } = placesIn(env);
  return named.flatMap(({ path, real, field }) => {
    const place = hiddenBy(real, hidden) ?? ownState(real, stateHome);
    if (place === null) return [];
    const reason = isBelow(join(configHome, "slipway"), place) ? "your approval key" : place;
    return [{ path, field, reason }];
  });
}

export function assertShownPaths(policy: Pick<Policy, "sandbox">, root: string, env: Environment): void {
  const [first] = shownSecrets(policy, root, env);
  if (first === undefined) return;
  const list = first.field.split("/")[2] ?? "";
  throw new SlipwayError("config_invalid", `sandbox.${list} in ${FILE} gives gates access to ${first.reason} (${first.path}).`, {
    file: FILE,
    field: first.field,
    suggested_next_actions: ["List only the folders of your toolchain there, not your home or configuration folder."],
  });
}

/** Worktrees of other features, and the kept heads. */
function ownState(path: string, stateHome: string): string | null {
  const [real, state] = [realPathOrNull(path) ?? path, realPathOrNull(stateHome) ?? stateHome];
  return isBelow(state, real) || isBelow(real, state) ? stateHome : null;
}
