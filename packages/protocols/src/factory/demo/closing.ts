import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import type { FinishedDemo } from "../../demo/demo.ts";
import { lastLines } from "../../demo/last-lines.ts";
import { oneLine } from "../../narration/one-line.ts";
import { paint } from "../../surface/paint.ts";
import type { Action } from "../incremental/plan.ts";
import { factInWords } from "./story.ts";
import type { BuildSummary, FactorySummary } from "./summary.ts";

const TRY_NEXT = {
  "slipway factory status": "how far every pillar is",
  "slipway factory tasks": "every task, with its modules",
  'slipway factory index search "write a time of day"': "",
  "slipway journal verify": "that nothing was changed afterwards",
};

/** The result, the story of the run, and what to try next. */
export function closingLines({ again, commands, ...first }: FactorySummary, finished: FinishedDemo): string[] {
  const { bold } = paint(finished.color);
  const { modules, release, journal } = again ?? first;
  const { story } = first;
  const width = Math.max(0, ...modules.map(({ module_ref }) => module_ref.length));
  const merge = release?.status === "released" ? release.merge : null;
  const intro = "The code is yours to run, with Node 24 and nothing else, and to compile:";
  const before = commands.length === 0 ? [] : [intro, ...commands.map((command) => `  ${command}`), ""];
  return [
    "",
    bold(release === null ? "Nothing was released" : `${release.release_id} has ${modules.length} modules`),
    ...modules.map(({ module_ref, tests }) => `  ${module_ref.padEnd(width)}  ${tests} tests passed when it was sealed`),
    ...(merge === null
      ? []
      : [`  merged into ${merge.base_branch} as ${merge.commit.slice(0, 10)}, in ${merge.folder}/, approved by ${merge.approved_by}`]),
    ...(story.length === 0 ? [] : ["", bold("What happened on the way")]),
    ...story.map((fact) => `  ${oneLine(factInWords(fact))}`),
    ...(again?.tasks == null ? [] : ["", bold("After the edit"), ...fateLines(again.tasks)]),
    "",
    ...lastLines({ journal, before, tryNext: TRY_NEXT, begin: "slipway factory SPEC.md" }, finished),
  ];
}

const FATES: Readonly<Record<Action, string>> = {
  rebuild: "built again",
  build: "built",
  recheck: "kept, after their tests passed with the new versions",
  keep: "kept as they were, without asking any agent",
  abandoned: "still abandoned",
};

function fateLines(tasks: NonNullable<FactorySummary["tasks"]>): string[] {
  return (Object.keys(FATES) as Action[]).flatMap((action) => {
    const named = tasks[action] ?? [];
    return named.length === 0 ? [] : [`  ${FATES[action]}: ${named.join(", ")}`];
  });
}

/** Commands to copy. They use the compiler that Slipway brings. */
export function runCommands(repository: string, { release }: Pick<BuildSummary, "release">, finished: Pick<FinishedDemo, "env">): string[] {
  if (release?.status !== "released") return [];
  const folder = join(repository, release.merge.folder);
  const require = createRequire(import.meta.resolve("@slipway/languages/language"));
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const types = dirname(dirname(require.resolve("@types/node/package.json")));
  const node = nodeOf(finished);
  return [`cd ${folder} && ${node} --test`, `${node} ${compiler} --project ${folder} --typeRoots ${types}`];
}

/** The path of this Node, if the first `node` on the PATH is another one, which may be too old. */
function nodeOf({ env }: Pick<FinishedDemo, "env">): string {
  const found = (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const first = found.find((path) => existsSync(path));
  return first !== undefined && realpathSync(first) === realpathSync(process.execPath) ? "node" : process.execPath;
}
