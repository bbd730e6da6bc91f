import type { LateChangeResult } from "@slipway/protocols/factory/late-change";
import type { FactoryResult } from "@slipway/protocols/factory/protocol";
import type { FeatureResult } from "@slipway/protocols/features/protocol";
import { oneLine } from "./render/one-line.ts";

export interface Ending {
  /** Whether everything that was asked for is there. */
  readonly done: boolean;
  readonly lines: string[];
}

/** What a completed run came to, whichever protocol it followed. */
export function endingOf(value: unknown): Ending {
  return Array.isArray(value) ? ofFeatures(value as FeatureResult[]) : ofFactory(value as FactoryResult | LateChangeResult);
}

function ofFeatures(results: readonly FeatureResult[]): Ending {
  return {
    done: results.every(({ status }) => status === "merged"),
    lines: results.flatMap(({ feature_id, status, landing, failure, not_begun }) => {
      if (not_begun !== undefined) return [`${feature_id} was not begun: ${oneLine(not_begun)}.`];
      if (landing !== null) return [`${feature_id} is merged into ${landing.base_branch} as ${landing.commit.slice(0, 10)}.`];
      const why = failure === undefined ? "" : ` (${failure.code}: ${oneLine(failure.message)})`;
      return [`${feature_id} ended ${status}${why}; its work is kept under refs/slipway.`, `  next: slipway retry ${feature_id}`];
    }),
  };
}

const MANIFESTS = ".slipway/state_store/releases";

function ofFactory(result: FactoryResult | LateChangeResult): Ending {
  switch (result.status) {
    case "given_up":
      return { done: false, lines: [oneLine(result.reason)] };
    case "changed":
      return { done: true, lines: [`${result.exception_id} is resolved: ${result.module_ref} takes the place of the version before.`] };
    case "not_changed":
      return {
        done: false,
        lines: [`No agreement on ${result.exception_id}: ${oneLine(result.reason)}`, `  next: slipway factory ice ${result.exception_id}`],
      };
    case "nothing_built":
      return { done: false, lines: ["Every task was abandoned, or attested without a module; there is nothing to release."] };
    case "release_refused":
      return {
        done: false,
        lines: [
          `The release gates refuse ${result.release_id}: ${oneLine(result.notes)}`,
          `  next: look at ${MANIFESTS}/${result.release_id}.failure.json`,
        ],
      };
    case "release_not_merged":
      return {
        done: false,
        lines: [
          `${result.release_id} was not merged: ${oneLine(result.reason)}. Its modules stay shipped, and its branch ${result.branch} is kept.`,
          `  next: slipway diff ${result.branch} shows it; slipway factory release ${result.modules.join(" ")} begins another one`,
        ],
      };
    case "released":
      return {
        done: true,
        lines: [
          `${result.release_id} releases ${result.modules.length} ${result.modules.length === 1 ? "module" : "modules"}: ${result.modules.join(", ")}.`,
          `  merged into ${result.merge.base_branch} as ${result.merge.commit.slice(0, 10)}, in ${result.merge.folder}/`,
          `  ${MANIFESTS}/${result.release_id}.json`,
        ],
      };
  }
}
