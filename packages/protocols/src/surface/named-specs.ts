import { stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import { findLayout, readBoard } from "@slipway/kernel/open-board";
import { discoverSpecs } from "@slipway/kernel/change/plan/specs/discover";
import { findSpecs, readSpecs, type Spec } from "@slipway/kernel/change/plan/specs/read";
import type { Arguments } from "./command.ts";
import type { Io } from "./io.ts";

/** The specifications that the arguments name. Reports every mistake before anything is written. */
export async function namedSpecs(args: Arguments, io: Io): Promise<Spec[]> {
  const file = args.text("fi");
  const folder = args.text("fl");
  const ways = [file, folder, args.positionals.length > 0 ? "" : undefined].filter((way) => way !== undefined);
  if (ways.length > 1) {
    throw new SlipwayError("invalid_cli_args", "Name the specifications in one way only: files, -fi FILE or -fl FOLDER.", {
      suggested_next_actions: ["Run `slipway run --help`."],
    });
  }
  if (folder !== undefined) return readSpecs(io.cwd, await findSpecs(io.cwd, folder));
  if (file !== undefined) return readSpecs(io.cwd, [file]);
  if (args.positionals.length > 0) return readSpecs(io.cwd, await withFolders(io.cwd, args.positionals));
  return readSpecs(io.cwd, await discovered(io.cwd));
}

/** Whether the arguments are files and folders, and not the words of a request. */
export async function namesSpecifications(args: Arguments, { cwd }: Pick<Io, "cwd">): Promise<boolean> {
  if (args.text("fl") !== undefined) return true;
  const found = await Promise.all(args.positionals.map((path) => isPath(cwd, path)));
  return found.length > 0 && found.every(Boolean);
}

async function isPath(cwd: string, path: string): Promise<boolean> {
  const information = await stat(resolve(cwd, path)).catch(() => null);
  return information !== null;
}

/** A folder stands for every specification below it. */
async function withFolders(cwd: string, paths: readonly string[]): Promise<string[]> {
  const files = paths.map(async (path) => {
    const information = await stat(resolve(cwd, path)).catch(() => null);
    return information?.isDirectory() === true ? findSpecs(cwd, path) : [path];
  });
  return (await Promise.all(files)).flat();
}

/** Without arguments: the specifications below .slipway/features that have not been started yet. */
async function discovered(cwd: string): Promise<string[]> {
  const layout = findLayout(cwd);
  const started = new Set((await readBoard(layout)).features.map(({ id }) => id));
  const found = await discoverSpecs(layout);
  const fresh = found.filter(({ feature_id }) => !started.has(feature_id));
  if (fresh.length > 0) return fresh.map(({ spec_path }) => relative(cwd, join(layout.root, spec_path)));
  throw new SlipwayError(
    "no_specs_found",
    found.length === 0
      ? "No specification was named, and none is under .slipway/features."
      : `No specification was named, and all ${found.length} under .slipway/features are started already.`,
    {
      suggested_next_actions: [
        "Name one: `slipway run my_feature.spec.md`.",
        ...(found.length === 0 ? [] : ["Or continue: `slipway resume`."]),
      ],
    },
  );
}
