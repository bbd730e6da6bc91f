import { execFileSync } from "node:child_process";
import type { CommandsWatch } from "@slipway/kernel/change/judge/commands/run-commands";
import { callAs, lettersOn } from "@slipway/kernel/change/testing/letters";
import { openScratchKernel, scratchPlan, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { DoorEvent } from "@slipway/kernel/record/operations/door";
import { onTestFinished } from "vitest";
import { openForgeLedger, type ForgeLedger } from "../../ledger/ledger.ts";
import { observationsOf } from "../../ledger/observations.ts";
import { saveForgeRun } from "../../ledger/runs.ts";
import { FORGE_TABLES } from "../../ledger/tables.ts";
import { runCascade, type CascadeInput, type CascadeOutcome, type CascadeServices } from "../run-cascade.ts";
import { discoverTooling } from "../tooling.ts";

export const RUN = "2026-02-26T14:30:00Z";
const FEATURE = "letters";

type Files = Readonly<Record<string, string>>;

export interface CascadeScene {
  readonly scratch: ScratchKernel;
  readonly ledger: ForgeLedger;
  /** Writes the files, and deletes those that are null, as the feature's change. */
  change(files: Readonly<Record<string, string | null>>): Promise<void>;
  run(
    phase: "baseline" | "after",
    files: readonly string[],
    more?: Partial<CascadeInput>,
    watch?: CommandsWatch,
    id?: string,
  ): Promise<CascadeOutcome>;
}

/** A small project in a real repository, with a feature whose plan covers all its files. Commands really run, without a sandbox. */
export async function openCascadeScene(files: Files, observe: (event: DoorEvent) => void = () => undefined): Promise<CascadeScene> {
  const scratch = await openScratchKernel(files, { observe, env: { PYTHONDONTWRITEBYTECODE: "1" } });
  onTestFinished(() => scratch.close());
  const { records, kernel } = scratch;
  const { db, sqlite } = records.database;
  await migrateOwner(db, sqlite.path, FORGE_TABLES);
  await lettersOn(scratch).init();
  await saveForgeRun(records.door, callAs(), { run_key: "key", run_id: RUN, feature_id: FEATURE, state: "{}", ledger: "sqlite" });
  const ledger = openForgeLedger({ db, door: records.door, observations: observationsOf }, "sqlite");
  const pathsAt = async (_feature: string, tree: "base" | "now") => {
    const row = await db.selectFrom("features").select(["base_commit", "tree"]).where("id", "=", FEATURE).executeTakeFirstOrThrow();
    return scratch
      .git("ls-tree", "-r", "--name-only", tree === "base" ? row.base_commit : row.tree)
      .trimEnd()
      .split("\n");
  };
  const services: CascadeServices = { features: kernel.features, ledger, paths: pathsAt };
  let version = 0;

  return {
    scratch,
    ledger,
    async change(changed) {
      const known = await pathsAt(FEATURE, "base");
      const names = Object.keys(changed);
      const plan = {
        create: names.filter((path) => !known.includes(path)),
        modify: names.filter((path) => known.includes(path) && changed[path] !== null),
        delete: names.filter((path) => changed[path] === null),
      };
      version++;
      await kernel.features.submitPlan(callAs(), {
        feature_id: FEATURE,
        plan_json: scratchPlan(FEATURE, { plan_version: version, allowed_areas: ["."], files: plan }),
      });
      await kernel.features.applyPatch(callAs(), { feature_id: FEATURE, unified_diff: diffOf(scratch, changed) });
    },
    async run(phase, taskFiles, more = {}, watch = {}, id = callAs().operationId) {
      const tree = phase === "baseline" ? "base" : "now";
      const read = (path: string) => kernel.features.readAt(FEATURE, tree, path);
      // The repository's own gates.yaml runs check.sh, which these projects are not about.
      const paths = (await pathsAt(FEATURE, tree)).filter((path) => path !== "slipway/gates.yaml");
      const tooling = await discoverTooling(paths, async (path) => (path.startsWith("slipway/") ? null : read(path)));
      const task = { id: "task-01", size: "Standard", files: taskFiles } as const;
      const input = { run_id: RUN, feature_id: FEATURE, task, phase, round: 1, tooling, ...more };
      return runCascade(services, { ...callAs(), operationId: id }, input, watch);
    },
  };
}

/** The diff of git itself, made in the checkout and taken back. */
function diffOf({ root, git, write }: ScratchKernel, changed: Readonly<Record<string, string | null>>): string {
  for (const [path, text] of Object.entries(changed)) {
    if (text === null) git("rm", "--quiet", "--", path);
    else write(path, text);
  }
  git("add", "--all", "--", ...Object.keys(changed).filter((path) => changed[path] !== null));
  const diff = execFileSync("git", ["diff", "--cached", "--no-renames", "HEAD"], { cwd: root, encoding: "utf8" });
  git("reset", "--quiet", "--hard");
  return diff;
}

/** The names of the checks and whether they passed, in the order in which they ran. */
export function resultsOf({ rows }: Pick<CascadeOutcome, "rows">): Record<string, boolean> {
  return Object.fromEntries(rows.map(({ check_name, passed }) => [check_name, passed === 1]));
}
