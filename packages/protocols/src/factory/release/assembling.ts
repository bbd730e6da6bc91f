import { readObjects } from "@slipway/kernel/host/git/fast-path/git-queries";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { EngineeringStore, ShippedModule } from "../engineering/ports.ts";
import type { FileChange } from "./patches.ts";
import type { Release } from "./schema.ts";
import { workspaceOf } from "./workspace.ts";

/** Folder of the repository where released modules go, unless the policy names another. */
const DEFAULT_FOLDER = "modules";
const MOST_NAMED = 5;

export function releaseFolder({ configuration }: Pick<Kernel, "configuration">): string {
  return configuration.policy.release?.folder ?? DEFAULT_FOLDER;
}

export interface AssemblyRooms {
  readonly kernel: Pick<Kernel, "configuration" | "repository">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
}

/** What the release changes on a base, file by file. From sealed records, so it is the same whenever it is asked. */
export async function changesOnto({ kernel, store }: AssemblyRooms, release: Release, base: string): Promise<FileChange[]> {
  const found = await Promise.all(release.modules.map(({ module_ref }) => store.shippedModule(module_ref)));
  const modules = found.filter((module): module is ShippedModule => module !== null);
  const folder = releaseFolder(kernel);
  const wanted = Object.entries(workspaceOf(release, modules)).map(([path, after]) => ({ path: `${folder}/${path}`, after }));
  const there = await readObjects(
    kernel.repository,
    wanted.map(({ path }) => `${base}:${path}`),
  );
  return wanted
    .map(({ path, after }, index) => ({ path, after, before: there[index]?.bytes.toString("utf8") ?? null }))
    .filter(({ before, after }) => before !== after);
}

/** The plan of a change that nobody has to think out. */
export function planFor(kernel: Pick<Kernel, "configuration">, id: string, release: Release, changes: readonly FileChange[]): Plan {
  const folder = releaseFolder(kernel);
  const { path_rules, worktree } = kernel.configuration.policy;
  const paths = (isNew: boolean) => changes.filter(({ before }) => (before === null) === isNew).map(({ path }) => path);
  return {
    feature_id: id,
    plan_version: 1,
    summary: `release of ${shortList(release.modules.map(({ module_ref }) => module_ref))}`,
    allowed_areas: [path_rules.matching === "glob" ? `${folder}/**` : folder],
    forbidden_areas: [],
    base_ref: worktree.base_branch,
    files: { create: paths(true), modify: paths(false), delete: [] },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: ["the four gates of the release pass", "every module is in the repository as it was shipped"],
    gate_profile: "default",
  };
}

/** It is a line of a commit. */
function shortList(refs: readonly string[]): string {
  const [shown, rest] = [refs.slice(0, MOST_NAMED), refs.length - MOST_NAMED];
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** What a person finds in the feature's folder as its specification. */
export function releaseText({ release_id, created_at, spec_version, modules, notes }: Release): string {
  return [
    `# Release ${release_id}`,
    `Of ${created_at}, spec ${spec_version}.`,
    modules.map(({ module_ref }) => `- ${module_ref}`).join("\n"),
    ...(notes === "" ? [] : [notes]),
    "",
  ].join("\n\n");
}
