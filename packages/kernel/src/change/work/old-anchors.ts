import { isFinished } from "@slipway/durable/status";
import { z } from "zod";
import { dropAnchor, listAnchors, type ListedAnchor } from "../../host/git/anchors.ts";
import type { Repository } from "../../host/git/repository.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

/** An anchor that nothing needs any more: of a deleted feature, or of what a step left in the worktree of a merged one. */
export interface OldAnchor extends Pick<ListedAnchor, "ref" | "commit"> {
  readonly feature: string;
  readonly of: "deleted feature" | "leftovers";
  /** Whether the base branch has the feature's change. */
  readonly merged: boolean;
  /** When it was made, or the feature was deleted. */
  readonly at: number;
  /** That only it and older ones keep. */
  readonly bytes: number;
  /** It is too old, or the newer ones have too many bytes. */
  readonly beyond: boolean;
}

export interface AnchorBound {
  readonly madeBefore: number;
  readonly mostBytes: number;
}

type Spare = Pick<OldAnchor, "ref" | "commit" | "feature" | "of" | "merged" | "at">;

/** What a step left in the worktree, where it writes to it; never what a person did. */
export function isLeftover({ step }: Pick<ListedAnchor, "step">): boolean {
  return /\/after(?:-\d+)?\/found\+*$/.test(step);
}

/** The newest first. Reads only. */
export async function oldAnchors(dependencies: FeatureDependencies, bound: AnchorBound): Promise<OldAnchor[]> {
  const { repository } = dependencies;
  const spare = await spareAnchors(dependencies);
  const refs = new Set(spare.map(({ ref }) => ref));
  const counted = (await allRefs(repository)).filter(({ ref }) => !refs.has(ref)).map(({ commit }) => commit);
  const found: OldAnchor[] = [];
  let total = 0;
  for (const anchor of spare) {
    const bytes = await bytesOf(repository, anchor.commit, counted);
    counted.push(anchor.commit);
    total += bytes;
    found.push({ ...anchor, bytes, beyond: anchor.at < bound.madeBefore || total > bound.mostBytes });
  }
  return found;
}

const dropInput = z.strictObject({ anchors: z.array(z.strictObject({ ref: z.string(), commit: z.string() })) });
export type DropInput = z.infer<typeof dropInput>;

/** Of these anchors, drops those that nothing needs. A feature of the same name may have begun since they were listed. */
export function dropAnchorsOperation(dependencies: FeatureDependencies): Operation<DropInput, DropInput, DropInput> {
  return {
    name: "anchors.drop",
    roles: ["person", "system"],
    input: dropInput,
    async effect({ anchors }) {
      const spare = new Map((await spareAnchors(dependencies)).map(({ ref, commit }) => [ref, commit]));
      for (const anchor of anchors.filter(({ ref, commit }) => spare.get(ref) === commit))
        await dropAnchor(dependencies.repository, anchor);
      const left = new Set((await allRefs(dependencies.repository)).map(({ ref }) => ref));
      return { anchors: anchors.filter(({ ref }) => !left.has(ref)) };
    },
    commit: async (_tx, _input, dropped) => dropped,
    event: (_input, { anchors }) => ({ anchors }),
  };
}

/** The newest first. An anchor whose feature is not certain is not among them. */
async function spareAnchors({ repository, db }: FeatureDependencies): Promise<Spare[]> {
  const features = new Map((await db.selectFrom("features").select(["id", "status"]).execute()).map((row) => [row.id, row]));
  const former = Map.groupBy(
    await db.selectFrom("deleted_features").select(["id", "run_id", "merge", "deleted_at"]).execute(),
    ({ id }) => id,
  );
  const runs = await db.selectFrom("runs").select(["run_id", "status"]).execute();
  const unfinished = new Set(runs.filter(({ status }) => !isFinished(status)).map(({ run_id }) => run_id));
  return (await listAnchors(repository))
    .flatMap(({ ref, commit, at, ...anchor }): Spare[] => {
      const id = featureOf(anchor);
      if (id === null || unfinished.has(anchor.run)) return [];
      const feature = features.get(id);
      if (feature !== undefined)
        return feature.status === "merged" && isLeftover(anchor) ? [{ ref, commit, feature: id, of: "leftovers", merged: true, at }] : [];
      const rows = former.get(id) ?? [];
      if (rows.length === 0) return [];
      // A commit on its branch may be much older than its anchor.
      const deletedAt = Math.max(at, ...rows.map(({ deleted_at }) => deleted_at));
      const merged = rows.every(({ merge }) => merge !== null);
      return [{ ref, commit, feature: id, of: "deleted feature", merged, at: deletedAt }];
    })
    .toSorted((one, other) => other.at - one.at);
}

/** By its run. A tool-driven feature has none; of its anchors only those are certain whose message a person would not write. */
function featureOf({ run, message }: Pick<ListedAnchor, "run" | "message">): string | null {
  return /\/feature:([a-z0-9_-]+)$/.exec(run)?.[1] ?? /^([a-z0-9_-]+): bytes found (?:before|when)/.exec(message)?.[1] ?? null;
}

async function allRefs({ git }: Repository): Promise<{ ref: string; commit: string }[]> {
  const lines = (await git.text(["for-each-ref", "--format=%(refname) %(objectname)"])).split("\n").filter((line) => line !== "");
  return lines.map((line) => ({ ref: line.slice(0, line.lastIndexOf(" ")), commit: line.slice(line.lastIndexOf(" ") + 1) }));
}

/** On disk, of the objects that none of the others reaches. */
async function bytesOf({ git }: Repository, commit: string, others: readonly string[]): Promise<number> {
  const input = Buffer.from([commit, ...others.map((other) => `^${other}`)].map((line) => `${line}\n`).join(""));
  return Number(await git.text(["rev-list", "--objects", "--disk-usage", "--ignore-missing", "--stdin"], { input }));
}
