import { SlipwayError } from "@slipway/agents/errors";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { folderTree, type FolderTreeOptions } from "@slipway/kernel/host/file-views/folder-tree";
import { artifactOf, moduleOf, type StorePart } from "../layout.ts";
import { compositeTree, type BackendRoute } from "./composite.ts";
import { immutableTree, writeOnce, type Fixity } from "./immutable.ts";
import { opaqueTree, sealedDeliverables, sealedModules, type IsModuleShipped } from "./opaque.ts";

export interface StateStoreOptions {
  readonly folder: string;
  readonly git: FolderTreeOptions["git"];
  readonly isArtifactShipped: (id: string, version: string) => boolean | Promise<boolean>;
  /** Default: a module version is shipped when its ship.json exists. The ship step writes that file last. */
  readonly isModuleShipped?: IsModuleShipped;
}

/** The state store for agents, with one access rule for each part. */
export function stateStoreTree({ folder, git, isArtifactShipped, isModuleShipped }: StateStoreOptions): FileTree {
  const plain = folderTree({ folder, git });
  const isShipped = isModuleShipped ?? ((id, version) => has(plain, `modules/${id}/${version}`, "ship.json"));
  const shippedArtifact: Fixity = async (path) => {
    const found = artifactOf(path);
    return found !== null && (await isArtifactShipped(found.id, found.version)) ? `${found.id}@${found.version} is shipped` : null;
  };
  const shippedModule: Fixity = async (path) => {
    const found = moduleOf(path);
    return found !== null && (await isShipped(found.id, found.version)) ? `${found.id}@${found.version} is shipped` : null;
  };
  const once = immutableTree(plain, writeOnce);
  const routes: Record<StorePart, BackendRoute> = {
    product: plain,
    project: plain,
    artifacts: opaqueTree(immutableTree(plain, shippedArtifact), sealedDeliverables),
    modules: opaqueTree(immutableTree(plain, shippedModule), sealedModules(isShipped)),
    code_index: { closed: "the code index has no files to work with; search it with search_code_index" },
    debates: immutableTree(plain, (path, isThere) => adjudicated(plain, path, isThere)),
    context_packs: once,
    exceptions: immutableTree(plain, (path, isThere, content) => recorded(plain, path, isThere, content)),
    escalations: plain,
    contributions: once,
    releases: once,
  };
  return compositeTree(plain, routes);
}

/** A round is writable until its adjudication exists; the adjudication of a later round closes the earlier ones too. */
async function adjudicated(plain: FileTree, path: string, isThere: () => Promise<boolean>): Promise<string | null> {
  const [, debate = "", round = ""] = path.split("/");
  const rounds = (await list(plain, `debates/${debate}`)).map(({ path: folder }) => folder.split("/").at(-1) ?? "");
  for (const later of rounds.filter((name) => numberOf(name) >= numberOf(round))) {
    if (!(await has(plain, `debates/${debate}/${later}`, "adjudication.json"))) continue;
    return (await isThere()) || later === round ? `${later} of ${debate} is adjudicated` : null;
  }
  return null;
}

function numberOf(round: string): number {
  return Number(/^round-(\d+)$/.exec(round)?.[1] ?? 0);
}

/** A record never changes; its decision log is append-only. */
async function recorded(
  plain: FileTree,
  path: string,
  isThere: () => Promise<boolean>,
  content: Uint8Array | null,
): Promise<string | null> {
  if (!(await isThere())) return null;
  if (!path.endsWith(".decisions.jsonl")) return "it is written once";
  const before = await plain.read(path);
  const grows = content !== null && Buffer.from(content).subarray(0, before.length).equals(before);
  return grows ? null : "the decision log only grows";
}

async function list(plain: FileTree, folder: string) {
  return plain.ls(folder).catch((error: unknown) => {
    if (error instanceof SlipwayError && error.code === "input_path_not_found") return [];
    throw error;
  });
}

async function has(plain: FileTree, folder: string, name: string): Promise<boolean> {
  return (await list(plain, folder)).some(({ path }) => path === `${folder}/${name}`);
}
