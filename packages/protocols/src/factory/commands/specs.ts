import { agentOptions, unsandboxed } from "../../surface/run-options.ts";
import type { CommandSpec } from "../../surface/command.ts";

const factory = (row: Omit<CommandSpec, "example"> & { readonly example?: string }): CommandSpec => ({
  example: `slipway factory ${row.name}`,
  ...row,
});

/** Subcommands of the factory besides building from a page: `slipway factory NAME`. */
export const FACTORY_SUBCOMMANDS: readonly CommandSpec[] = [
  factory({
    name: "status",
    summary: "progress of the project",
    positionals: [],
    options: {},
    load: () => import("./status.ts"),
  }),
  factory({
    name: "tasks",
    summary: "every task by pillar, epic and story: its status, its modules, why it waits",
    positionals: [],
    options: {},
    load: () => import("./tasks.ts"),
  }),
  factory({
    name: "debate",
    summary: "the debates about the modules of a task: claims, objections, witnesses, decisions",
    example: "slipway factory debate T-reading-statements-import-a-statement-001",
    positionals: [{ name: "task", describe: "task id or module id (default: the one in progress or halted)", required: false }],
    options: {},
    load: () => import("./debate.ts"),
  }),
  factory({
    name: "escalation",
    summary: "show what stopped a task, and what each resolution would do",
    positionals: [{ name: "escalation", describe: "ESC-… (default: all that are open)", required: false }],
    options: {},
    load: () => import("./escalation.ts"),
  }),
  factory({
    name: "resolve",
    summary: "answer an escalation",
    example: "slipway factory resolve ESC-1a2b3c4d ABANDON_TASK --comment 'not needed any more'",
    positionals: [
      { name: "escalation", describe: "ESC-…", required: true },
      { name: "action", describe: "one of the six resolutions", required: false },
    ],
    options: {
      comment: { type: "string", hint: "TEXT", describe: "the text the resolution needs" },
      "json-file": { type: "string", hint: "FILE", describe: "the whole answer as JSON" },
    },
    load: () => import("./resolve.ts"),
  }),
  factory({
    name: "ice",
    summary: "list, show or decide interface change exceptions",
    example: "slipway factory ice ICE-1a2b3c4d APPROVE_CHANGE",
    positionals: [
      { name: "exception", describe: "ICE-… (default: all)", required: false },
      { name: "decision", describe: "APPROVE_CHANGE, REJECT_CHANGE or DEFER", required: false },
    ],
    options: {
      comment: { type: "string", hint: "TEXT", describe: "why" },
      ...agentOptions,
      "allow-unsandboxed": unsandboxed,
      "stay-halted": { type: "boolean", describe: "with REJECT_CHANGE: leave the task halted, to be resolved in another way" },
    },
    load: () => import("./ice.ts"),
  }),
  factory({
    name: "release",
    summary: "show a manifest (default: the last), or release the named modules",
    example: "slipway factory release MM-parse_date@1.0.0 MM-report@2.1.0",
    positionals: [
      { name: "what", describe: "REL-…, or modules as MM-…@x.y.z (default: the last release is shown)", required: false, many: true },
    ],
    options: { "allow-unsandboxed": unsandboxed },
    load: () => import("./release.ts"),
  }),
  factory({
    name: "module",
    summary: "contract, evidence and dependents of a shipped module; never its source",
    example: "slipway factory module MM-parse_date@1.0.0",
    positionals: [{ name: "module", describe: "MM-… or MM-…@x.y.z (default: the highest version in use)", required: true }],
    options: {},
    load: () => import("./module.ts"),
  }),
  factory({
    name: "deprecate",
    summary: "deprecate a version; modules built with it keep it",
    example: "slipway factory deprecate MM-parse@1.0.0 --reason 'It loses seconds.' --replacement MM-parse_span@1.0.0",
    positionals: [{ name: "module", describe: "MM-…@x.y.z", required: true }],
    options: {
      reason: { type: "string", hint: "TEXT", describe: "the reason (required)" },
      replacement: { type: "string", hint: "MODULE", describe: "a shipped version to use instead, MM-…@x.y.z" },
      migration: { type: "string", hint: "TEXT", describe: "what dependents should do" },
    },
    load: () => import("./deprecate.ts"),
  }),
  factory({
    name: "attest",
    summary: "attest that a halted task is resolved without being built here",
    example: "slipway factory attest T-reading-statements-import-a-statement-001 --rationale 'Built and tested by hand.'",
    positionals: [{ name: "task", describe: "a task that has halted", required: true }],
    options: {
      rationale: { type: "string", hint: "TEXT", describe: "the reason (required)" },
      module: { type: "string", hint: "MODULES", describe: "shipped modules that resolve it, as MM-…@x.y.z, with commas between them" },
    },
    load: () => import("./attest.ts"),
  }),
  factory({
    name: "index",
    summary: "number of shipped modules, and the embedding model",
    positionals: [],
    options: {},
    load: () => import("./code-index.ts"),
    subcommands: [
      factory({
        name: "search",
        summary: "find shipped modules by what they do",
        example: 'slipway factory index search "parse a date" --input-type string',
        positionals: [{ name: "query", describe: "what the module should do, in plain English", required: true }],
        options: {
          tag: { type: "string", hint: "TAGS", describe: "only modules with one of these tags (commas between them)" },
          "input-type": { type: "string", hint: "TYPES", describe: "only modules that take one of these types" },
          "output-type": { type: "string", hint: "TYPES", describe: "only modules that give one of these types" },
          "include-inactive": { type: "boolean", describe: "include deprecated and superseded versions" },
          limit: { type: "string", hint: "N", describe: "maximum number of results (default: 10)" },
        },
        load: () => import("./index-search.ts"),
      }),
      factory({
        name: "reindex",
        summary: "embed every entry again, after the model changed",
        example: "slipway factory index reindex",
        positionals: [],
        options: {},
        load: () => import("./index-reindex.ts"),
      }),
    ],
  }),
];
