import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { Kernel } from "@slipway/kernel/kernel";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withKernel } from "@slipway/runtime/kernel-at";
import { personOf } from "@slipway/protocols/surface/caller";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { jsonLine } from "@slipway/protocols/surface/escape";
import { cleanAnchors } from "../clean-anchors.ts";
import { SlipwayError } from "../errors.ts";

interface Row {
  readonly feature_id: string;
  readonly worktree: string | null;
  readonly branch: string | null;
  /** Why both were kept; empty if they were removed. */
  readonly kept: readonly string[];
}

/** Removes the worktrees and branches of merged features, which stay after the merge for inspection; or old anchors. */
export const run: RunCommand = (args, io) =>
  withKernel(io, async (kernel) => {
    if (args.flag("anchors")) return cleanAnchors(kernel, args, io);
    for (const option of ["older-than", "most"] as const) if (args.text(option) !== undefined) throw onlyWithAnchors(`--${option}`);
    if (args.flag("yes")) throw onlyWithAnchors("--yes");
    const dryRun = args.flag("dry-run");
    const rows = (await Promise.all((await idsOf(kernel, args.positionals)).map((id) => survey(kernel, id)))).filter(hasAny);
    if (!dryRun)
      for (const { feature_id } of rows.filter(({ kept }) => kept.length === 0))
        await kernel.features.clean({ actor: personOf(io), operationId: kernel.records.ids.next("clean") }, { feature_id });
    if (args.flag("json")) io.out(jsonLine({ ok: true, dry_run: dryRun, features: rows }));
    else if (rows.length === 0) io.out("No merged feature has a worktree or a branch.\n");
    else for (const row of rows) io.out(`${line(row, dryRun)}\n`);
    return EXIT.done;
  });

function onlyWithAnchors(option: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", `${option} needs --anchors.`, { suggested_next_actions: ["Run `slipway clean --help`."] });
}

async function idsOf({ records }: Kernel, named: readonly string[]): Promise<readonly string[]> {
  if (named.length > 0) return [...new Set(named)];
  return (await recordedFeatures(records).all()).filter(({ status }) => status === "merged").map(({ id }) => id);
}

async function survey({ features }: Kernel, feature_id: string): Promise<Row> {
  const { worktree, branch, reasons } = await features.cleanSurvey(feature_id);
  return { feature_id, worktree, branch: branch?.name ?? null, kept: reasons.map(({ message }) => message) };
}

function hasAny({ worktree, branch }: Row): boolean {
  return worktree !== null || branch !== null;
}

function line({ feature_id, worktree, branch, kept }: Row, dryRun: boolean): string {
  const what = [worktree === null ? null : `worktree ${worktree}`, branch === null ? null : `branch ${branch}`]
    .filter((part) => part !== null)
    .join(" and ");
  if (kept.length > 0) return `${feature_id}: kept ${what}: ${kept.map(oneLine).join("; ")}\n  next: slipway delete ${feature_id}`;
  return `${feature_id}: ${dryRun ? "would remove" : "removed"} ${what}`;
}
