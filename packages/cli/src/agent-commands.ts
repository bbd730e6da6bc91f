import type { CommandSpec } from "@slipway/protocols/surface/command";
import { agentOptions } from "@slipway/protocols/surface/run-options";

/** Commands about providers, costs and transcripts. */
export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "protocols",
    summary: "list the protocols: what each takes and delivers, and its roles",
    example: "slipway protocols --json",
    positionals: [],
    options: {},
    load: () => import("./commands/protocols.ts"),
  },
  {
    name: "agents",
    summary: "list the providers, and which one would play each role and why",
    example: "slipway agents --agent-provider claude",
    positionals: [],
    options: agentOptions,
    load: () => import("./commands/agents.ts"),
  },
  {
    name: "cost",
    summary: "show the usage of agents by feature, role and model, and how much of each budget is reserved, spent and left",
    example: "slipway cost 2026-11-16_search",
    positionals: [{ name: "run", describe: "run id (default: the latest)", required: false }],
    options: { all: { type: "boolean", describe: "all runs" } },
    load: () => import("./commands/cost.ts"),
  },
  {
    name: "transcript",
    summary: "show a transcript: prompts, answers, tools, tokens and price, with secrets redacted",
    example: "slipway transcript 2026-11-16_search builder:1",
    positionals: [
      { name: "run", describe: "run id, or a feature, even a deleted one (default: the latest run)", required: false },
      { name: "step", describe: "which invocation, as builder:1 or search/builder:1 (default: lists them)", required: false },
    ],
    options: {
      full: { type: "boolean", describe: "show long texts in full" },
      raw: { type: "boolean", describe: "include the agent's own stream" },
      from: { type: "string", hint: "N", describe: "start at part N" },
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
      { name: "folder", describe: "target: a new folder (default: RUN.cassette here)", required: false },
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
      check: { type: "boolean", describe: "write nothing; fail if a file is missing or differs" },
      protocol: { type: "string", hint: "NAME", describe: "protocol of the roles (default: features)" },
      force: { type: "boolean", describe: "replace files that Slipway did not write" },
    },
    load: () => import("./commands/export.ts"),
  },
];
