export interface RollbackFacts {
  /** `pipeline-baseline-` and the run id without colons. */
  readonly tag: string;
  /** Whether the run commits its change. */
  readonly committed: boolean;
  /** Every path that the change adds, changes or deletes; a renamed file with both of its paths. */
  readonly files: readonly string[];
}

/**
 * The command that takes the change back. A range without a commit makes `git revert` fail, so an uncommitted change is restored from the
 * tag instead. `git restore` also deletes staged files that the tag does not have.
 */
export function rollbackCommand({ tag, committed, files }: RollbackFacts): string {
  if (committed) return `git revert --no-commit ${tag}..HEAD`;
  if (files.length === 0) return "# Nothing was changed.";
  const paths = [...new Set(files)].toSorted().map(quoted).join(" ");
  return `git --literal-pathspecs restore --source=${tag} --staged --worktree -- ${paths}`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
