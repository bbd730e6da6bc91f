import { resolve } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { isBelow, type SandboxPlan } from "./arguments.ts";
import type { SpawnError } from "../launcher/protocol.ts";
import type { Limits, ProcessOutcome, SandboxRequest } from "./contract.ts";
import { kindAt, outOfBounds, realPathOrNull, resolveBelow, resolveWithoutLinks } from "./paths.ts";

/** As a worktree, one of these would be writable or hide the sandbox's own mounts. */
const NEVER_A_WORKTREE = new Set(["/", "/bin", "/dev", "/etc", "/home", "/lib", "/proc", "/root", "/run", "/sys", "/tmp", "/usr", "/var"]);

export type PlannedRequest = Omit<SandboxPlan, "git" | "shared" | "outputs" | "layer" | "gateway" | "veil">;

export function planRequest(request: SandboxRequest, limits: Limits): PlannedRequest {
  const worktree = realWorktree(request.worktree);
  if (request.command[0] === undefined || request.command[0] === "") {
    throw new SlipwayError("schema_validation_failed", "A command needs at least the name of a program.", { field: "command" });
  }
  return {
    worktree,
    cwd: existingFolder(resolveBelow(worktree, request.cwd ?? ".", "cwd")),
    command: request.command,
    env: request.env ?? {},
    network: request.network ?? false,
    readOnly: [...new Set((request.readOnly ?? []).flatMap(readOnlyPlaces))],
    folders: (request.folders ?? []).map(({ path, writable }) => ({ path: ownFolder(worktree, path), writable })),
    home: request.home === undefined ? null : homeFolder(request.home, worktree),
    limits,
  };
}

export function neverStarted(spawnError: SpawnError): ProcessOutcome {
  return { exitCode: null, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 0, spawnError };
}

export function realWorktree(path: string): string {
  const real = realPathOrNull(path);
  if (real === null || kindAt(real) !== "folder") {
    throw new SlipwayError("input_path_not_found", `The worktree ${path} does not exist or is not a folder.`, {
      field: "worktree",
      suggested_next_actions: ["Run `slipway resume`, which rebuilds the worktree from its last anchor."],
    });
  }
  if (NEVER_A_WORKTREE.has(real)) {
    throw new SlipwayError("path_out_of_bounds", `${real} is a system folder and cannot be a worktree.`, { field: "worktree" });
  }
  return real;
}

/** Refuses a link, which would make its target visible or writable. */
function ownFolder(worktree: string, path: string): string {
  if (path === ".") return worktree;
  const folder = resolveWithoutLinks(worktree, path, "folders");
  if (kindAt(folder) !== "folder") throw outOfBounds(worktree, path, "folders");
  return folder;
}

function homeFolder(path: string, worktree: string): string {
  const real = realPathOrNull(path);
  if (real === null || kindAt(real) !== "folder") {
    throw new SlipwayError("input_path_not_found", `The home folder ${path} does not exist or is not a folder.`, { field: "home" });
  }
  if (NEVER_A_WORKTREE.has(real) || isBelow(real, worktree)) {
    throw new SlipwayError(
      "path_out_of_bounds",
      `${real} cannot be the home of a command: it contains more than the command's own files.`,
      {
        field: "home",
      },
    );
  }
  return real;
}

function existingFolder(cwd: string): string {
  if (kindAt(cwd) === "folder") return cwd;
  throw new SlipwayError("input_path_not_found", `The folder ${cwd} does not exist.`, { field: "cwd" });
}

/** The given path and its real path: both may be on a PATH, or in a link inside the toolchain. */
function readOnlyPlaces(path: string): string[] {
  const real = realPathOrNull(path);
  if (real !== null && real !== "/") return [resolve(path), real];
  throw new SlipwayError(
    "input_path_not_found",
    `The read-only path ${path} ${real === null ? "does not exist" : "would show the whole host"}.`,
    {
      field: "readOnly",
      suggested_next_actions: [
        "Name the folder of the toolchain itself, or remove the entry from sandbox.read_only in slipway/policy.yaml.",
      ],
    },
  );
}
