import { PROTOCOLS, TOOL_SERVERS } from "@slipway/protocols/protocols";
import { startCommand } from "@slipway/protocols/surface/start-command";
import { agentOptions, runOptions, unsandboxed } from "@slipway/protocols/surface/run-options";
import { AGENT_COMMANDS } from "./agent-commands.ts";
import { DEMO_COMMAND } from "./demo-command.ts";
import { CHECK_COMMANDS } from "./check-commands.ts";
import type { CommandSpec, OptionSpec } from "@slipway/protocols/surface/command";
import { RECOVERY_COMMANDS } from "./recovery-commands.ts";

const feature = { name: "feature", describe: "feature id (may be left out when there is only one)", required: false };
const features = { ...feature, many: true };

/** The command tree. Order is the order of `slipway --help`. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "write slipway/gates.yaml, policy.yaml and agents.yaml for this repository",
    example: "slipway init --yes",
    positionals: [],
    options: {
      yes: { type: "boolean", short: "y", describe: "take the defaults, ask nothing" },
      test: { type: "string", hint: "COMMAND", describe: "the test command, instead of the detected one" },
      force: { type: "boolean", describe: "replace existing files (the old ones are kept as *.bak)" },
    },
    load: () => import("./commands/init.ts"),
  },
  {
    name: "run",
    summary: "turn specifications into changes that are ready to merge",
    example: "slipway run specs/search.spec.md",
    positionals: [{ name: "spec", describe: "specification file (Markdown)", required: false, many: true }],
    options: {
      fi: { type: "string", hint: "FILE", describe: "one specification (written -fi FILE)" },
      fl: { type: "string", hint: "FOLDER", describe: "every *.md below a folder (written -fl FOLDER)" },
      protocol: {
        type: "string",
        hint: "NAME",
        describe: `${PROTOCOLS.map(({ name }) => name).join(" or ")} (default: features); \`slipway NAME\` is the same`,
      },
      ...runOptions,
    },
    load: () => import("./commands/run.ts"),
  },
  ...PROTOCOLS.map(startCommand),
  {
    name: "status",
    summary: "show every feature and run, or one run as a tree; read-only",
    example: "slipway status --json",
    positionals: [{ name: "run", describe: "run id: show only this run, as a tree", required: false }],
    options: {},
    load: () => import("./commands/status.ts"),
  },
  {
    name: "watch",
    summary: "follow a run until it ends or needs a person",
    example: "slipway watch",
    positionals: [{ name: "run", describe: "run id (default: the latest)", required: false }],
    options: {},
    load: () => import("./commands/watch.ts"),
  },
  {
    name: "collisions",
    summary: "show which plans collide, and which features wait for which",
    example: "slipway collisions --json",
    positionals: [],
    options: {},
    load: () => import("./commands/collisions.ts"),
  },
  {
    name: "locks",
    summary: "show the holder and expiry of each lock",
    example: "slipway locks",
    positionals: [],
    options: {},
    load: () => import("./commands/locks.ts"),
  },
  {
    name: "inbox",
    summary: "list the questions that wait for a person",
    example: "slipway inbox",
    positionals: [{ name: "question", describe: "only this question, by number or id", required: false }],
    options: { all: { type: "boolean", describe: "closed questions too" } },
    load: () => import("./commands/inbox.ts"),
  },
  {
    name: "answer",
    summary: "answer a question",
    example: "slipway answer Q1 retry",
    positionals: [
      { name: "question", describe: "number or id from `slipway inbox`", required: true },
      { name: "answer", describe: "an option, or JSON", required: false },
    ],
    options: { comment: { type: "string", hint: "TEXT", describe: "guidance for the agent, sent with the answer" } },
    load: () => import("./commands/answer.ts"),
  },
  {
    name: "approve",
    summary: "sign the exact change that was gated",
    example: "slipway approve search export",
    positionals: [features],
    options: {
      tree: { type: "string", hint: "TREE", describe: "approve only this tree (as shown by `slipway diff`)" },
      yes: { type: "boolean", short: "y", describe: "sign without asking again, because you have looked already" },
    },
    load: () => import("./commands/approve.ts"),
  },
  {
    name: "diff",
    summary: "show the change that a feature would merge",
    example: "slipway diff search --stat",
    positionals: [feature],
    options: {
      stat: { type: "boolean", describe: "only the number of lines per file" },
      "name-only": { type: "boolean", describe: "only the paths" },
    },
    load: () => import("./commands/diff.ts"),
  },
  {
    name: "merge",
    summary: "land approved features on their base branch",
    example: "slipway merge search",
    positionals: [features],
    options: { ...agentOptions, "allow-unsandboxed": unsandboxed },
    load: () => import("./commands/merge.ts"),
  },
  ...RECOVERY_COMMANDS,
  {
    name: "journal",
    summary: "show or verify the journal",
    example: "slipway journal verify",
    positionals: [
      { name: "action", describe: "show, verify or prune", required: true },
      { name: "stream", describe: "run id or `repository` (default: all)", required: false },
    ],
    options: {
      limit: { type: "string", hint: "N", describe: "show: at most N events, the newest (default 50)" },
      "older-than": { type: "string", hint: "DAYS", describe: "prune: finished runs older than this (default 90)" },
    },
    load: () => import("./commands/journal.ts"),
  },
  ...AGENT_COMMANDS,
  {
    name: "evidence",
    summary: "show the evidence of a feature, as Markdown or as a signed in-toto statement",
    example: "slipway evidence search --format in-toto",
    positionals: [feature],
    options: { format: { type: "string", hint: "FORMAT", describe: "markdown (default) or in-toto" } },
    load: () => import("./commands/evidence.ts"),
  },
  {
    name: "mcp",
    summary: "serve Slipway's tools to an agent over MCP (stdio, or HTTP on this machine)",
    example: "slipway mcp --print-config claude",
    positionals: [{ name: "action", describe: "`token` makes a token for a client; without it, the server starts", required: false }],
    options: {
      http: { type: "boolean", describe: "serve streamable HTTP on 127.0.0.1 instead of stdio; clients need a token" },
      port: { type: "string", hint: "N", describe: "http: the port (default 7420; 0 for any free one)" },
      server: {
        type: "string",
        hint: "NAME",
        describe: `a protocol's own server instead of Slipway's tools: ${TOOL_SERVERS.map(({ name }) => name).join(" or ")}`,
      },
      role: {
        type: "string",
        hint: "ROLE",
        describe: `orchestrator (default), planner, builder, qa or system; with --server also ${[...new Set(TOOL_SERVERS.flatMap(({ roles }) => roles))].join(", ")}`,
      },
      function: { type: "string", hint: "PATH#NAME", describe: "with --server: the only function that a worker may test" },
      ref: { type: "string", hint: "BRANCH", describe: "with --server: the branch whose code is checked (default: the base branch)" },
      feature: { type: "string", hint: "ID", describe: "the only feature the client may touch" },
      run: { type: "string", hint: "RUN", describe: "the only run tokens may be for" },
      actor: { type: "string", hint: "NAME", describe: "token: the client's name in the journal" },
      expires: { type: "string", hint: "TIME", describe: "token: lifetime, as 30m, 12h or 7d (default 12h)" },
      "print-config": { type: "string", hint: "CLIENT", describe: "only print the configuration for claude, codex, gemini or vscode" },
      "allow-unsandboxed": unsandboxed,
    },
    load: () => import("./commands/mcp.ts"),
  },
  ...CHECK_COMMANDS,
  DEMO_COMMAND,
];

/** Options every command takes. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { type: "boolean", describe: "machine-readable output" },
  verbose: { type: "boolean", describe: "show stack traces" },
  help: { type: "boolean", short: "h", describe: "show this help" },
};
