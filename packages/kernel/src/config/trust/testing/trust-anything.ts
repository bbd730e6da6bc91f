import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openRepositoryTrust } from "../../../repository-trust.ts";
import { placesIn, type Environment } from "../../../host/places.ts";
import type { AskTrust } from "../trust.ts";

/** A person who trusts every configuration they are asked about. */
export const trustAnything: AskTrust = async (trust) => {
  await trust.keep("test", []);
  return true;
};

/** Their answer in advance, for a program that starts as a process of its own. */
export async function trustNow(cwd: string, env: Environment): Promise<void> {
  const trust = await openRepositoryTrust({ cwd, env });
  if (await trust.trusted()) return;
  await trustAnything(trust);
  const { configHome } = placesIn(env);
  const { uid, gid } = statSync(join(configHome, ".."));
  // For a program that root starts as another user.
  if (process.getuid?.() === 0 && uid !== 0) execFileSync("chown", ["-R", `${uid}:${gid}`, configHome]);
}
