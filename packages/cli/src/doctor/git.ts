import { examineGit } from "@slipway/kernel/examine-git";
import type { Io } from "@slipway/protocols/surface/io";
import { note, ok, type DoctorFinding, type DoctorSubject } from "./check.ts";

export async function checkGit(io: Io): Promise<DoctorFinding[]> {
  const { file, version } = await examineGit(io.env);
  return [ok(`git ${version} at ${file}.`)];
}

const SHOWN = 3;

export async function checkRepository({ repository }: DoctorSubject): Promise<DoctorFinding[]> {
  const { headRef, dirty, dirtyPaths, hasSubmodules, shallow, partialClone } = await repository.describe();
  const branch = headRef?.replace("refs/heads/", "");
  const findings: DoctorFinding[] = [ok(`${repository.root}${branch === undefined ? "" : `, on the branch ${branch}`}.`)];
  if (branch === undefined) {
    findings.push(note("No branch is checked out (detached HEAD). Runs use the base branch and are not affected.", "git switch <branch>"));
  }
  if (dirty) {
    const names = dirtyPaths.slice(0, SHOWN).join(", ") + (dirtyPaths.length > SHOWN ? ", …" : "");
    findings.push(note(`There are uncommitted changes (${names}). Runs do not see or change them.`, "Commit what a run should use."));
  }
  if (hasSubmodules) {
    findings.push(
      note(
        "There are submodules. They are not checked out in worktrees, so gates see empty folders there.",
        "Choose gates that need no submodule.",
      ),
    );
  }
  if (shallow || partialClone) {
    findings.push(note("This clone does not have the full history. Only objects that are present can be used.", "git fetch --unshallow"));
  }
  return findings;
}
