import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";
import type { RunArtifacts } from "../run-artifacts.ts";
import { shortName } from "../steps.ts";
import { withRun } from "./with-run.ts";

/** Claims of the specification, and the functions whose contracts name them. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async ({ info, artifacts }) => {
    const claims = artifacts.claims.map((claim) => ({ ...claim, functions: functionsOf(artifacts, claim.id) }));
    if (args.flag("json")) io.out(jsonLine({ run: info.runId, claims }));
    else if (claims.length === 0) io.out("There are no claims yet: the approved specification has them.\n");
    for (const claim of args.flag("json") ? [] : claims) io.out(`${claimLines(claim, io.color).join("\n")}\n`);
    return EXIT.done;
  });

type ClaimStatus = RunArtifacts["claims"][number]["status"];

const STYLE: Readonly<Record<ClaimStatus, "green" | "red" | "yellow" | "dim">> = {
  pass: "green",
  violated: "red",
  untested: "yellow",
  open: "dim",
};

function functionsOf({ functions }: RunArtifacts, claim: string): string[] {
  return functions.filter(({ claims }) => claims.includes(claim)).map(({ id }) => id);
}

function claimLines(claim: RunArtifacts["claims"][number] & { readonly functions: readonly string[] }, color: boolean): string[] {
  const { id, text, type, status, reason, functions } = claim;
  return [
    `${id}  ${paint(color)[STYLE[status]](status)}  ${type}: ${oneLine(text)}`,
    ...(reason === null ? [] : [`  ${status} because ${oneLine(reason)}`]),
    ...(functions.length === 0 ? [] : [`  functions: ${functions.map(shortName).join(", ")}`]),
  ];
}
