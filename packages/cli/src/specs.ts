import { SlipwayError } from "@slipway/durable/errors";
import { findLayout } from "@slipway/kernel/glance/glance";
import { findSpecs, readSpecs, type Spec } from "@slipway/kernel/specs/read";
import { existsSync } from "node:fs";
import type { Arguments } from "./command.ts";
import type { Io } from "./io.ts";

/** Which specifications a `run` means; every mistake is found before anything is written. */
export async function specsFor(args: Arguments, io: Io): Promise<Spec[]> {
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
  if (args.positionals.length > 0) return readSpecs(io.cwd, args.positionals);
  return readSpecs(io.cwd, await discovered(io.cwd));
}

/** Without arguments: what is already under .slipway/features. */
async function discovered(cwd: string): Promise<string[]> {
  const folder = findLayout(cwd).features;
  const found = existsSync(folder) ? (await findSpecs(cwd, folder)).filter((path) => path.endsWith("/spec.md")) : [];
  if (found.length > 0) return found;
  throw new SlipwayError("no_specs_found", "No specification was named, and none is under .slipway/features.", {
    suggested_next_actions: ["Name one: `slipway run my_feature.spec.md`."],
  });
}
