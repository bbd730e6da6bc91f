import { readdir, readFile } from "node:fs/promises";
import { narrowedRole, parseRole, type Role } from "@slipway/agents/role";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";

/** Role files are below `src` in an installation, too, which has no other sources. */
const SOURCES = new URL("../../src/", import.meta.url);

const rolesFolder = (protocol: string) => new URL(`${protocol}/roles/`, SOURCES);

/** A repository may narrow a role with its own file below `slipway/roles`. */
export async function protocolRole(protocol: string, name: string, readRepository: ReadFile): Promise<Role> {
  const path = `slipway/roles/${protocol}/${name}.md`;
  const [own, builtin] = await Promise.all([readRepository(path), builtinRole(protocol, name)]);
  return own === null ? builtin : narrowedRole(builtin, { file: path, text: own });
}

/** Cache: built-in roles do not change while the program runs. */
const builtins = new Map<string, Promise<Role>>();

function builtinRole(protocol: string, name: string): Promise<Role> {
  const file = new URL(`${name}.md`, rolesFolder(protocol));
  const known = builtins.get(file.href) ?? readFile(file).then((text) => parseRole(`${name}.md`, text));
  builtins.set(file.href, known);
  return known;
}

/** The names of a protocol's roles, sorted. */
export async function roleNames(protocol: string): Promise<string[]> {
  const files = await readdir(rolesFolder(protocol));
  return files
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -".md".length))
    .toSorted();
}
