import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import { anchoredCommit } from "../../host/git/anchors.ts";
import { branchHead, moveBranch } from "../../host/git/branch.ts";
import { isSafeBranch } from "../../host/git/names.ts";
import type { Repository } from "../../host/git/repository.ts";
import type { Operation } from "../../record/operations/operation.ts";

const restoreInput = z.strictObject({
  /** A commit that an anchor reaches. */
  commit: z.string(),
  /** Part of the generated name if `branch` is null. */
  slug: z.string(),
  branch: z.string().nullable(),
});

export type Restore = z.infer<typeof restoreInput>;

/** Anchored bytes become a branch of a person's. No checkout and no branch that is there is touched. */
export function restoreOperation(repository: Repository): Operation<Restore, string, { branch: string; commit: string }> {
  return {
    name: "anchor.restore",
    roles: ["person", "system"],
    input: restoreInput,
    async effect({ commit, slug, branch }, { redriven }) {
      if ((await anchoredCommit(repository, commit)) !== commit) throw notAnchored(commit);
      const stateOf = async (name: string) =>
        redriven && (await branchHead(repository, name)) === commit ? "ours" : await branchState(repository, name);
      if (branch !== null) {
        const state = await stateOf(branch);
        if (!isSafeBranch(branch) || state === "taken") throw unusable(branch);
        if (state === "free") await moveBranch(repository, branch, commit, null);
        return branch;
      }
      // A branch named "restored" prevents branches below "restored/".
      const prefix = (await branchHead(repository, "restored")) === null ? "restored/" : "restored-";
      for (let number = 1; ; number++) {
        const name = `${prefix}${slug}-${number}`;
        const state = await stateOf(name);
        if (state === "taken") continue;
        if (state === "free") await moveBranch(repository, name, commit, null);
        return name;
      }
    },
    commit: async (_tx, { commit }, branch) => ({ branch, commit }),
    event: (_input, { branch, commit }) => ({ branch, commit }),
  };
}

async function branchState(repository: Repository, name: string): Promise<"free" | "taken"> {
  return (await branchHead(repository, name)) === null ? "free" : "taken";
}

function unusable(branch: string): SlipwayError {
  return new SlipwayError(
    "invalid_cli_args",
    `${JSON.stringify(branch)} is not a valid branch name, or the branch already exists. Nothing was changed.`,
    {
      branch,
      suggested_next_actions: ["Choose another name, or omit --branch to let Slipway choose one."],
    },
  );
}

function notAnchored(commit: string): SlipwayError {
  return new SlipwayError("object_missing", `No ref below refs/slipway reaches ${commit}.`, {
    commit,
    suggested_next_actions: ["Run `slipway restore FEATURE --list` to see the anchored commits."],
  });
}
