import { readdir, readFile } from "node:fs/promises";
import { loadRole, type Role } from "@slipway/agents/role";
import { SlipwayError } from "@slipway/durable/errors";

/** Gives a file of the repository at the base commit, or null. */
export type ReadFile = (path: string) => Promise<Uint8Array | null>;

const ROLES = new URL("../roles/", import.meta.url);

/** A repository may put its own version of a role beside its other configuration. */
export async function protocolRole(protocol: string, name: string, readRepository: ReadFile): Promise<Role> {
  const path = `slipway/roles/${protocol}/${name}.md`;
  const own = await readRepository(path);
  return loadRole({
    builtin: { file: `${name}.md`, text: await readFile(new URL(`${protocol}/${name}.md`, ROLES)) },
    override: own === null ? null : { file: path, text: own },
  });
}

/** The names of a protocol's roles, in order. */
export async function roleNames(protocol: string): Promise<string[]> {
  const protocols = (await readdir(ROLES)).toSorted();
  if (!protocols.includes(protocol)) {
    throw new SlipwayError("invalid_cli_args", `There is no protocol "${protocol}" with roles of its own.`, {
      suggested_next_actions: [`Choose one of ${protocols.join(", ")}.`],
    });
  }
  const files = await readdir(new URL(`${protocol}/`, ROLES));
  return files
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -".md".length))
    .toSorted();
}
