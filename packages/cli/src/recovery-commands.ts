import { agentOptions, skipBaseGates, unsandboxed } from "@slipway/protocols/surface/run-options";
import type { CommandSpec } from "@slipway/protocols/surface/command";

/** Commands that continue, end, restore or remove runs and features. */
export const RECOVERY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "resume",
    summary: "continue a run that was stopped, killed or answered",
    example: "slipway resume",
    positionals: [{ name: "run", describe: "run id (default: the latest that can be resumed)", required: false }],
    options: {
      ...agentOptions,
      "allow-unsandboxed": unsandboxed,
      "accept-version": { type: "boolean", describe: "continue although the protocol's code changed since the run started" },
      "after-crashes": { type: "boolean", describe: "continue although the run has repeatedly killed its process" },
    },
    load: () => import("./commands/resume.ts"),
  },
  {
    name: "retry",
    summary: "continue features that failed, reusing the results that still hold; without a name, list them",
    example: "slipway retry search --from gates",
    positionals: [{ name: "feature", describe: "feature id, or a run for all its failed features", required: false, many: true }],
    options: {
      from: {
        type: "string",
        hint: "PHASE",
        describe: "plan, build, gates or land (default: the earliest phase whose result does not hold)",
      },
      comment: { type: "string", hint: "TEXT", describe: "guidance for the planner (--from plan) or the builder (--from build)" },
      ...agentOptions,
      "allow-unsandboxed": unsandboxed,
      "skip-base-gates": skipBaseGates,
    },
    load: () => import("./commands/retry.ts"),
  },
  {
    name: "stop",
    summary: "stop a live run safely; `slipway resume` continues it",
    example: "slipway stop",
    positionals: [{ name: "run", describe: "run id, or a feature of the run (default: the live one)", required: false }],
    options: {
      cancel: { type: "boolean", describe: "end the run for good: shows which features that ends, and asks" },
      yes: { type: "boolean", short: "y", describe: "with --cancel: end it without asking" },
    },
    load: () => import("./commands/stop.ts"),
  },
  {
    name: "delete",
    summary: "remove a feature: worktree, branch, locks and files; shows first what would be removed",
    example: "slipway delete search --yes",
    positionals: [{ name: "feature", describe: "feature id", required: true }],
    options: {
      "dry-run": { type: "boolean", describe: "only show what would be removed and the reasons against it (as without options)" },
      yes: { type: "boolean", short: "y", describe: "delete it, if there is no reason against it" },
      force: { type: "boolean", describe: "delete it despite reasons against it; its bytes stay reachable under refs/slipway" },
    },
    load: () => import("./commands/delete.ts"),
  },
  {
    name: "adopt",
    summary: "make your edits and commits in a feature's worktree part of its change",
    example: "slipway adopt search",
    positionals: [{ name: "feature", describe: "feature id (may be left out when there is only one)", required: false }],
    options: {},
    load: () => import("./commands/adopt.ts"),
  },
  {
    name: "set-aside",
    summary: "move your edits and commits in a feature's worktree to a branch, and continue without them",
    example: "slipway set-aside search",
    positionals: [{ name: "feature", describe: "feature id (may be left out when there is only one)", required: false }],
    options: {},
    load: () => import("./commands/set-aside.ts"),
  },
  {
    name: "restore",
    summary: "make a branch from any anchor, also of deleted features; changes no checkout",
    example: "slipway restore search",
    positionals: [
      { name: "what", describe: "feature id, an anchor (a ref below refs/slipway, or part of it), or a commit", required: true },
    ],
    options: {
      list: { type: "boolean", describe: "only list the anchors, newest first" },
      branch: { type: "string", hint: "NAME", describe: "the new branch (default: restored/FEATURE-N)" },
    },
    load: () => import("./commands/restore.ts"),
  },
  {
    name: "clean",
    summary: "remove worktrees and branches of merged features that contain exactly the merged change; or old anchors",
    example: "slipway clean --dry-run",
    positionals: [{ name: "feature", describe: "feature id (default: every merged one)", required: false, many: true }],
    options: {
      "dry-run": { type: "boolean", describe: "only show what would be removed, and what is kept and why" },
      anchors: { type: "boolean", describe: "list old anchors of deleted features and of leftovers, instead of worktrees" },
      "older-than": { type: "string", hint: "DAYS", describe: "anchors: those older than this (default 30)" },
      most: { type: "string", hint: "MIB", describe: "anchors: also the oldest beyond this size in total (default 1024)" },
      yes: { type: "boolean", describe: "anchors: drop those listed" },
    },
    load: () => import("./commands/clean.ts"),
  },
];
