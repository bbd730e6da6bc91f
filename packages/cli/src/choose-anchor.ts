import { SlipwayError } from "@slipway/durable/errors";
import { formerFeatures } from "@slipway/kernel/change/feature/former";
import { featureIfAny } from "@slipway/kernel/change/feature/store";
import { anchoredCommit, isAnchorOf, listAnchors, type ListedAnchor } from "@slipway/kernel/host/git/anchors";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { Records } from "@slipway/kernel/record/storage";
import { recordedFeature } from "./recorded-feature.ts";

export interface Chosen {
  readonly commit: string;
  /** Null where a commit was named that an anchor only reaches. */
  readonly ref: string | null;
  /** What a new branch is called after. */
  readonly slug: string;
  /** All that the name could have meant, the newest first. */
  readonly anchors: readonly ListedAnchor[];
}

/** A feature (the tree it had last, else its newest anchor), an anchor by its name or a part of it, or a commit that one reaches. */
export async function chooseAnchor(records: Records, repository: Repository, name: string, many: boolean): Promise<Chosen> {
  const all = await listAnchors(repository);
  const ofFeature = await anchorsOfFeature(records, all, name);
  if (ofFeature !== null) return ofFeature;
  const commit = await anchoredCommit(repository, name);
  if (commit !== null) {
    const exact = all.find((anchor) => anchor.commit === commit);
    return { commit, ref: exact?.ref ?? null, slug: slugOf(exact) ?? commit.slice(0, 10), anchors: exact === undefined ? [] : [exact] };
  }
  const named = all.filter(({ ref }) => ref === name);
  const matching = named.length > 0 ? named : all.filter(({ ref, run, step }) => ref.includes(name) || `${run}/${step}`.includes(name));
  const [first] = matching;
  if (first === undefined || name === "") throw notFound(name, all);
  if (matching.length > 1 && !many) throw ambiguous(name, matching);
  return { commit: first.commit, ref: matching.length > 1 ? null : first.ref, slug: slugOf(first) ?? "anchor", anchors: matching };
}

async function anchorsOfFeature(records: Records, all: readonly ListedAnchor[], name: string): Promise<Chosen | null> {
  const { db } = records.database;
  const id = name.replace(/@\d+$/, "");
  const known = (await featureIfAny(db, id)) !== undefined || (await formerFeatures(db, id)).length > 0;
  const recorded = known ? (await recordedFeature(records, name)).feature : null;
  // Of several that had the name, only those of its run; a name without a number stands for all of them.
  const anchors = all.filter((anchor) => isAnchorOf(id, anchor) && (id === name || anchor.run === recorded?.run_id));
  const chosen = anchors.find(({ tree }) => tree === recorded?.tree) ?? anchors[0];
  if (chosen !== undefined) return { commit: chosen.commit, ref: chosen.ref, slug: id, anchors };
  if (!known) return null;
  throw new SlipwayError("object_missing", `Nothing of "${name}" was anchored: it has built nothing.`, {
    feature_id: id,
    suggested_next_actions: [`slipway evidence ${name}`],
  });
}

function slugOf(anchor: ListedAnchor | undefined): string | null {
  return /\/feature:([a-z0-9_-]+)$/.exec(anchor?.run ?? "")?.[1] ?? /^([a-z0-9_-]+): /.exec(anchor?.message ?? "")?.[1] ?? null;
}

function ambiguous(name: string, matching: readonly ListedAnchor[]): SlipwayError {
  return new SlipwayError("invalid_cli_args", `${JSON.stringify(name)} is a part of ${matching.length} anchors' names.`, {
    anchors: matching.map(({ ref }) => ref),
    suggested_next_actions: [...matching.slice(0, 5).map(({ ref }) => `slipway restore ${ref}`), `slipway restore ${name} --list`],
  });
}

function notFound(name: string, all: readonly ListedAnchor[]): SlipwayError {
  const known = [...new Set(all.flatMap((anchor) => slugOf(anchor) ?? []))];
  return new SlipwayError(
    "feature_not_found",
    `There is no feature ${JSON.stringify(name)}, and no anchor below refs/slipway has it in its name.`,
    {
      suggested_next_actions: known.length === 0 ? ["Nothing is anchored here."] : [`There are anchors of ${known.join(", ")}.`],
    },
  );
}
