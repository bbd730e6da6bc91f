import type { DiffFormat } from "../../host/git/change.ts";
import type { Search } from "../../host/git/search.ts";
import { discoverSpecs } from "../plan/specs/discover.ts";
import { dashboard } from "./dashboard.ts";
import { getContext, getState } from "./get-context.ts";
import { repoDiff, repoDiffBundle, repoReadFile, repoSearch, repoStatus } from "./repo-reads.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { featureSummary } from "./summary.ts";

/** What may be looked at. None of it changes anything. */
export function featureReads(rooms: Rooms) {
  return {
    discoverSpecs: () => discoverSpecs(rooms.layout),
    getContext: (id: string) => getContext(rooms, id),
    getState: (id: string) => getState(rooms, id),
    repoStatus: (id: string) => repoStatus(rooms, id),
    repoDiff: (id: string, formats?: readonly DiffFormat[]) => repoDiff(rooms, id, formats),
    repoReadFile: (id: string, path: string) => repoReadFile(rooms, id, path),
    repoSearch: (id: string, search: Search) => repoSearch(rooms, id, search),
    repoDiffBundle: (id: string) => repoDiffBundle(rooms, id),
    dashboard: () => dashboard(rooms.db, rooms.objects, rooms.clock.now()),
    featureSummary: (id: string) => featureSummary(rooms, id),
  };
}
