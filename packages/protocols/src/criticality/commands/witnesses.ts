import type { WitnessLevel } from "@slipway/languages/witnesses/definition";
import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withRun } from "./with-run.ts";

/** How each level keeps an invariant. */
const ENFORCED: Readonly<Record<WitnessLevel, string>> = {
  proof: "the type checker",
  distinction: "a distinct type and its constructor",
  runtime: "a check at run time",
  doc: "documentation only",
};

/** Types that stand for invariants of their values. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async ({ info, artifacts: { witnesses } }) => {
    if (args.flag("json")) io.out(jsonLine({ run: info.runId, witnesses }));
    else if (witnesses.length === 0) io.out("There are no witnesses yet: Lattice generates them.\n");
    for (const { name, description, level, invariants } of args.flag("json") ? [] : witnesses) {
      io.out(`${name} (${level}): ${oneLine(description)}\n`);
      for (const invariant of invariants) io.out(`  ${invariant.id}: enforced by ${ENFORCED[invariant.level]}\n`);
    }
    return EXIT.done;
  });
