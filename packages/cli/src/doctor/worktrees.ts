import { note, ok, type DoctorFinding, type Patient } from "./check.ts";

/** Where ungated code is, and which other tools might run it. */
export async function checkWorktrees({ repository, configuration }: Patient): Promise<DoctorFinding[]> {
  const policy = (await configuration())?.policy;
  if (policy === undefined) return [note("Not looked at, because the configuration cannot be used.")];
  const { root } = policy.worktree;
  if (root === undefined) return [ok(`They are made in ${repository.worktrees}, outside the checkout.`)];
  return [
    note(
      `worktree.root in slipway/policy.yaml is ${root}, inside the checkout. Tools that you run there (vitest, jest, prettier, eslint, pytest) find the worktrees, and run code and configuration in them that no gate has passed, as you and outside the sandbox.`,
      `Remove worktree.root from slipway/policy.yaml; new worktrees are then in ${repository.worktrees}. To keep it, let every such tool ignore ${root}/.`,
    ),
  ];
}
