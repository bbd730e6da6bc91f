import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { moduleRef } from "../code-index/entry.ts";
import { deprecate, type Deprecation } from "../deprecation/deprecate.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory } from "./with-factory.ts";
import { personOf } from "../../surface/caller.ts";
import { oneLine } from "../../narration/one-line.ts";
import { unknown } from "./module.ts";

/** Deprecates a version. It stays available to modules that were built with it. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async ({ codeIndex, records }) => {
    const [module_ref = ""] = args.positionals;
    const replacement = args.text("replacement") ?? null;
    for (const ref of [module_ref, ...(replacement === null ? [] : [replacement])]) {
      if (!moduleRef.safeParse(ref).success || (await codeIndex.find(ref)) === null) throw unknown(ref);
    }
    const given = { module_ref, reason: needed(args, "reason"), migration_note: migrationNote(args, replacement), replacement };
    const call = { actor: personOf(io), operationId: records.ids.next("deprecate") };
    const done = await deprecate(codeIndex, call, given, new Date(records.clock.now()).toISOString());
    if (args.flag("json")) io.out(jsonLine({ ok: true, ...done }));
    else io.out(`${lines(module_ref, done).join("\n")}\n`);
    return EXIT.done;
  });

function needed(args: Arguments, option: string): string {
  const text = args.text(option)?.trim() ?? "";
  if (text !== "") return text;
  throw new SlipwayError("invalid_cli_args", `slipway factory deprecate needs --${option} with a text.`, {
    suggested_next_actions: [`Pass --${option} "…"`],
  });
}

/** A note is required; with a replacement, naming it is enough. */
function migrationNote(args: Arguments, replacement: string | null): string {
  if (args.text("migration") !== undefined) return needed(args, "migration");
  return replacement === null ? "There is no replacement." : `Use ${replacement}.`;
}

function lines(ref: string, { entry, dependents }: Deprecation): string[] {
  return [
    `${ref} is DEPRECATED${entry.superseded_by === null ? "" : `; use ${entry.superseded_by}`}.`,
    ...entry.notes
      .split("\n")
      .slice(-2)
      .map((note) => `  ${oneLine(note)}`),
    dependents.length === 0 ? "Nothing depends on it." : "These depend on it, and a release with them fails its deprecation_check:",
    ...dependents.map((dependent) => `  ${dependent}`),
  ];
}
