import { readFile } from "node:fs/promises";
import { loadRole, type Role } from "@slipway/agents/role";

/** Gives a file of the repository at the base commit, or null. */
type ReadFile = (path: string) => Promise<Uint8Array | null>;

/** A repository may put its own version of a role beside its other configuration. */
export async function featuresRole(name: string, readRepository: ReadFile): Promise<Role> {
  const file = new URL(`../../roles/features/${name}.md`, import.meta.url);
  const path = `slipway/roles/features/${name}.md`;
  const own = await readRepository(path);
  return loadRole({
    builtin: { file: `${name}.md`, text: await readFile(file) },
    override: own === null ? null : { file: path, text: own },
  });
}
