import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import { featureIdOf } from "@slipway/kernel/change/plan/specs/feature-id";
import { readSpec, type Spec } from "@slipway/kernel/change/plan/specs/read";
import type { ProtocolEntry, RunRequest } from "../protocol.ts";
import type { Arguments } from "./command.ts";
import type { Io } from "./io.ts";
import { namedSpecs } from "./named-specs.ts";

/** The request that the arguments make to a protocol. */
export async function requestFrom(entry: ProtocolEntry, args: Arguments, io: Io): Promise<RunRequest> {
  const { cwd, env } = io;
  switch (entry.takes) {
    case "specifications":
      return { specs: await namedSpecs(args, io), text: null, cwd, env };
    case "a page":
      return { specs: [await readPage(cwd, onePage(entry, args))], text: null, cwd, env };
    case "a request":
    case "an interview":
      return {
        specs: [],
        text: await givenText(entry, args, cwd),
        options: ownOptions(entry, args),
        flags: ownFlags(entry, args),
        cwd,
        env,
      };
  }
}

function ownOptions({ options = {} }: ProtocolEntry, args: Arguments): Record<string, string> {
  const given = Object.keys(options).map((name) => [name, args.text(name)] as const);
  return Object.fromEntries(given.filter((option): option is readonly [string, string] => option[1] !== undefined));
}

function ownFlags({ flags = {} }: ProtocolEntry, args: Arguments): Record<string, boolean> {
  return Object.fromEntries(Object.keys(flags).map((name) => [name, args.flag(name)]));
}

function onePage(entry: ProtocolEntry, args: Arguments): string {
  const named = [...args.positionals, ...fileOption(args)];
  const [page] = named;
  if (named.length === 1 && page !== undefined && args.text("fl") === undefined) return page;
  throw invalid(entry, `\`slipway ${entry.name}\` takes one page, and ${named.length} were named.`);
}

/** The lower-cased file name becomes the run's name, because such a page is often called SPEC.md. */
export async function readPage(cwd: string, path: string): Promise<Spec> {
  const bytes = await readSpec(cwd, path);
  return { id: featureIdOf(basename(path).toLowerCase()), path, bytes };
}

async function givenText(entry: ProtocolEntry, args: Arguments, cwd: string): Promise<string | null> {
  const [file, ...more] = fileOption(args);
  if (more.length > 0 || args.text("fl") !== undefined || (file !== undefined && args.positionals.length > 0))
    throw invalid(entry, "Give the request in one way only: as words, or with -fi FILE.");
  const named = file ?? (await requestFile(entry, args, cwd));
  const text = named === null ? args.positionals.join(" ") : Buffer.from(await readSpec(cwd, named)).toString();
  if (text.trim() !== "") return text.trim();
  if (entry.takes === "an interview") return null;
  throw invalid(entry, "The request is empty.");
}

/** `slipway forge request.md`: one argument that names a Markdown file is read. */
async function requestFile({ takes }: ProtocolEntry, { positionals }: Arguments, cwd: string): Promise<string | null> {
  const [path] = positionals;
  if (takes !== "a request" || positionals.length !== 1 || path === undefined || !/\.(?:md|markdown|txt)$/i.test(path)) return null;
  const information = await stat(resolve(cwd, path)).catch(() => null);
  return information?.isFile() === true ? path : null;
}

function fileOption(args: Arguments): string[] {
  const file = args.text("fi");
  return file === undefined ? [] : [file];
}

function invalid({ example }: ProtocolEntry, message: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", message, { suggested_next_actions: [`For example: \`${example}\`.`] });
}
