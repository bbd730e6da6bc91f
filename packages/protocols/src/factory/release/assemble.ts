import type { Kernel } from "@slipway/kernel/kernel";
import type { EngineeringStore, ShippedModule } from "../engineering/ports.ts";
import type { Release } from "./schema.ts";
import { workspaceOf } from "./workspace.ts";

/** Folder for released modules in the repository, unless the policy names another. */
const DEFAULT_FOLDER = "modules";
const MOST_NAMED = 5;

export function releaseFolder({ configuration }: Pick<Kernel, "configuration">): string {
  return configuration.policy.release?.folder ?? DEFAULT_FOLDER;
}

export interface AssemblySources {
  readonly kernel: Pick<Kernel, "configuration">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
}

/** The files of a release, by path in the repository. From sealed records, so they are the same whenever they are asked for. */
export async function releaseFiles({ kernel, store }: AssemblySources, release: Release): Promise<Readonly<Record<string, string>>> {
  const found = await Promise.all(release.modules.map(({ module_ref }) => store.shippedModule(module_ref)));
  const modules = found.filter((module): module is ShippedModule => module !== null);
  const folder = releaseFolder(kernel);
  return Object.fromEntries(Object.entries(workspaceOf(release, modules)).map(([path, text]) => [`${folder}/${path}`, text]));
}

export function releaseSummary({ modules }: Release): string {
  return `release of ${shortList(modules.map(({ module_ref }) => module_ref))}`;
}

/** Shortened, because it becomes the subject line of a commit. */
function shortList(refs: readonly string[]): string {
  const [shown, rest] = [refs.slice(0, MOST_NAMED), refs.length - MOST_NAMED];
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The specification in the feature's folder. */
export function releaseText({ release_id, created_at, spec_version, modules, notes }: Release): string {
  return [
    `# Release ${release_id}`,
    `Of ${created_at}, spec ${spec_version}.`,
    modules.map(({ module_ref }) => `- ${module_ref}`).join("\n"),
    ...(notes === "" ? [] : [notes]),
    "",
  ].join("\n\n");
}
