import { closeSync, constants, fstatSync, openSync, readdirSync, read as readCallback } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { promisify } from "node:util";
import { SlipwayError } from "@slipway/durable/errors";
import picomatch from "picomatch";
import { inFolderOf } from "../../../host/files/beneath.ts";
import { hasCode } from "../../../host/files/file-system.ts";
import { removeBeneath } from "../../../host/files/remove-tree.ts";
import { outOfBounds, resolveWithoutLinks } from "../../../host/sandbox/paths.ts";
import { GATES_FILE } from "../../../config/gates.ts";

export const LARGEST_REPORT_BYTES = 64 * 1024 ** 2;
const MOST_REPORTS = 5_000;
const CHUNK_BYTES = 64 * 1024;
// A pipe would block an open for reading for ever.
const REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const read = promisify(readCallback);

export interface ReportPath {
  readonly path: string;
  /** Its place in gates.yaml. */
  readonly field: string;
}

/** Takes away what is there under the names of reports, so that only what a step writes can count. Whether anything was. */
export function clearReports(worktree: string, paths: readonly ReportPath[]): boolean {
  const found = paths.flatMap((report) => findReports(worktree, report));
  for (const path of found) removeBeneath(worktree, path);
  return found.length > 0;
}

/** Makes the folder a report goes to. */
export function prepareReportFolder(root: string, { path, field }: ReportPath): void {
  const folder = dirname(pathBelow(root, path, field));
  if (folder === ".") return;
  inFolderOf(root, `${folder}/.`, () => undefined, { make: true });
}

/** The files a report path names now, from the root: one, or all that match the `*` in its file name. Folders never match. */
export function findReports(root: string, { path, field }: ReportPath): string[] {
  const target = pathBelow(root, path, field);
  const pattern = basename(target);
  if (dirname(path).includes("*"))
    throw new SlipwayError("config_invalid", `${GATES_FILE}: ${field} "${path}" may hold a * in the file name only.`, {
      file: GATES_FILE,
      field,
    });
  const matches = pattern.includes("*") ? picomatch(pattern) : (name: string) => name === pattern;
  const names = namesBeside(root, target)
    .filter((entry) => !entry.isDirectory() && matches(entry.name))
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

/** A regular file of bounded size, in pieces. A link, a pipe or a device is refused, not followed. */
export async function* readReport(root: string, path: string, field: string): AsyncGenerator<string> {
  const descriptor = openReport(root, path, field);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw malformedReport(path, "it is not a regular file");
    if (found.size > LARGEST_REPORT_BYTES)
      throw malformedReport(path, `it has ${found.size} bytes; at most ${LARGEST_REPORT_BYTES} are read`);
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

/** From the root, and through no link. */
function pathBelow(root: string, path: string, field: string): string {
  return relative(root, resolveWithoutLinks(root, path, field));
}

function namesBeside(root: string, path: string) {
  try {
    const folder = dirname(path);
    return inFolderOf(root, folder === "." ? "." : `${folder}/.`, (place) => readdirSync(place, { withFileTypes: true }));
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
    suggested_next_actions: ["Run the step by hand and look at the report it writes; check `type` and `path` in slipway/gates.yaml."],
  });
}
