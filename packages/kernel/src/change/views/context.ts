import { checksOf } from "../judge/evidence/checks.ts";
import { COMMAND, MODE } from "../judge/evidence/gate-queries.ts";
import { diffText } from "../../host/git/change.ts";
import { cachedAnswers } from "../../host/git/fast-path/answer-cache.ts";
import { readBlob } from "../../host/git/fast-path/git-queries.ts";
import type { Plan } from "../plan/schema.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, findFeature, gateMap } from "../feature/store.ts";

/** Enough for a worker without an earlier conversation. */
export interface FeatureContext {
  readonly spec: string;
  readonly state: { readonly status: string; readonly status_reason: string; readonly gates: Record<string, string> };
  readonly plan: Plan | null;
  readonly diffStat: string;
  /** The tree of the worktree. */
  readonly tree: string;
  readonly files: readonly TreeFile[];
  /** The project's guidance for contributors, as the base commit has it: nothing that this change writes. */
  readonly conventions: readonly Convention[];
}

export interface Convention {
  readonly path: string;
  readonly text: string;
}

const CONVENTION_FILES: ReadonlySet<string> = new Set(["AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md"]);
const MAX_CONVENTION_BYTES = 16 * 1024;

export interface TreeFile {
  readonly path: string;
  readonly oid: string;
  readonly bytes: number;
}

export async function featureContext(dependencies: FeatureDependencies, id: string): Promise<FeatureContext> {
  const { repository, db, objects } = dependencies;
  const feature = await findFeature(db, id);
  return {
    spec: Buffer.from(await objects.get(feature.spec_digest)).toString("utf8"),
    state: { status: feature.status, status_reason: feature.status_reason, gates: gateMap(feature) },
    plan: await acceptedPlan(db, id),
    diffStat: await diffText(repository, feature.base_commit, feature.tree, { stat: true }),
    tree: feature.tree,
    files: await listFiles(dependencies, feature.tree),
    conventions: await conventionsAt(dependencies, feature.base_commit),
  };
}

const conventions = cachedAnswers<readonly Convention[]>(() => true);

/** Files that are too long for every prompt are left out: an agent with a folder reads them there. */
function conventionsAt(dependencies: FeatureDependencies, commit: string): Promise<readonly Convention[]> {
  return conventions(dependencies.repository, [commit], async () => {
    const listed = await listFiles(dependencies, commit);
    const wanted = listed.filter(({ path, bytes }) => CONVENTION_FILES.has(path) && bytes <= MAX_CONVENTION_BYTES);
    return Promise.all(wanted.map(async (file) => ({ path: file.path, text: await readTreeFile(dependencies, file) })));
  });
}

const listings = cachedAnswers<readonly TreeFile[]>((files) => files.length <= 1_000);

/** Regular files only: links and submodules have no text to show. `tree` is a tree id. */
export function listFiles({ repository }: FeatureDependencies, tree: string): Promise<readonly TreeFile[]> {
  return listings(repository, [tree], async () => {
    const listing = await repository.git.text(["ls-tree", "-r", "-z", "--long", "--end-of-options", tree]);
    return listing.split("\0").flatMap((line) => {
      const match = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(line);
      const [, oid, bytes, path] = match ?? [];
      return oid === undefined || bytes === undefined || path === undefined ? [] : [{ path, oid, bytes: Number(bytes) }];
    });
  });
}

export async function readTreeFile({ repository }: FeatureDependencies, file: TreeFile): Promise<string> {
  return (await readBlob(repository, file.oid)).toString("utf8");
}

/** The stored log of the gate's step that failed last. */
export async function lastFailedLog({ db, objects }: FeatureDependencies, id: string): Promise<string | null> {
  const failed = (await checksOf(db, { feature_id: id }))
    .filter(({ kind, status, log_digest }) => kind !== MODE && kind !== COMMAND && status === "fail" && log_digest !== null)
    .at(-1);
  return failed?.log_digest == null ? null : Buffer.from(await objects.get(failed.log_digest)).toString("utf8");
}
