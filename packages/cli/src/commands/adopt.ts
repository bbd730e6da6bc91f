import type { RunCommand } from "@slipway/protocols/surface/command";
import { decideEdits } from "../decide-edits.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withKernel } from "@slipway/runtime/kernel-at";
import { personOf } from "@slipway/protocols/surface/caller";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { jsonLine } from "@slipway/protocols/surface/escape";

/** Makes a person's edits and commits part of the change. Earlier gate results and approvals no longer apply. */
export const run: RunCommand = (args, io) =>
  decideEdits("adopt", args, io, ({ id, worktree }) =>
    withKernel(io, async ({ features, records }) => {
      const call = { actor: personOf(io), operationId: records.ids.next("adopt") };
      const { tree, files, commits } = await features.adopt(call, { feature_id: id });
      const next = `run the gates again through the client (gates.run), then slipway approve ${id}`;
      if (args.flag("json")) io.out(jsonLine({ ok: true, feature: id, tree, files, commits, next: tree === null ? null : next }));
      else if (tree === null) io.out(`There are no edits by hand in ${worktree}.\n`);
      else {
        const lines = [
          `Adopted into ${id}; its tree is now ${tree.slice(0, 10)}:`,
          ...files.map((path) => `  ${oneLine(path)}`),
          ...commits.map(({ commit, author, subject }) => `  commit ${commit.slice(0, 10)} by ${oneLine(author)}: ${oneLine(subject)}`),
          `  next: ${next}`,
        ];
        io.out(`${lines.join("\n")}\n`);
      }
      return EXIT.done;
    }),
  );
