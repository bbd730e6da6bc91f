import { examineGit } from "@slipway/kernel/examine-git";
import type { Io } from "@slipway/protocols/surface/io";
import { note, ok, type DoctorFinding, type Patient } from "./check.ts";

export async function checkGit(io: Io): Promise<DoctorFinding[]> {
  const { file, version } = await examineGit(io.env);
  return [ok(`git ${version} at ${file}.`)];
}

const SHOWN = 3;

export async function checkRepository({ repository }: Patient): Promise<DoctorFinding[]> {
  const { headRef, dirty, dirtyPaths, hasSubmodules, shallow, partialClone } = await repository.describe();
  const branch = headRef?.replace("refs/heads/", "");
  const found: DoctorFinding[] = [ok(`${repository.root}${branch === undefined ? "" : `, on the branch ${branch}`}.`)];
  if (branch === undefined) {
    found.push(
      note("No branch is checked out (detached HEAD). Runs work from the base branch and are not disturbed.", "git switch <branch>"),
    );
  }
  if (dirty) {
    const names = dirtyPaths.slice(0, SHOWN).join(", ") + (dirtyPaths.length > SHOWN ? ", …" : "");
    found.push(
      note(`There are changes that are not committed (${names}). Runs neither see nor touch them.`, "Commit what a run should build on."),
    );
  }
  if (hasSubmodules) {
    found.push(
      note(
        "There are submodules. They are not checked out in worktrees, so gates see empty folders there.",
        "Choose gates that need no submodule.",
      ),
    );
  }
  if (shallow || partialClone) {
    found.push(note("This clone does not have the whole history. Only objects that are here can be used.", "git fetch --unshallow"));
  }
  return found;
}
