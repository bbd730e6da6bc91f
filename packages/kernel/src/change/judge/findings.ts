import { ABSENT, type RawEntry } from "../../host/git/raw.ts";
import { readObjects } from "../../host/git/fast-path/git-queries.ts";
import { decodePath, encodePath, splitZero } from "../../host/git/names.ts";
import type { ChangedFile, TestFinding } from "./test-integrity/finding.ts";
import { inspectTests } from "./test-integrity/inspect-tests.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

/** Only the names of larger files are inspected. */
const LARGEST_BYTES = 512 * 1024;
const REGULAR = /^100(?:644|755)$/;

/**
 * Findings in the change itself, compared with the person's specification. Deterministic: they are computed before a person is asked to
 * approve, and again before the merge.
 */
export async function findingsOn(
  dependencies: FeatureDependencies,
  feature: Feature,
  entries: readonly RawEntry[],
): Promise<TestFinding[]> {
  const { objects } = dependencies;
  const ignored = await ignoredAmong(dependencies, feature, entries);
  const of = JSON.stringify([entries, ignored, feature.spec_digest, feature.gate_profile]);
  const last = lastSeen.get(dependencies);
  // The specification must exist even if the findings are cached.
  const spec = await objects.get(feature.spec_digest);
  if (last?.of === of) return last.findings;
  const findings = await findingsIn(dependencies, feature, entries, ignored, spec);
  lastSeen.set(dependencies, { of, findings });
  return findings;
}

const lastSeen = new WeakMap<FeatureDependencies, { readonly of: string; readonly findings: TestFinding[] }>();

async function findingsIn(
  dependencies: FeatureDependencies,
  feature: Feature,
  entries: readonly RawEntry[],
  ignored: readonly string[],
  spec: Uint8Array,
): Promise<TestFinding[]> {
  const { configuration, redactor } = dependencies;
  return inspectTests({
    files: await changedFiles(dependencies, entries),
    ignored,
    spec: Buffer.from(spec).toString("utf8"),
    policy: configuration.policy,
    gates: configuration.gates,
    profile: feature.gate_profile,
    redact: redactor.text,
  });
}

export async function changedFiles({ repository }: FeatureDependencies, entries: readonly RawEntry[]): Promise<ChangedFile[]> {
  const sides = entries.flatMap(({ oldMode, newMode, oldOid, newOid }) => [
    ...(REGULAR.test(oldMode) ? [oldOid] : []),
    ...(REGULAR.test(newMode) ? [newOid] : []),
  ]);
  const names = [...new Set(sides)];
  const read = await readObjects(repository, names);
  const texts = new Map(names.map((name, index) => [name, textOf(read[index]?.bytes ?? null)]));
  return entries.map(({ path, status, oldMode, newMode, oldOid, newOid }) => ({
    path,
    status,
    before: REGULAR.test(oldMode) ? (texts.get(oldOid) ?? null) : null,
    after: REGULAR.test(newMode) ? (texts.get(newOid) ?? null) : null,
  }));
}

function textOf(bytes: Buffer | null): string | null {
  if (bytes === null || bytes.length > LARGEST_BYTES || bytes.includes(0)) return null;
  return bytes.toString("utf8");
}

/** Such a file is not added by accident: git requires `add --force`. */
async function ignoredAmong({ repository }: FeatureDependencies, { worktree }: Feature, entries: readonly RawEntry[]): Promise<string[]> {
  const added = entries.filter(({ oldMode }) => oldMode === ABSENT).map(({ path }) => path);
  if (added.length === 0) return [];
  const git = await repository.vault({ workTree: worktree });
  // "./" prevents a name that begins with ":" from being parsed as pathspec magic; this command has no other way.
  const input = Buffer.concat(added.map((path) => Buffer.concat([encodePath(`./${path}`), Buffer.from([0])])));
  const options = { input, allowExit: [1], env: { GIT_LITERAL_PATHSPECS: "0" } };
  const { stdout } = await git.run(["check-ignore", "--no-index", "-z", "--stdin"], options);
  return splitZero(stdout).map((path) => decodePath(path).replace(/^\.\//, ""));
}
