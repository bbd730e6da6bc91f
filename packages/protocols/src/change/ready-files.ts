import { readObjects } from "@slipway/kernel/host/git/fast-path/git-queries";
import type { ExpectedTests } from "@slipway/kernel/change/judge/expected-tests/expect-tests";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { Kernel } from "@slipway/kernel/kernel";
import type { FileChange } from "./patches.ts";
import type { ReadyFiles } from "./place-files.ts";

/** Files that a protocol produced, and the text of their plan. */
export interface MadeFiles {
  readonly id: string;
  readonly appliedBy: string;
  readonly summary: string;
  readonly acceptance_criteria: readonly string[];
  /** Folders and files of the repository that contain all of them. */
  readonly areas: readonly string[];
  /** Text by path in the repository. Deterministic. */
  readonly files: () => Promise<Readonly<Record<string, string>>>;
  readonly tests?: ExpectedTests;
}

/** A change of exactly these files, with a plan that names them. */
export function readyFiles(kernel: Pick<Kernel, "configuration" | "repository">, made: MadeFiles): ReadyFiles {
  return {
    appliedBy: made.appliedBy,
    changesOn: async (base) => changesOn(kernel, base, await made.files()),
    planFor: (changes) => planFor(kernel, made, changes),
    ...(made.tests === undefined ? {} : { tests: made.tests }),
  };
}

async function changesOn(
  { repository }: Pick<Kernel, "repository">,
  base: string,
  files: Readonly<Record<string, string>>,
): Promise<FileChange[]> {
  const wanted = Object.entries(files).map(([path, after]) => ({ path, after }));
  const onBase = await readObjects(
    repository,
    wanted.map(({ path }) => `${base}:${path}`),
  );
  return wanted
    .map(({ path, after }, index) => ({ path, after, before: onBase[index]?.bytes.toString("utf8") ?? null }))
    .filter(({ before, after }) => before !== after);
}

function planFor({ configuration }: Pick<Kernel, "configuration">, made: MadeFiles, changes: readonly FileChange[]): Plan {
  const { path_rules, worktree } = configuration.policy;
  const paths = (isNew: boolean) => changes.filter(({ before }) => (before === null) === isNew).map(({ path }) => path);
  return {
    feature_id: made.id,
    plan_version: 1,
    summary: made.summary,
    allowed_areas: made.areas.flatMap((area) => (path_rules.matching === "glob" ? [area, `${area}/**`] : [area])),
    forbidden_areas: [],
    base_ref: worktree.base_branch,
    files: { create: paths(true), modify: paths(false), delete: [] },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: [...made.acceptance_criteria],
    gate_profile: "default",
  };
}
