import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import { anchoredCommit } from "../../host/git/anchors.ts";
import { branchHead, moveBranch } from "../../host/git/branch.ts";
import { isSafeBranch } from "../../host/git/names.ts";
import type { Repository } from "../../host/git/repository.ts";
import type { Operation } from "../../record/operations/operation.ts";

const restoreInput = z.strictObject({
  /** A commit that an anchor reaches. */
  commit: z.string(),
  /** What a branch without a name of its own is called after. */
  slug: z.string(),
  branch: z.string().nullable(),
});

/** Anchored bytes become a branch of a person's. No checkout and no branch that is there is touched. */
export function restoreOperation(
  repository: Repository,
): Operation<z.infer<typeof restoreInput>, string, { branch: string; commit: string }> {
  return {
    name: "anchor.restore",
    roles: ["person", "system"],
    input: restoreInput,
    async effect({ commit, slug, branch }, { redriven }) {
      if ((await anchoredCommit(repository, commit)) !== commit) throw notAnchored(commit);
      const heldBy = async (name: string) =>
        redriven && (await branchHead(repository, name)) === commit ? "us" : await holder(repository, name);
      if (branch !== null) {
        const held = await heldBy(branch);
        if (!isSafeBranch(branch) || held === "somebody") throw unusable(branch);
        if (held === "nobody") await moveBranch(repository, branch, commit, null);
        return branch;
      }
      // A branch called "restored" leaves no room for others below it.
      const prefix = (await branchHead(repository, "restored")) === null ? "restored/" : "restored-";
      for (let number = 1; ; number++) {
        const name = `${prefix}${slug}-${number}`;
        const held = await heldBy(name);
        if (held === "somebody") continue;
        if (held === "nobody") await moveBranch(repository, name, commit, null);
        return name;
      }
    },
    commit: async (_tx, { commit }, branch) => ({ branch, commit }),
    event: (_input, { branch, commit }) => ({ branch, commit }),
  };
}

async function holder(repository: Repository, name: string): Promise<"nobody" | "somebody"> {
  return (await branchHead(repository, name)) === null ? "nobody" : "somebody";
}

function unusable(branch: string): SlipwayError {
  return new SlipwayError(
    "invalid_cli_args",
    `${JSON.stringify(branch)} cannot be a new branch, or there is one of that name. It was left as it is.`,
    {
      branch,
      suggested_next_actions: ["Name another one, or leave --branch out: a free name is chosen."],
    },
  );
}

function notAnchored(commit: string): SlipwayError {
  return new SlipwayError("object_missing", `No ref below refs/slipway reaches ${commit}.`, {
    commit,
    suggested_next_actions: ["`slipway restore FEATURE --list` shows what there is."],
  });
}
