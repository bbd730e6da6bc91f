import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, read as readCallback } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { promisify } from "node:util";
import { SlipwayError } from "../../../schema/errors.ts";
import picomatch from "picomatch";
import { inFolderOf } from "../../../host/files/beneath.ts";
import { hasCode } from "../../../host/files/file-system.ts";
import { removeBeneath } from "../../../host/files/remove-tree.ts";
import { outOfBounds, resolveWithoutLinks } from "../../../host/sandbox/paths.ts";
import { GATES_FILE } from "../../../config/gates.ts";

export const LARGEST_REPORT_BYTES = 64 * 1024 ** 2;
const MOST_REPORTS = 5_000;
const CHUNK_BYTES = 64 * 1024;
// Without O_NONBLOCK, opening a pipe for reading would block forever.
const REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const EMPTY = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;

const read = promisify(readCallback);

export interface ReportPath {
  readonly path: string;
  /** Its field in gates.yaml. */
  readonly field: string;
}

/** Removes existing reports, so that only those written by a step count. */
export function clearReports(worktree: string, paths: readonly ReportPath[]): void {
  for (const path of paths.flatMap((report) => findReports(worktree, report))) removeBeneath(worktree, path);
}

/** Hides existing reports of the worktree behind empty files of a layer. The worktree itself stays unchanged. */
export function hideReports(worktree: string, layer: string, paths: readonly ReportPath[]): void {
  for (const path of paths.flatMap((report) => findReports(worktree, report)))
    inFolderOf(layer, path, (file) => closeSync(openSync(file, EMPTY, 0o644)), { make: true });
}

/** Creates the folder of a report. */
export function prepareReportFolder(root: string, { path, field }: ReportPath): void {
  const folder = dirname(pathBelow(root, path, field));
  if (folder === ".") return;
  inFolderOf(root, `${folder}/.`, () => undefined, { make: true });
}

/**
 * Files that match a report path, relative to the root: one, or all that match the `*` in its file name. Folders never match, nor do
 * character devices: an overlay marks a deleted file with one.
 */
export function findReports(root: string, { path, field }: ReportPath): string[] {
  const target = pathBelow(root, path, field);
  const pattern = basename(target);
  if (dirname(path).includes("*"))
    throw new SlipwayError("config_invalid", `${GATES_FILE}: ${field} "${path}" may contain a * only in the file name.`, {
      file: GATES_FILE,
      field,
    });
  const matches = pattern.includes("*") ? picomatch(pattern) : (name: string) => name === pattern;
  const names = namesBeside(root, target)
    .filter((entry) => !entry.isDirectory() && !entry.isCharacterDevice() && matches(entry.name))
    .map((entry) => entry.name);
  if (names.length > MOST_REPORTS)
    throw new SlipwayError(
      "config_invalid",
      `${GATES_FILE}: ${field} "${path}" matches ${names.length} files; at most ${MOST_REPORTS} are read.`,
      { file: GATES_FILE, field },
    );
  const folder = dirname(target);
  return names.toSorted().map((name) => (folder === "." ? name : `${folder}/${name}`));
}

/** Reports with content. An empty file hides a report of the worktree, or was never written. */
export function writtenReports(root: string, report: ReportPath): string[] {
  return findReports(root, report).filter((path) => {
    const stats = inFolderOf(root, path, (file) => lstatSync(file));
    return !stats.isFile() || stats.size > 0;
  });
}

/** Reads a regular file of bounded size in chunks. Links, pipes and devices are refused. */
export async function* readReport(root: string, path: string, field: string): AsyncGenerator<string> {
  const descriptor = openReport(root, path, field);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw malformedReport(path, "it is not a regular file");
    if (stats.size > LARGEST_REPORT_BYTES)
      throw malformedReport(path, `it has ${stats.size} bytes; the maximum is ${LARGEST_REPORT_BYTES}`);
    const decoder = new TextDecoder("utf-8");
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await read(descriptor, buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    }
    yield decoder.decode();
  } finally {
    closeSync(descriptor);
  }
}

function openReport(root: string, path: string, field: string): number {
  try {
    return inFolderOf(root, path, (file) => openSync(file, REGULAR));
  } catch (error) {
    const isLink = error instanceof SlipwayError && error.code === "path_out_of_bounds";
    throw isLink ? outOfBounds(root, path, field) : error;
  }
}

/** Relative to the root, without following links. */
function pathBelow(root: string, path: string, field: string): string {
  return relative(root, resolveWithoutLinks(root, path, field));
}

function namesBeside(root: string, path: string) {
  try {
    const folder = dirname(path);
    return inFolderOf(root, folder === "." ? "." : `${folder}/.`, (directory) => readdirSync(directory, { withFileTypes: true }));
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return [];
    throw error;
  }
}

/** Not thrown out of a gate: it becomes the gate's failure. */
export function malformedReport(path: string, reason: string): SlipwayError {
  return new SlipwayError("gate_failed", `The report ${path} cannot be read: ${reason}.`, {
    file: path,
    reason: "malformed_report",
    suggested_next_actions: ["Run the step by hand and inspect its report; check `type` and `path` in slipway/gates.yaml."],
  });
}
