import { join } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import type { Policy } from "../../../config/policy.ts";
import { expandHome } from "../../../config/home.ts";
import type { Environment } from "../../../host/places.ts";

/** A gate that can read the key could sign an approval. */
export function assertKeysOutOfSight({ sandbox }: Pick<Policy, "sandbox">, configHome: string, env: Environment): void {
  const keys = join(configHome, "slipway", "keys");
  const index = sandbox.read_only.findIndex((path) => `${keys}/`.startsWith(`${expandHome(path, env).replace(/\/+$/, "")}/`));
  if (index === -1) return;
  throw new SlipwayError(
    "config_invalid",
    `sandbox.read_only in slipway/policy.yaml gives gates access to your approval key (${sandbox.read_only[index]}).`,
    {
      file: "slipway/policy.yaml",
      field: `/sandbox/read_only/${index}`,
      suggested_next_actions: ["List only the folders of your toolchain there, not your home or configuration folder."],
    },
  );
}
