import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { assertDistinct, featureIdOf } from "./feature-id.ts";

export interface Spec {
  readonly id: string;
  /** The path as given by the user. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const MAX_SPEC_BYTES = 1024 * 1024;

/** Reads all named specifications, or fails before a run starts. */
export async function readSpecs(cwd: string, paths: readonly string[]): Promise<Spec[]> {
  const named = paths.map((path) => ({ path, id: "" }));
  for (const entry of named) {
    await assertFile(cwd, entry.path);
    entry.id = featureIdOf(resolve(cwd, entry.path));
  }
  assertDistinct(named);
  return Promise.all(named.map(async ({ id, path }) => ({ id, path, bytes: await readSpec(cwd, path) })));
}

/** Every *.md file below a folder, in the same order on every platform. */
export async function findSpecs(cwd: string, folder: string): Promise<string[]> {
  const root = resolve(cwd, folder);
  const information = await stat(root).catch(() => null);
  if (information === null || !information.isDirectory()) throw notFound(folder, "folder");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const specs = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(cwd, join(entry.parentPath, entry.name)).split(sep).join("/"));
  if (specs.length === 0) {
    throw new SlipwayError("no_specs_found", `There is no *.md file below ${folder}.`, {
      suggested_next_actions: ["Pass a folder that contains specifications, or one file."],
    });
  }
  return specs.toSorted((left, right) => (left < right ? -1 : 1));
}

async function assertFile(cwd: string, path: string): Promise<void> {
  const information = await stat(resolve(cwd, path)).catch(() => null);
  if (information === null) throw notFound(path, "file");
  if (!information.isFile()) throw unreadable(path, "it is not a file", "Pass a Markdown file; for a folder use `slipway run -fl FOLDER`.");
  if (information.size > MAX_SPEC_BYTES) {
    throw unreadable(
      path,
      `it has ${information.size} bytes; the maximum is ${MAX_SPEC_BYTES}`,
      "Split it, or remove data from the specification.",
    );
  }
}

export async function readSpec(cwd: string, path: string): Promise<Uint8Array> {
  await assertFile(cwd, path);
  const bytes = await readFile(resolve(cwd, path)).catch((error: unknown) => {
    throw unreadable(path, error instanceof Error ? error.message : String(error), "Check that your user may read the file.");
  });
  if (!isUtf8Text(bytes)) throw unreadable(path, "it is not UTF-8 text", "Save it as UTF-8.");
  if (bytes.toString("utf8").trim() === "") throw unreadable(path, "it is empty", "Describe the feature, then run again.");
  return bytes;
}

function isUtf8Text(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}

function notFound(path: string, what: string): SlipwayError {
  return new SlipwayError("input_path_not_found", `There is no ${what} ${path}.`, {
    file: path,
    suggested_next_actions: ["Check the path; it is relative to the current folder."],
  });
}

function unreadable(path: string, why: string, next: string): SlipwayError {
  return new SlipwayError("spec_ingest_failed", `${path} cannot be used as a specification: ${why}.`, {
    file: path,
    suggested_next_actions: [next],
  });
}
