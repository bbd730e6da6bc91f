import type { DiffFormat } from "../../host/git/change.ts";
import type { Search } from "../../host/git/search.ts";
import { discoverSpecs } from "../plan/specs/discover.ts";
import { dashboard } from "./dashboard.ts";
import { getContext, getState } from "./get-context.ts";
import { changedFiles, readAt, textOfChange } from "./change-reads.ts";
import { harnessChecks } from "../judge/evidence/checks.ts";
import { repoDiff, repoDiffBundle, repoReadFile, repoSearch, repoStatus } from "./repo-reads.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { featureSummary } from "./summary.ts";

/** Read-only views of features. */
export function featureReads(dependencies: FeatureDependencies) {
  return {
    discoverSpecs: () => discoverSpecs(dependencies.layout),
    getContext: (id: string) => getContext(dependencies, id),
    getState: (id: string) => getState(dependencies, id),
    repoStatus: (id: string) => repoStatus(dependencies, id),
    repoDiff: (id: string, formats?: readonly DiffFormat[]) => repoDiff(dependencies, id, formats),
    repoReadFile: (id: string, path: string) => repoReadFile(dependencies, id, path),
    repoSearch: (id: string, search: Search) => repoSearch(dependencies, id, search),
    repoDiffBundle: (id: string) => repoDiffBundle(dependencies, id),
    /** From the base commit to the recorded tree, with renames. */
    changedFiles: (id: string) => changedFiles(dependencies, id),
    diffText: (id: string, options?: { readonly max_bytes?: number | undefined }) => textOfChange(dependencies, id, options),
    readAt: (id: string, when: "base" | "now", path: string) => readAt(dependencies, id, when, path),
    /** Recorded observations of the harness. */
    checkRows: (ids: readonly string[]) => harnessChecks(dependencies.db, ids),
    dashboard: () => dashboard(dependencies),
    featureSummary: (id: string) => featureSummary(dependencies, id),
  };
}
