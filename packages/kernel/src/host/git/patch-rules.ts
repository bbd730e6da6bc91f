import { newNameProblem } from "../../paths/new-names.ts";
import { foldedPath } from "../../paths/paths.ts";
import { escapes, hasUnsafeCharacter, isAttributesFile, isModulesFile, reachesGitFolder } from "./names.ts";
import { ABSENT, EXECUTABLE, GITLINK, SYMLINK, type RawEntry } from "./raw.ts";

/** Reasons to refuse a patch, independent of plan and policy. */
export type PatchRule =
  | "path_out_of_bounds"
  | "unsafe_name"
  | "unportable_name"
  | "not_utf8"
  | "symlink"
  | "submodule"
  | "gitattributes"
  | "state_directory"
  | "twin"
  | "file_too_large"
  | "binary_too_large"
  | "patch_too_large"
  | "too_many_files"
  | "copied_configuration"
  | "binary_without_data";

export interface Offence {
  readonly path: string;
  readonly rule: PatchRule;
}

export interface PatchLimits {
  /** Size of the patch itself; checked before parsing. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** Size of any resulting file; 10 MB by default. */
  readonly maxFileBytes?: number;
  /** Size of any binary file; 1 MB by default. */
  readonly maxBinaryBytes?: number;
}

export const DEFAULT_PATCH_LIMITS: Required<PatchLimits> = {
  maxBytes: 5_000_000,
  maxFiles: 500,
  maxFileBytes: 10_000_000,
  maxBinaryBytes: 1_000_000,
};

/** The rule that a name breaks by itself. */
export function nameOffence(path: string): PatchRule | null {
  if (!path.isWellFormed()) return "not_utf8";
  if (escapes(path) || reachesGitFolder(path)) return "path_out_of_bounds";
  if (hasUnsafeCharacter(path)) return "unsafe_name";
  if (isAttributesFile(path)) return "gitattributes";
  if (isModulesFile(path)) return "submodule";
  // Slipway's own state: landing a tracked file there would overwrite it.
  return /^\.(?:slipway|worktrees)(?:\/|$)/.test(foldedPath(path)) ? "state_directory" : null;
}

export function entryOffences(entries: readonly RawEntry[]): Offence[] {
  return entries.flatMap(({ path, oldMode, newMode }) => {
    const rule =
      nameOffence(path) ??
      (oldMode === GITLINK || newMode === GITLINK ? "submodule" : newMode === SYMLINK ? "symlink" : null) ??
      (oldMode === ABSENT && newNameProblem(path) !== null ? "unportable_name" : null);
    return rule === null ? [] : [{ path, rule }];
  });
}

/** Refuses to copy or rename Slipway's configuration: an agent must not get the gates and checks that judge it. */
export function sourceOffences(sources: readonly string[]): Offence[] {
  return sources.flatMap((path) => {
    const rule = nameOffence(path) ?? (foldedPath(path).startsWith("slipway/") ? "copied_configuration" : null);
    return rule === null ? [] : [{ path, rule }];
  });
}

/**
 * New names, of files or parent folders, that another file system takes for an existing name. Such twins that
 * are already in the base are not refused.
 */
export function twinOffences(entries: readonly RawEntry[], baseFiles: readonly string[]): Offence[] {
  const added = entries.filter(({ oldMode }) => oldMode === ABSENT).map(({ path }) => path);
  if (added.length === 0) return [];
  const gone = new Set(entries.filter(({ newMode }) => newMode === ABSENT).map(({ path }) => path));
  const old = new Set(baseFiles.flatMap(prefixes));
  const spellings = new Map<string, Set<string>>();
  for (const name of new Set([...baseFiles.filter((path) => !gone.has(path)), ...added].flatMap(prefixes))) {
    const folded = foldedPath(name);
    spellings.set(folded, (spellings.get(folded) ?? new Set()).add(name));
  }
  const isTwin = (name: string) => !old.has(name) && (spellings.get(foldedPath(name))?.size ?? 0) > 1;
  return added.filter((path) => prefixes(path).some(isTwin)).map((path) => ({ path, rule: "twin" }));
}

function prefixes(path: string): string[] {
  const found = [path];
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) found.push(path.slice(0, end));
  return found;
}

/** Allowed, but reported to the person and the policy. */
export interface PatchFlags {
  readonly executable: readonly string[];
  readonly binary: readonly string[];
  readonly lockfiles: readonly string[];
  readonly testsTouched: readonly string[];
  readonly continuousIntegration: readonly string[];
  /** Gates, policy and agents. They are read from the base, so a patch to them does not judge itself. */
  readonly configuration: readonly string[];
}

const LOCKFILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|go\.sum|Gemfile\.lock|composer\.lock|gradle\.lockfile|packages\.lock\.json)$/;
const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing)\/|[._-](?:test|tests|spec)\.[^/]+$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$|(?:^|\/)[^/]+Tests?\.(?:java|kt|cs)$/;
const CI =
  /^\.(?:github|gitlab|circleci|buildkite|ci)\/|^(?:\.gitlab-ci\.ya?ml|\.travis\.yml|azure-pipelines\.yml|Jenkinsfile|bitbucket-pipelines\.yml)$/;

export function flagsOf(changes: readonly (RawEntry & { readonly binary: boolean })[]): PatchFlags {
  const paths = (wanted: (change: RawEntry & { readonly binary: boolean }) => boolean) => changes.filter(wanted).map(({ path }) => path);
  return {
    executable: paths(({ oldMode, newMode }) => newMode === EXECUTABLE && oldMode !== EXECUTABLE),
    binary: paths(({ binary }) => binary),
    lockfiles: paths(({ path }) => LOCKFILE.test(path)),
    testsTouched: paths(({ path }) => TEST.test(path)),
    continuousIntegration: paths(({ path }) => CI.test(path)),
    configuration: paths(({ path }) => path.startsWith("slipway/")),
  };
}
