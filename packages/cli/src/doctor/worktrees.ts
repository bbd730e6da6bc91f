import { note, ok, type DoctorFinding, type DoctorSubject } from "./check.ts";

/** Reports where ungated code is, and which other tools might run it. */
export async function checkWorktrees({ repository, configuration }: DoctorSubject): Promise<DoctorFinding[]> {
  const policy = (await configuration())?.policy;
  if (policy === undefined) return [note("Not checked, because the configuration cannot be used.")];
  const { root } = policy.worktree;
  if (root === undefined) return [ok(`They are created in ${repository.worktrees}, outside the checkout.`)];
  return [
    note(
      `worktree.root in slipway/policy.yaml is ${root}, inside the checkout. Tools that you run there (vitest, jest, prettier, eslint, pytest) find the worktrees and run ungated code and configuration from them, as you and outside the sandbox.`,
      `Remove worktree.root from slipway/policy.yaml; new worktrees are then in ${repository.worktrees}. To keep it, make every such tool ignore ${root}/.`,
    ),
  ];
}
