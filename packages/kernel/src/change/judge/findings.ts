import { ABSENT, type RawEntry } from "../../host/git/raw.ts";
import { readObjects } from "../../host/git/fast-path/git-queries.ts";
import { decodePath, encodePath, splitZero } from "../../host/git/names.ts";
import type { ChangedFile, Finding } from "./test-integrity/finding.ts";
import { scrutinise } from "./test-integrity/inspect-tests.ts";
import type { Rooms } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

/** Larger files are looked at by their names alone. */
const LARGEST_BYTES = 512 * 1024;
const REGULAR = /^100(?:644|755)$/;

/**
 * What the change itself shows, against what the person's specification asks for. The same change shows the same: it is looked at
 * before somebody is asked to approve it, and again before it is merged.
 */
export async function findingsOn(rooms: Rooms, feature: Feature, entries: readonly RawEntry[]): Promise<Finding[]> {
  const { objects } = rooms;
  const ignored = await ignoredAmong(rooms, feature, entries);
  const of = JSON.stringify([entries, ignored, feature.spec_digest, feature.gate_profile]);
  const last = lastSeen.get(rooms);
  // What was asked for has to be there, also where it need not be read again.
  const spec = await objects.get(feature.spec_digest);
  if (last?.of === of) return last.findings;
  const findings = await findingsIn(rooms, feature, entries, ignored, spec);
  lastSeen.set(rooms, { of, findings });
  return findings;
}

const lastSeen = new WeakMap<Rooms, { readonly of: string; readonly findings: Finding[] }>();

async function findingsIn(
  rooms: Rooms,
  feature: Feature,
  entries: readonly RawEntry[],
  ignored: readonly string[],
  spec: Uint8Array,
): Promise<Finding[]> {
  const { configuration, redactor } = rooms;
  return scrutinise({
    files: await changedFiles(rooms, entries),
    ignored,
    spec: Buffer.from(spec).toString("utf8"),
    policy: configuration.policy,
    gates: configuration.gates,
    profile: feature.gate_profile,
    redact: redactor.text,
  });
}

export async function changedFiles({ repository }: Rooms, entries: readonly RawEntry[]): Promise<ChangedFile[]> {
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

/** Nobody adds such a file by accident: git has to be told twice. */
async function ignoredAmong({ repository }: Rooms, { worktree }: Feature, entries: readonly RawEntry[]): Promise<string[]> {
  const added = entries.filter(({ oldMode }) => oldMode === ABSENT).map(({ path }) => path);
  if (added.length === 0) return [];
  const git = await repository.vault({ workTree: worktree });
  // "./" keeps a name that begins with ":" from being taken for more than a name, which this command cannot be told otherwise.
  const input = Buffer.concat(added.map((path) => Buffer.concat([encodePath(`./${path}`), Buffer.from([0])])));
  const options = { input, allowExit: [1], env: { GIT_LITERAL_PATHSPECS: "0" } };
  const { stdout } = await git.run(["check-ignore", "--no-index", "-z", "--stdin"], options);
  return splitZero(stdout).map((path) => decodePath(path).replace(/^\.\//, ""));
}
