import type { CascadeServices } from "../cascade/run-cascade.ts";
import { discoverTooling, type Tooling } from "../cascade/tooling.ts";
import type { ForgeRun } from "../forge-run.ts";

export function cascadeServices({ change, ledger }: ForgeRun): CascadeServices {
  const { features } = change.services.kernel;
  return { features, ledger, paths: (feature, tree) => pathsOf(features, feature, tree) };
}

type Features = ForgeRun["change"]["services"]["kernel"]["features"];

async function pathsOf(features: Features, feature: string, tree: "base" | "now"): Promise<readonly string[]> {
  const { files } = await features.context(feature);
  const now = files.map(({ path }) => path);
  if (tree === "now") return now;
  const changed = await features.changedFiles(feature);
  const added = new Set(changed.filter(({ change_type }) => change_type === "added" || change_type === "renamed").map(({ path }) => path));
  const gone = changed.flatMap(({ path, change_type, old_path }) => (change_type === "deleted" ? [path] : (old_path ?? [])));
  return [...now.filter((path) => !added.has(path)), ...gone];
}

/** From the files of the base: a change cannot choose what judges it. */
export async function toolingOf({ change, id }: ForgeRun): Promise<Tooling> {
  const { features } = change.services.kernel;
  return discoverTooling(await pathsOf(features, id, "base"), (path) => features.readAt(id, "base", path));
}
