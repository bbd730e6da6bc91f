import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";
import type { RunArtifacts } from "../run-artifacts.ts";
import { shortName } from "../steps.ts";
import { withRun } from "./with-run.ts";

/** What Mass Defect did, and what it left. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async ({ info, state, artifacts: { accepted, reverted, smells, unmet } }) => {
    if (args.flag("json")) io.out(jsonLine({ run: info.runId, accepted, reverted, smells, unmet }));
    else if (state.type !== "completed" && accepted.length + reverted.length + smells.length + unmet.length === 0)
      io.out("Mass Defect has not ended yet.\n");
    else io.out(`${lines({ accepted, reverted, smells, unmet }, io.color).join("\n")}\n`);
    return EXIT.done;
  });

function lines(
  { accepted, reverted, smells, unmet }: Pick<RunArtifacts, "accepted" | "reverted" | "smells" | "unmet">,
  color: boolean,
): string[] {
  const { green, red } = paint(color);
  return [
    `transformations: ${accepted.length} accepted, ${reverted.length} reverted; smells left: ${smells.length}; targets not met: ${unmet.length}`,
    ...accepted.map(({ function: id, pattern, smell }) => `  ${green("accepted")} ${pattern} on ${shortName(id)} (${smell})`),
    ...reverted.map(
      ({ function: id, pattern, smell, reason }) =>
        `  ${red("reverted")} ${pattern} on ${shortName(id)} (${smell}): ${oneLine(reason ?? "")}`,
    ),
    ...smells.map((smell) => `  left: ${smellText(smell)}`),
    ...unmet.map((target) => `  not met: ${oneLine(target)}`),
  ];
}

/** A smell that is left is recorded as `FUNCTION: SMELL`. */
function smellText(smell: string): string {
  const [id = "", ...rest] = smell.split(": ");
  return `${rest.join(": ")} in ${shortName(id)}`;
}
