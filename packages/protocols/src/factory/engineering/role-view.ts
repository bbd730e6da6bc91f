import type { PackItem } from "@slipway/agents/pack";
import { storePaths } from "../artifacts/layout.ts";
import { splitRef } from "../code-index/entry.ts";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { CONTRACT_SURFACE } from "@slipway/kernel/host/file-views/levels";
import { contextPackTree } from "@slipway/kernel/host/file-views/ruled-tree";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { ContextPackDraft } from "./ports.ts";

/** A part of a role's context that is read from the state store when the role is asked. */
export interface StoredItem extends Omit<PackItem, "text"> {
  /** In the state store. */
  readonly stored: readonly string[];
}

export type ContextItem = PackItem | StoredItem;

/** A reference to a module whose surface is shown. */
const MODULE = /^MM-\w+@\d+\.\d+\.\d+$/;

/** Shipped modules whose contract, examples and evidence a role sees. */
export function modulesIn(included: ContextPackDraft["included_refs"]): string[] {
  return included.filter(({ ref, permission }) => permission === "CONTRACT_ONLY" && MODULE.test(ref)).map(({ ref }) => ref);
}

export function moduleFolder(ref: string): string {
  const { module_id, version } = splitRef(ref);
  return storePaths.module(module_id, version);
}

/** The visible files of another module. */
export function surfacePaths(ref: string): string[] {
  return CONTRACT_SURFACE.map((name) => `${moduleFolder(ref)}/${name}`);
}

/** Access rules of one invocation: the surface of the modules its pack names; the rest of `modules` is sealed. */
export function moduleRules(included: ContextPackDraft["included_refs"]): PackRule[] {
  return [
    { path: "modules", level: null, sealed: true, reason: "nobody but its Proposer sees a module" },
    ...included.flatMap(({ ref, permission, reason }): PackRule[] =>
      permission === "CONTRACT_ONLY" && MODULE.test(ref) ? [{ path: moduleFolder(ref), level: "CONTRACT_ONLY", reason }] : [],
    ),
  ];
}

/** The state store under the rules of one invocation: a sealed path cannot get into a pack. */
export function seenBy(store: FileTree, included: ContextPackDraft["included_refs"]): FileTree {
  return contextPackTree(store, { rules: moduleRules(included) });
}

export async function readItems(items: readonly ContextItem[], seen: Pick<FileTree, "read">): Promise<PackItem[]> {
  return Promise.all(
    items.map(async (item) => {
      if (!("stored" in item)) return item;
      const { stored, ...about } = item;
      const texts = await Promise.all(stored.map(async (path) => `${nameOf(path)}\n${await textOf(seen, path)}`));
      return { ...about, text: texts.join("\n") };
    }),
  );
}

/** The same files at their paths in the store, for a provider that works in a folder. */
export async function storedFiles(items: readonly ContextItem[], seen: Pick<FileTree, "read">): Promise<Record<string, string>> {
  const paths = items.flatMap((item) => ("stored" in item ? item.stored : []));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await textOf(seen, path)] as const)));
}

async function textOf(seen: Pick<FileTree, "read">, path: string): Promise<string> {
  return Buffer.from(await seen.read(path)).toString("utf8");
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
