import type { OldAnchor } from "@slipway/kernel/change/work/old-anchors";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Arguments } from "@slipway/protocols/surface/command";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { personOf } from "@slipway/protocols/surface/caller";
import { jsonLine } from "@slipway/protocols/surface/escape";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { SlipwayError } from "./errors.ts";

const DAY_MS = 86_400_000;
const MiB = 1024 ** 2;

/** Shows which anchors are too old or too large; drops them only with --yes. */
export async function cleanAnchors({ features, records }: Kernel, args: Arguments, io: Io): Promise<ExitCode> {
  if (args.positionals.length > 0) throw refused("--anchors takes no feature.");
  if (args.flag("dry-run") && args.flag("yes")) throw refused("--dry-run and --yes contradict each other.");
  const now = records.clock.now();
  const madeBefore = now - wholeNumber(args, "older-than", 30) * DAY_MS;
  const all = await features.oldAnchors({ madeBefore, mostBytes: wholeNumber(args, "most", 1024) * MiB });
  const beyond = all.filter((anchor) => anchor.beyond);
  const drops = args.flag("yes") && beyond.length > 0;
  const call = { actor: personOf(io), operationId: records.ids.next("clean") };
  const anchors = beyond.map(({ ref, commit }) => ({ ref, commit }));
  const dropped = drops ? (await features.dropAnchors(call, { anchors })).anchors.map(({ ref }) => ref) : [];
  if (args.flag("json"))
    io.out(jsonLine({ ok: true, dry_run: !args.flag("yes"), anchors: beyond, dropped, kept: all.length - beyond.length }));
  else io.out(`${textOf(beyond, new Set(dropped), { drops, kept: all.length - beyond.length, now }).join("\n")}\n`);
  return EXIT.done;
}

interface Facts {
  readonly drops: boolean;
  readonly kept: number;
  readonly now: number;
}

function textOf(beyond: readonly OldAnchor[], dropped: ReadonlySet<string>, { drops, kept, now }: Facts): string[] {
  const others = kept === 0 ? "" : ` ${kept} of deleted features and of leftovers ${kept === 1 ? "is" : "are"} kept.`;
  if (beyond.length === 0) return [`No anchor is too old or too large.${others}`];
  const done = (ref: string) => (drops ? (dropped.has(ref) ? "dropped" : "kept") : "would drop");
  return [
    ...beyond.map((anchor) => `${done(anchor.ref)} ${describe(anchor, now)}\n  ${oneLine(anchor.ref)}`),
    drops
      ? `git frees their bytes with its next collection.${others}`
      : `Nothing was changed.${others}\n  next: slipway restore REF makes a branch of what you want to keep\n  next: the same command with --yes drops them`,
  ];
}

function describe({ feature, of, merged, at, bytes }: OldAnchor, now: number): string {
  const days = Math.floor((now - at) / DAY_MS);
  const what = of === "leftovers" ? "what a gate left in its worktree" : `deleted feature${merged ? "" : ", not merged"}`;
  return `${feature}: ${what}, ${days} ${days === 1 ? "day" : "days"} ago, ${(bytes / MiB).toFixed(1)} MiB`;
}

function wholeNumber(args: Arguments, option: string, otherwise: number): number {
  const text = args.text(option) ?? String(otherwise);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(`--${option} takes a whole number, not '${text}'.`);
}

function refused(message: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", message, { suggested_next_actions: ["Run `slipway clean --help`."] });
}
