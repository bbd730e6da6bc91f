import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { Excluded, Included, PackManifest } from "./levels.ts";
import { rulingsOf, type PackRule, type Rulings } from "@slipway/kernel/host/file-views/rules";
import { givenFiles, type PackListing, type PackFile } from "./source.ts";

export interface PackContents extends PackListing {
  readonly tree: string | null;
  readonly rules: readonly PackRule[];
  readonly objectFormat: "sha1" | "sha256";
}

/** A pack before it is written. Pure: equal contents give equal packs. */
export interface PackPlan {
  readonly manifest: PackManifest;
  /** The files of the folder, in the order of the manifest. */
  readonly files: readonly PackFile[];
  /** Files that may be changed or created. */
  readonly writable: readonly string[];
  readonly rulings: Rulings;
  /** The rules behind the manifest, with canonical paths. */
  readonly rules: readonly PackRule[];
}

export function planPack({ tree, rules: given, files, others, objectFormat }: PackContents): PackPlan {
  const rules = given.map((rule) => ({ ...rule, path: rule.path === "." ? "." : assertCanonicalPath(rule.path) }));
  const rulings = rulingsOf(rules);
  const included: Included[] = [];
  const shown: PackFile[] = [];
  const excluded = new Map<string, Excluded>(others.map(({ path, reason }) => [path, { path, reason, sealed: false }]));
  for (const file of files.toSorted((left, right) => (left.path < right.path ? -1 : 1))) {
    const ruling = rulings(file.path);
    const about = { path: file.path, reason: ruling.reason };
    if (ruling.kind === "absent") {
      // One entry for a folder that is left out as a whole.
      const path = ruling.rule === "." ? file.path : ruling.rule;
      excluded.set(path, { path, reason: ruling.reason, sealed: ruling.sealed });
    } else if (ruling.kind === "named") {
      included.push({ ...about, level: "METADATA_ONLY", permission: "read", digest: file.oid, bytes: file.bytes });
    } else {
      const [seen = file] = ruling.summary === null ? [] : givenFiles({ [file.path]: ruling.summary }, objectFormat);
      const permission = ruling.writable ? "write" : "read";
      included.push({ ...about, level: ruling.level, permission, digest: seen.oid, bytes: seen.bytes });
      shown.push(seen);
    }
  }
  const present = new Set(files.map(({ path }) => path));
  for (const path of new Set(rules.map((rule) => rule.path))) {
    const ruling = rulings(path);
    const isNew = path !== "." && !present.has(path) && !files.some((file) => file.path.startsWith(`${path}/`));
    if (isNew && ruling.kind === "shown" && ruling.writable)
      included.push({ path, reason: ruling.reason, level: "FULL", permission: "write", digest: null, bytes: 0 });
  }
  return {
    manifest: { version: 1, tree, included, excluded: [...excluded.values()] },
    files: shown,
    writable: included.filter(({ permission }) => permission === "write").map(({ path }) => path),
    rulings,
    rules,
  };
}
