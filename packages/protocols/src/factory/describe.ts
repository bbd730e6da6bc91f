import { oneLine } from "../narration/one-line.ts";
import type { Ending } from "../protocol.ts";
import type { LateChangeResult } from "./late-change/protocol.ts";
import type { FactoryResult } from "./protocol.ts";

const MANIFESTS = ".slipway/state_store/releases";

/** The result text of a completed run: a project, a release or a late change. */
export function describeFactory(result: FactoryResult | LateChangeResult): Ending {
  switch (result.status) {
    case "given_up":
      return { done: false, lines: [oneLine(result.reason)] };
    case "changed":
      return { done: true, lines: [`${result.exception_id} is resolved: ${result.module_ref} supersedes the version before.`] };
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
          `  next: read ${MANIFESTS}/${result.release_id}.failure.json`,
        ],
      };
    case "release_not_merged":
      return {
        done: false,
        lines: [
          `${result.release_id} was not merged: ${oneLine(result.reason)}. Its modules stay shipped, and its branch ${result.branch} is kept.`,
          `  next: slipway diff ${result.branch} shows it; slipway factory release ${result.modules.join(" ")} starts another one`,
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
