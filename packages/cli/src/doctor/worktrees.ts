import { note, ok, type Finding, type Patient } from "./check.ts";

/** Where code lies that no gate has passed, and who else might run it there. */
export async function checkWorktrees({ repository, configuration }: Patient): Promise<Finding[]> {
  const policy = (await configuration())?.policy;
  if (policy === undefined) return [note("Not looked at, because the configuration cannot be used.")];
  const { root } = policy.worktree;
  if (root === undefined) return [ok(`They are made in ${repository.ungated.worktrees}, outside the checkout.`)];
  return [
    note(
      `worktree.root in slipway/policy.yaml is ${root}, inside the checkout. Tools that you run there (vitest, jest, prettier, eslint, pytest) find the worktrees, and run code and configuration in them that no gate has passed, as you and outside the sandbox.`,
      `Remove worktree.root from slipway/policy.yaml; new worktrees are then in ${repository.ungated.worktrees}. To keep it, let every such tool ignore ${root}/.`,
    ),
  ];
}
