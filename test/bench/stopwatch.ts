import type { Git } from "@slipway/kernel/host/git/runner";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";

/** Time in which at least one of these is running. */
export class Stopwatch {
  #active = 0;
  #since = 0;
  totalMs = 0;

  begin(): void {
    if (this.#active++ === 0) this.#since = performance.now();
  }

  end(): void {
    if (--this.#active === 0) this.totalMs += performance.now() - this.#since;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }
}

export function timedSandbox(sandbox: Sandbox, watch: Stopwatch): Sandbox {
  return { ...sandbox, run: (request) => watch.during(() => sandbox.run(request)) };
}

/**
 * The share of git: its processes; requests to those that stay (`cat-file --batch`, `diff-tree --stdin`, `update-ref --stdin`); and objects
 * written and synced here instead of by a git process (loose.ts). Everything else that this process does with worktrees, or to find out
 * what to ask git, counts as ours.
 */
export function timedRepository(repository: Repository, watch: Stopwatch): Repository {
  const timed = (git: Git): Git => ({
    ...git,
    run: (...given) => watch.during(() => git.run(...given)),
    text: (...given) => watch.during(() => git.text(...given)),
  });
  const executable = { ...repository.executable, during: watch.during.bind(watch) };
  return { ...repository, executable, git: timed(repository.git), vault: async (use) => timed(await repository.vault(use)) };
}
