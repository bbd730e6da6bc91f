import type { FeatureAnchor } from "@slipway/kernel/change/work/anchors";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import { chooseAnchor, type Chosen } from "../choose-anchor.ts";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf } from "@slipway/protocols/surface/caller";
import { withReader } from "@slipway/runtime/reader";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { jsonLine } from "@slipway/protocols/surface/escape";

/** Creates a branch from an anchor, or lists the anchors. Touches no checkout. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records }) => {
    const json = args.flag("json");
    const { anchors } = await openRepositoryView(io);
    const chosen = await chooseAnchor(records, anchors, args.positionals[0] ?? "", args.flag("list"));
    if (args.flag("list")) {
      await list(chosen, json, io);
      return EXIT.done;
    }
    const { commit, ref, slug } = chosen;
    const input = { commit, slug, branch: args.text("branch") ?? null };
    const { branch } = await anchors.restore(records, personOf(io), input);
    if (json) io.out(jsonLine({ ok: true, branch, commit, anchor: ref }));
    else {
      const others = chosen.anchors.length > 1 ? `  others: slipway restore ${slug} --list\n` : "";
      io.out(`Branch ${branch} is at ${commit.slice(0, 10)}${ref === null ? "" : ` (${ref})`}.\n  next: git show ${branch}\n${others}`);
    }
    return EXIT.done;
  });

async function list({ anchors, ref: chosen }: Chosen, json: boolean, io: Io): Promise<void> {
  const rows = await Promise.all(anchors.map((anchor) => described(anchor, anchor.ref === chosen)));
  if (json) return io.out(jsonLine({ ok: true, anchors: rows }));
  for (const { at, what, step, files, ref, newest } of rows) {
    const changed = files === null ? "" : `, ${files} ${files === 1 ? "file" : "files"} changed`;
    io.out(
      `${at}  ${oneLine(what)}${step === null ? "" : ` (${oneLine(step)})`}${changed}${newest ? "  ← restored by default" : ""}\n  ${ref}\n`,
    );
  }
}

async function described(anchor: FeatureAnchor, newest: boolean) {
  const { ref, run, step, commit, tree, parent, at, message } = anchor;
  return {
    ref,
    run,
    commit,
    tree,
    base: parent,
    at: new Date(at).toISOString(),
    what: message.replace(/^[^:\s]+: /, ""),
    // Long names end in their digest.
    step: step.includes("+") ? null : step.replace(`${run}/`, ""),
    files: await anchor.filesChanged(),
    newest,
  };
}
