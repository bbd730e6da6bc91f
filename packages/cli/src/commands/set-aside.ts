import type { RunCommand } from "@slipway/protocols/surface/command";
import { decideEdits } from "../decide-edits.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withKernel } from "@slipway/runtime/kernel-at";
import { personOf } from "@slipway/protocols/surface/caller";
import { jsonLine } from "@slipway/protocols/surface/escape";

/** Moves a person's edits and commits to a kept branch, and restores the recorded worktree and branch of the feature. */
export const run: RunCommand = (args, io) =>
  decideEdits("set_aside", args, io, ({ id, worktree }) =>
    withKernel(io, async ({ features, records }) => {
      const call = { actor: personOf(io), operationId: records.ids.next("set-aside") };
      const { branch, commit } = await features.setAside(call, { feature_id: id });
      if (args.flag("json")) io.out(jsonLine({ ok: true, feature: id, branch, commit }));
      else if (branch === null || commit === null) io.out(`There are no edits by hand in ${worktree}.\n`);
      else
        io.out(
          `Kept on the branch ${branch} (${commit.slice(0, 10)}); the worktree of ${id} is restored as recorded.\n` +
            `  next: git show ${branch}; the client may repeat the call that was refused\n`,
        );
      return EXIT.done;
    }),
  );
