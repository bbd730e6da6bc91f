import type { CommandSpec } from "@slipway/protocols/surface/command";
import { agentOptions } from "@slipway/protocols/surface/run-options";

/** The commands about agents: who they are, what they cost, what they said. */
export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "protocols",
    summary: "what a run can be a run of: what each protocol takes, delivers, and which roles it has",
    example: "slipway protocols --json",
    positionals: [],
    options: {},
    load: () => import("./commands/protocols.ts"),
  },
  {
    name: "agents",
    summary: "which providers are there, and who would play which role and why",
    example: "slipway agents --agent-provider claude",
    positionals: [],
    options: agentOptions,
    load: () => import("./commands/agents.ts"),
  },
  {
    name: "cost",
    summary: "what agents took: by feature, role and model; budgets with what is reserved, spent and left",
    example: "slipway cost 2026-11-16_search",
    positionals: [{ name: "run", describe: "run id (default: the latest)", required: false }],
    options: { all: { type: "boolean", describe: "every run there was" } },
    load: () => import("./commands/cost.ts"),
  },
  {
    name: "transcript",
    summary: "what was sent to an agent and what came back: tools, tokens, price; redacted",
    example: "slipway transcript 2026-11-16_search builder:1",
    positionals: [
      { name: "run", describe: "run id, or a feature, also one that was deleted (default: the latest run)", required: false },
      { name: "step", describe: "which invocation, as builder:1 or search/builder:1 (default: lists them)", required: false },
    ],
    options: {
      full: { type: "boolean", describe: "long texts as they are, not only their beginning" },
      raw: { type: "boolean", describe: "the agent's own stream as well" },
      from: { type: "string", hint: "N", describe: "begin with the Nth part" },
      limit: { type: "string", hint: "N", describe: "at most N parts (default 200; with --json all)" },
    },
    load: () => import("./commands/transcript.ts"),
  },
  {
    name: "record",
    summary: "turn a run into a cassette that replays it",
    example: "slipway record export 2026-11-16_search cassettes/search",
    positionals: [
      { name: "action", describe: "export", required: true },
      { name: "run", describe: "run id (default: the latest)", required: false },
      { name: "folder", describe: "where to, a new folder (default: RUN.cassette here)", required: false },
    ],
    options: {},
    load: () => import("./commands/record.ts"),
  },
  {
    name: "export",
    summary: "write the roles as agents of GitHub Copilot or Claude Code",
    example: "slipway export claude --check",
    positionals: [{ name: "target", describe: "copilot (.github/agents) or claude (.claude/agents)", required: true }],
    options: {
      out: { type: "string", hint: "FOLDER", describe: "write below this folder (default: the repository)" },
      check: { type: "boolean", describe: "write nothing; fail when a file is missing or differs" },
      protocol: { type: "string", hint: "NAME", describe: "whose roles (default: features)" },
      force: { type: "boolean", describe: "replace files that Slipway did not write" },
    },
    load: () => import("./commands/export.ts"),
  },
];
