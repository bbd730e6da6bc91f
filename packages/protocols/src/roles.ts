import { readdir, readFile } from "node:fs/promises";
import { narrowedRole, parseRole, type Role } from "@slipway/agents/role";
import { SlipwayError } from "@slipway/durable/errors";

import type { ReadFile } from "@slipway/kernel/host/files/read-file";

const ROLES = new URL("../roles/", import.meta.url);

/** A repository may put its own version of a role beside its other configuration. */
export async function protocolRole(protocol: string, name: string, readRepository: ReadFile): Promise<Role> {
  const path = `slipway/roles/${protocol}/${name}.md`;
  const [own, builtin] = await Promise.all([readRepository(path), builtinRole(protocol, name)]);
  return own === null ? builtin : narrowedRole(builtin, { file: path, text: own });
}

const builtins = new Map<string, Promise<Role>>();

/** What comes with the program does not change while it runs. */
function builtinRole(protocol: string, name: string): Promise<Role> {
  const file = `${protocol}/${name}.md`;
  const known = builtins.get(file) ?? readFile(new URL(file, ROLES)).then((text) => parseRole(`${name}.md`, text));
  builtins.set(file, known);
  return known;
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
