import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { stringify } from "yaml";
import { preparedQuery } from "../../record/database/prepared-query.ts";
import { nodeFileSystem, type FileSystem } from "../../host/files/file-system.ts";
import { projectedFiles } from "../../host/files/projection-writer.ts";
import { sweepTemporaries } from "../../host/files/write-atomic.ts";
import { readIndex, shownIndex } from "../judge/qa/store.ts";
import { decisionsProjection } from "../feature/decisions.ts";
import { moveFormerWorkingFiles } from "../work/former-working-files.ts";
import { inTurns } from "../feature/coalesce-per-key.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { stateOf, type FeatureState } from "../feature/state.ts";
import { locksInForce } from "../turn/lock-operations.ts";
import { modesOf } from "./state-reads.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";

/** Files for people, written from the rows after the commit. They are never read back. */
export interface Projections {
  /** After this, the files show the current feature, or a later state. Does nothing for a deleted feature. */
  write(id: string): Promise<void>;
  /** At start-up: rewrites missing or edited files. Returns the features concerned. */
  repair(): Promise<string[]>;
  /** Writes the files of features that have none. Checks one name per feature; reads and compares nothing. */
  restore(): Promise<void>;
  /** After the feature's folder was removed. */
  forget(id: string): void;
}

type ProjectionDependencies = Pick<FeatureDependencies, "db" | "layout" | "configuration" | "clock">;

export function openProjections(dependencies: ProjectionDependencies, fs: FileSystem = nodeFileSystem): Projections {
  const { db, layout } = dependencies;
  const files = projectedFiles(fs);
  const decisions = decisionsProjection(db, files);
  /** For each file, the versions that its content was made from: most operations change neither plan nor QA index. */
  const sources = new Map<string, string>();
  const path = (id: string, name: string) => join(layout.feature(id), name);

  /** Another process may write an older state over a newer one, so the state is read again after each write. */
  async function write(id: string): Promise<boolean> {
    let changed = false;
    for (let written = await readFeature(id); written !== undefined;) {
      changed = (await writeFiles(written)) || changed;
      const now = await readFeature(id);
      if (now === undefined || now.mark === written.mark) break;
      written = now;
    }
    return changed;
  }

  async function writeFiles({ feature, state }: FeatureSnapshot): Promise<boolean> {
    const { id, plan_version, newest_note, qa_version, base_commit, tree } = feature;
    const changed = await Promise.all([
      files.write(path(id, "state.md"), stateMarkdown(state)),
      plan_version > 0 && writeFrom(String(plan_version), path(id, "plan.json"), () => acceptedPlan(db, id)),
      writeFrom(`${qa_version} ${base_commit} ${tree}`, path(id, "qa_test_index.json"), async () =>
        shownIndex(id, await readIndex(db, feature)),
      ),
      decisions.write(id, { path: path(id, "decisions.md"), newest: newest_note }),
    ]);
    return changed.includes(true);
  }

  async function writeFrom(source: string, file: string, read: () => Promise<unknown>): Promise<boolean> {
    if (sources.get(file) === source) return false;
    const changed = await files.write(file, `${JSON.stringify(await read(), null, 2)}\n`);
    sources.set(file, source);
    return changed;
  }

  async function readFeature(id: string): Promise<FeatureSnapshot | undefined> {
    const [feature] = await featureWithNewest(db, id);
    if (feature === undefined) return undefined;
    const held = await locksInForce(db, id, dependencies.clock.now());
    const { version, plan_version, newest_note, qa_version } = feature;
    const state = stateOf({ feature, held, modes: modesOf(dependencies.configuration, feature) });
    return { feature, state, mark: JSON.stringify([version, held, plan_version, newest_note, qa_version]) };
  }

  function forget(id: string): void {
    for (const file of ["state.md", "plan.json", "qa_test_index.json", "decisions.md"].map((name) => path(id, name))) {
      files.forget(file);
      sources.delete(file);
    }
    decisions.forget(id);
  }

  const ids = async () => (await db.selectFrom("features").select("id").orderBy("id").execute()).map(({ id }) => id);
  const turn = inTurns(write);
  return {
    write: async (id) => void (await turn(id)),
    async repair() {
      const repaired: string[] = [];
      for (const id of await ids()) {
        moveFormerWorkingFiles(layout, id);
        forget(id);
        if (await turn(id)) repaired.push(id);
        await sweepTemporaries(fs, layout.feature(id), dependencies.clock.now());
      }
      return repaired;
    },
    async restore() {
      for (const id of await ids()) {
        if (existsSync(path(id, "state.md"))) continue;
        forget(id);
        await turn(id);
      }
    },
    forget,
  };
}

const featureWithNewest = preparedQuery((db, id: string) =>
  db
    .selectFrom("features")
    .selectAll("features")
    .select([
      sql<number>`(select coalesce(max(plan_version), 0) from plans where feature_id = features.id)`.as("plan_version"),
      sql<number>`(select coalesce(max(id), 0) from notes where feature_id = features.id)`.as("newest_note"),
      sql<number>`(select coalesce(max(version), 0) from qa_indexes where feature_id = features.id)`.as("qa_version"),
    ])
    .where("features.id", "=", id),
);

interface FeatureSnapshot {
  readonly feature: Feature & { readonly plan_version: number; readonly newest_note: number; readonly qa_version: number };
  readonly state: FeatureState;
  readonly mark: string;
}

export function stateMarkdown(state: FeatureState): string {
  const fields = Object.entries(state).flatMap(([name, value]) => (value === undefined ? [] : [fieldText(name, value)]));
  return `---\n${fields.join("")}---\n${stateBody(state)}`;
}

const fieldTexts = new Map<string, string>();
const MOST_TEXTS = 2_000;

/** Caches the YAML of fields: most do not change from one state to the next, and formatting YAML is the slowest part of a write. */
function fieldText(name: string, value: unknown): string {
  const key = JSON.stringify([name, value]);
  const text = fieldTexts.get(key) ?? stringify({ [name]: value });
  if (fieldTexts.size >= MOST_TEXTS) fieldTexts.clear();
  fieldTexts.set(key, text);
  return text;
}

export function stateBody({ feature_id, status, status_reason = "", branch, worktree_path }: FeatureState): string {
  const reason = status_reason === "" ? "" : `: ${status_reason.replaceAll(/\s+/g, " ")}`;
  return [
    "",
    `# ${feature_id}`,
    "",
    `${status}${reason}`,
    "",
    `Branch \`${branch}\`, worktree \`${worktree_path}\`.`,
    "Written by Slipway from its database; changes made here are overwritten.",
    "",
  ].join("\n");
}
