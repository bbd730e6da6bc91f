import { jsonLine } from "@slipway/protocols/surface/escape";
import { relative } from "node:path";
import type { Deletion } from "@slipway/kernel/change/work/delete";
import { SlipwayError } from "../errors.ts";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withKernel } from "@slipway/runtime/kernel-at";
import { personOf } from "@slipway/protocols/surface/caller";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";

/** Shows what would be removed; removes it only with --yes or --force. */
export const run: RunCommand = (args, io) =>
  withKernel(io, async ({ features, records }) => {
    const [feature_id = ""] = args.positionals;
    const force = args.flag("force");
    const dryRun = args.flag("dry-run") || !(args.flag("yes") || force);
    if (args.flag("dry-run") && args.flag("yes"))
      throw new SlipwayError("invalid_cli_args", "--dry-run and --yes contradict each other.", {
        suggested_next_actions: [`Look at it first: \`slipway delete ${feature_id}\`.`],
      });
    const call = { actor: personOf(io), operationId: records.ids.next("delete") };
    const deletion = await features.delete(call, { feature_id, dry_run: dryRun, force });
    if (args.flag("json")) io.out(jsonLine({ ok: true, ...deletion }));
    else io.out(`${(dryRun ? plannedLines(deletion, records.layout.root, io.color) : doneLines(deletion)).join("\n")}\n`);
    return EXIT.done;
  });

function plannedLines({ feature_id, removes, keeps, reasons, unfinished_run }: Deletion, root: string, color: boolean): string[] {
  const { bold, yellow, dim } = paint(color);
  const row = (what: string, items: readonly string[]) =>
    (items.length === 0 ? [dim("none")] : items).map((item, index) => `  ${(index === 0 ? what : "").padEnd(10)}${item}`);
  const { worktree, branch, locks, queue, files } = removes;
  return [
    bold(`Deleting ${feature_id} would remove`),
    ...row("worktree", worktree === null ? [] : [relative(root, worktree)]),
    ...row("branch", branch === null ? [] : [branch]),
    ...row("locks", locks),
    ...row("queue", queue),
    ...row("files", files.map(oneLine)),
    bold("and keep"),
    ...keptLines(feature_id, keeps),
    ...(unfinished_run === null ? [] : [`Its run ${unfinished_run} has not ended.`]),
    ...(reasons.length === 0 ? [] : ["", bold("Reasons against it")]),
    ...reasons.map(({ message, force_helps }) => yellow(`  ${oneLine(message)}${force_helps ? "" : " (not even with --force)"}`)),
    "",
    `Nothing was changed. ${nextStep(feature_id, reasons)}`,
  ];
}

function keptLines(id: string, { checks, invocations, merged_as, anchors }: Deletion["keeps"]): string[] {
  const merged = merged_as === null ? "" : `, approval and merge ${merged_as.slice(0, 10)}`;
  return [
    `  evidence  ${checks} checks, ${invocations} calls of agents${merged} (slipway evidence ${id})`,
    `  anchors   ${anchors} below refs/slipway (slipway restore ${id} --list)`,
    `  journal   everything, with transcripts (slipway transcript ${id})`,
  ];
}

function nextStep(id: string, reasons: Deletion["reasons"]): string {
  if (reasons.length === 0) return `Delete it with \`slipway delete ${id} --yes\`.`;
  if (reasons.some(({ force_helps }) => !force_helps)) return "Resolve the reasons above, then try again.";
  return `\`slipway delete ${id} --force\` deletes it anyway; its bytes stay reachable under refs/slipway.`;
}

function doneLines({ feature_id, steps, unfinished_run }: Deletion): string[] {
  return [
    ...steps
      .filter(({ outcome }) => outcome !== "absent")
      .map(({ step, outcome, detail }) => `${outcome.padEnd(8)} ${step.padEnd(9)} ${oneLine(detail)}`.trimEnd()),
    `${feature_id} is deleted. Its evidence stays: slipway evidence ${feature_id}`,
    ...(unfinished_run === null ? [] : [`Its run had not ended: \`slipway resume ${unfinished_run.split("/")[0]}\` continues without it.`]),
  ];
}
