import { SlipwayError } from "./errors.ts";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { FeatureAnchor, FeatureAnchors } from "@slipway/kernel/change/work/anchors";
import type { Records } from "@slipway/kernel/record/storage";
import { recordedFeature } from "./recorded-feature.ts";

export interface Chosen {
  readonly commit: string;
  /** Null if a commit was named that is reachable from an anchor but is not one. */
  readonly ref: string | null;
  /** The name that a new branch is derived from. */
  readonly slug: string;
  /** Every anchor that the name matches, newest first. */
  readonly anchors: readonly FeatureAnchor[];
}

/**
 * Accepts a feature (its last tree, otherwise its newest anchor), an anchor by name or part of it, or a commit reachable from an anchor.
 */
export async function chooseAnchor(records: Records, anchors: FeatureAnchors, name: string, many: boolean): Promise<Chosen> {
  const all = await anchors.list();
  const ofFeature = await anchorsOfFeature(records, all, name);
  if (ofFeature !== null) return ofFeature;
  const commit = await anchors.commitOf(name);
  if (commit !== null) {
    const exact = all.find((anchor) => anchor.commit === commit);
    return { commit, ref: exact?.ref ?? null, slug: exact?.feature ?? commit.slice(0, 10), anchors: exact === undefined ? [] : [exact] };
  }
  const named = all.filter(({ ref }) => ref === name);
  const matching = named.length > 0 ? named : all.filter(({ ref, run, step }) => ref.includes(name) || `${run}/${step}`.includes(name));
  const [first] = matching;
  if (first === undefined || name === "") throw notFound(name, all);
  if (matching.length > 1 && !many) throw ambiguous(name, matching);
  return { commit: first.commit, ref: matching.length > 1 ? null : first.ref, slug: first.feature ?? "anchor", anchors: matching };
}

async function anchorsOfFeature(records: Records, all: readonly FeatureAnchor[], name: string): Promise<Chosen | null> {
  const features = recordedFeatures(records);
  const id = name.replace(/@\d+$/, "");
  const known = (await features.ifAny(id)) !== undefined || (await features.former(id)).length > 0;
  const recorded = known ? (await recordedFeature(records, name)).feature : null;
  // `search@1` means the anchors of that feature's run; `search` means all of them.
  const anchors = all.filter((anchor) => anchor.isOf(id) && (id === name || anchor.run === recorded?.run_id));
  const chosen = anchors.find(({ tree }) => tree === recorded?.tree) ?? anchors[0];
  if (chosen !== undefined) return { commit: chosen.commit, ref: chosen.ref, slug: id, anchors };
  if (!known) return null;
  throw new SlipwayError("object_missing", `"${name}" has no anchor: nothing was built for it.`, {
    feature_id: id,
    suggested_next_actions: [`slipway evidence ${name}`],
  });
}

function ambiguous(name: string, matching: readonly FeatureAnchor[]): SlipwayError {
  return new SlipwayError("invalid_cli_args", `${JSON.stringify(name)} matches ${matching.length} anchors.`, {
    anchors: matching.map(({ ref }) => ref),
    suggested_next_actions: [...matching.slice(0, 5).map(({ ref }) => `slipway restore ${ref}`), `slipway restore ${name} --list`],
  });
}

function notFound(name: string, all: readonly FeatureAnchor[]): SlipwayError {
  const known = [...new Set(all.flatMap(({ feature }) => feature ?? []))];
  return new SlipwayError(
    "feature_not_found",
    `There is no feature ${JSON.stringify(name)}, and no anchor below refs/slipway matches it.`,
    {
      suggested_next_actions: known.length === 0 ? ["There are no anchors here."] : [`There are anchors of ${known.join(", ")}.`],
    },
  );
}
