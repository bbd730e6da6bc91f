import { constants } from "node:fs";
import { mkdir, open, readFile, readdir, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import picomatch from "picomatch";
import { kindAt, outOfBounds, resolveWithoutLinks } from "../sandbox/paths.ts";
import { GATES_FILE } from "./schema.ts";

export const LARGEST_REPORT_BYTES = 64 * 1024 ** 2;
const LARGEST_KEPT_BYTES = 32 * 1024 ** 2;
const MOST_REPORTS = 5_000;
const CHUNK_BYTES = 64 * 1024;

/** Reports found before the run: taken away, so that only what this run wrote can count. */
export interface ClearedReports {
  /** Puts a file back that the run did not write anew, so that a gate changes nothing it need not. */
  restore(): Promise<void>;
}

export async function clearReports(worktree: string, paths: readonly ReportPath[]): Promise<ClearedReports> {
  const kept = new Map<string, { bytes: Buffer; mode: number }>();
  for (const report of paths) {
    for (const path of await findReports(worktree, report)) {
      const { size, mode } = await stat(path).catch(() => ({ size: Number.MAX_SAFE_INTEGER, mode: 0 }));
      if (kindAt(path) === "file" && size <= LARGEST_KEPT_BYTES) kept.set(path, { bytes: await readFile(path), mode });
      await unlink(path);
    }
  }
  return {
    async restore() {
      for (const [path, { bytes, mode }] of kept) {
        if (kindAt(path) !== "missing" || kindAt(dirname(path)) === "link") continue;
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, bytes, { mode, flag: "wx" });
      }
    },
  };
}

export interface ReportPath {
  readonly path: string;
  /** Its place in gates.yaml. */
  readonly field: string;
}

/** The files a report path names now: one, or all that match the `*` in its file name. Folders never match. */
export async function findReports(worktree: string, { path, field }: ReportPath): Promise<string[]> {
  const target = resolveWithoutLinks(worktree, path, field);
  const pattern = basename(target);
  if (dirname(path).includes("*")) {
    throw new SlipwayError("config_invalid", `${GATES_FILE}: ${field} "${path}" may hold a * in the file name only.`, {
      file: GATES_FILE,
      field,
    });
  }
  if (!pattern.includes("*")) return ["missing", "folder"].includes(kindAt(target)) ? [] : [target];
  const matches = picomatch(pattern);
  const entries = await readdir(dirname(target), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isDirectory() && matches(entry.name)).map((entry) => entry.name);
  if (names.length > MOST_REPORTS) {
    throw new SlipwayError(
      "config_invalid",
      `${GATES_FILE}: ${field} "${path}" matches ${names.length} files; at most ${MOST_REPORTS} are read.`,
      {
        file: GATES_FILE,
        field,
      },
    );
  }
  return names.toSorted().map((name) => join(dirname(target), name));
}

/** A regular file of bounded size, in pieces. A link, a pipe or a device is refused, not followed. */
export async function* readReport(worktree: string, path: string, field: string): AsyncGenerator<string> {
  if (kindAt(path) === "link") throw outOfBounds(worktree, path, field);
  // A pipe would block an open for reading for ever.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile()) throw malformedReport(path, "it is not a regular file");
  if (found.size > LARGEST_REPORT_BYTES)
    throw malformedReport(path, `it has ${found.size} bytes; at most ${LARGEST_REPORT_BYTES} are read`);
  const decoder = new TextDecoder("utf-8");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) break;
    yield decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
  }
  yield decoder.decode();
}

/** Not thrown out of a gate: it becomes the gate's failure. */
export function malformedReport(path: string, reason: string): SlipwayError {
  return new SlipwayError("gate_failed", `The report ${path} cannot be read: ${reason}.`, {
    file: path,
    reason: "malformed_report",
    suggested_next_actions: ["Run the step by hand and look at the report it writes; check `type` and `path` in slipway/gates.yaml."],
  });
}
