import { ABSENT, type RawEntry } from "../../host/git/raw.ts";
import { readObjects } from "../../host/git/fast-path/git-queries.ts";
import { hasForeignLetter } from "../../paths/look-alikes.ts";
import { decodePath, encodePath, splitZero } from "../../host/git/names.ts";
import type { ChangedFile, TestFinding } from "./test-integrity/finding.ts";
import { pathsOf } from "../../host/git/tree-listing.ts";
import { isSource } from "./test-integrity/reading-rules.ts";
import { inspectTests } from "./test-integrity/inspect-tests.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

/** Of larger files only the names are inspected, and what hides text. */
const LARGEST_BYTES = 512 * 1024;
const REGULAR = /^100(?:644|755)$/;

/** The difference between a base and a tree. */
export interface JudgedChange {
  readonly entries: readonly RawEntry[];
  readonly tree: string;
}

/**
 * Findings in the change itself, compared with the person's specification. Deterministic: they are computed before a person is asked to
 * approve, and again before the merge.
 */
export async function findingsOn(
  dependencies: FeatureDependencies,
  feature: Feature,
  { entries, tree }: JudgedChange,
): Promise<TestFinding[]> {
  const { objects } = dependencies;
  const ignored = await ignoredAmong(dependencies, feature, entries);
  const of = JSON.stringify([entries, tree, ignored, feature.spec_digest, feature.gate_profile]);
  const last = lastSeen.get(dependencies);
  // The specification must exist even if the findings are cached.
  const spec = await objects.get(feature.spec_digest);
  if (last?.of === of) return last.findings;
  const findings = await findingsIn(dependencies, feature, { entries, tree }, ignored, spec);
  lastSeen.set(dependencies, { of, findings });
  return findings;
}

const lastSeen = new WeakMap<FeatureDependencies, { readonly of: string; readonly findings: TestFinding[] }>();

async function findingsIn(
  dependencies: FeatureDependencies,
  feature: Feature,
  { entries, tree }: JudgedChange,
  ignored: readonly string[],
  spec: Uint8Array,
): Promise<TestFinding[]> {
  const { configuration, redactor, repository } = dependencies;
  const bytes = await bytesOf(dependencies, entries);
  return inspectTests({
    files: filesWith(entries, bytes, inspectedText),
    whole: filesWith(entries, bytes, readableText),
    ignored,
    tree: entries.some(({ oldMode, path }) => oldMode === ABSENT && hasForeignLetter(path))
      ? await pathsOf(await repository.vault(), tree)
      : [],
    spec: Buffer.from(spec).toString("utf8"),
    policy: configuration.policy,
    gates: configuration.gates,
    profile: feature.gate_profile,
    redact: redactor.text,
  });
}

export async function changedFiles(dependencies: FeatureDependencies, entries: readonly RawEntry[]): Promise<ChangedFile[]> {
  return filesWith(entries, await bytesOf(dependencies, entries), inspectedText);
}

/** The contents of regular files, before and after, by object. */
async function bytesOf({ repository }: FeatureDependencies, entries: readonly RawEntry[]): Promise<ReadonlyMap<string, Buffer | null>> {
  const sides = entries.flatMap(({ oldMode, newMode, oldOid, newOid }) => [
    ...(REGULAR.test(oldMode) ? [oldOid] : []),
    ...(REGULAR.test(newMode) ? [newOid] : []),
  ]);
  const names = [...new Set(sides)];
  const read = await readObjects(repository, names);
  return new Map(names.map((name, index) => [name, read[index]?.bytes ?? null]));
}

type TextOf = (bytes: Buffer, path: string) => string | null;

function filesWith(entries: readonly RawEntry[], bytes: ReadonlyMap<string, Buffer | null>, textOf: TextOf): ChangedFile[] {
  return entries.map(({ path, status, oldMode, newMode, oldOid, newOid }) => {
    const side = (mode: string, oid: string) => {
      const content = REGULAR.test(mode) ? bytes.get(oid) : null;
      return content == null ? null : textOf(content, path);
    };
    return { path, status, before: side(oldMode, oldOid), after: side(newMode, newOid) };
  });
}

function inspectedText(bytes: Buffer): string | null {
  return bytes.length > LARGEST_BYTES || bytes.includes(0) ? null : bytes.toString("utf8");
}

/** Of any size: what hides text must not be hidden by more text. */
function readableText(bytes: Buffer, path: string): string | null {
  return bytes.includes(0) && !isSource(path) ? null : bytes.toString("utf8");
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
