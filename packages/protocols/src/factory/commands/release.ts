import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { releaseKind, RELEASE_GATES, type Release, type ReleaseLanding } from "../release/schema.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory } from "./with-factory.ts";
import { oneLine } from "../../narration/one-line.ts";
import { startRelease } from "./start-release.ts";

/** Shows a manifest (the last one by default), or releases the named modules. */
export const run: RunCommand = (args, io) => {
  const [first, ...others] = args.positionals;
  if (first?.startsWith("MM-") === true || others.length > 0) return startRelease(args, io, args.positionals);
  return withFactory(io, async ({ documents }) => {
    const all = await documents.list(releaseKind);
    const release = first === undefined ? all.at(-1) : all.find(({ release_id }) => release_id === first);
    if (first !== undefined && release === undefined) throw unknown(first);
    if (args.flag("json")) io.out(jsonLine(release ?? null));
    else io.out(release === undefined ? NONE : `${lines(release).join("\n")}\n`);
    return EXIT.done;
  });
};

const NONE =
  "No release yet: a project is released when every task is shipped or abandoned. `slipway factory release MM-…@x.y.z …` releases modules earlier.\n";

function lines({
  release_id,
  created_at,
  spec_version,
  overall_result,
  integration_gates,
  modules,
  failures,
  notes,
  landing,
}: Release): string[] {
  return [
    `${release_id} of ${created_at}, spec ${spec_version}: ${overall_result}`,
    ...RELEASE_GATES.map((gate) => `  ${gate} ${integration_gates[gate]}`),
    ...modules.map(({ module_ref }) => `  ${module_ref}`),
    ...failures.flatMap(({ gate, culprits, explanation }) => [
      `${gate} failed: ${oneLine(explanation)}`,
      ...culprits.map(({ module_ref, problem }) => `  ${module_ref}: ${oneLine(problem)}`),
    ]),
    ...(failures.length > 0 || notes === "" ? [] : [oneLine(notes)]),
    ...(overall_result === "FAIL" ? ["Nothing was merged."] : [landingLine(release_id, landing)]),
  ];
}

function landingLine(id: string, landing: ReleaseLanding | undefined): string {
  if (landing === undefined) return `Not merged yet: \`slipway status\` shows where ${id.toLowerCase()} is.`;
  if (landing.status === "merged") {
    const { base_branch, commit, folder, approved_by } = landing;
    return `Merged into ${base_branch} as ${commit.slice(0, 10)}, in ${folder}/; approved by ${oneLine(approved_by)}.`;
  }
  return `Not merged: ${oneLine(landing.reason)}. Its branch ${landing.branch} is kept.`;
}

function unknown(named: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", `${JSON.stringify(named.slice(0, 120))} is neither a release nor a module.`, {
    suggested_next_actions: ["Name a release (REL-…), or the modules to release, as MM-…@x.y.z."],
  });
}
