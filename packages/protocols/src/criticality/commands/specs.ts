import type { CommandSpec, OptionSpec } from "../../surface/command.ts";
import { agentOptions, unsandboxed } from "../../surface/run-options.ts";

const run: OptionSpec = { type: "string", hint: "RUN", describe: "a run of the protocol (default: the newest)" };

type Row = Pick<CommandSpec, "name" | "summary" | "load"> & Partial<CommandSpec>;

const criticality = ({ options = {}, ...row }: Row): CommandSpec => ({
  example: `slipway criticality ${row.name}`,
  positionals: [],
  ...row,
  options: { run, ...options },
});

/** `slipway criticality NAME`. */
export const CRITICALITY_SUBCOMMANDS: readonly CommandSpec[] = [
  criticality({
    name: "status",
    summary: "phase, functions, tests, claims, cost, and the question that blocks the run",
    load: () => import("./status.ts"),
  }),
  criticality({
    name: "resolve",
    summary: "answer the question that blocks the run, and continue it",
    example: "slipway criticality resolve 2 --comment 'the limit is per day'",
    positionals: [{ name: "option", describe: "the number of an option (default: asks on a terminal, else shows them)", required: false }],
    options: {
      comment: { type: "string", hint: "TEXT", describe: "your words; options such as hybrid, decide and clarify need them" },
      ...agentOptions,
      "allow-unsandboxed": unsandboxed,
    },
    load: () => import("./resolve.ts"),
  }),
  criticality({
    name: "ledger",
    summary: "decisions in force, by confidence",
    options: { all: { type: "boolean", describe: "also superseded, invalidated and archived ones" } },
    load: () => import("./ledger.ts"),
  }),
  criticality({
    name: "decision",
    summary: "reinstate or discard a suspended decision, suspend what depends on one, or move ended ones to the archive",
    example: "slipway criticality decision reinstate d003 --comment 'measured again: 40 ms'",
    positionals: [
      { name: "action", describe: "reinstate, discard, suspend_dependents or compact", required: true },
      { name: "id", describe: "the decision; compact needs none", required: false },
    ],
    options: { comment: { type: "string", hint: "TEXT", describe: "why; reinstate and discard need it" } },
    load: () => import("./decision.ts"),
  }),
  criticality({
    name: "witnesses",
    summary: "types that stand for invariants, and how each is enforced",
    load: () => import("./witnesses.ts"),
  }),
  criticality({
    name: "claims",
    summary: "claims of the specification: tested, violated, or untested and why",
    load: () => import("./claims.ts"),
  }),
  criticality({
    name: "smells",
    summary: "transformations accepted and reverted by Mass Defect, and smells that are left",
    load: () => import("./smells.ts"),
  }),
  criticality({
    name: "telemetry",
    summary: "tokens and cost by model and phase, and what the rest will cost",
    load: () => import("./telemetry.ts"),
  }),
  criticality({
    name: "metrics",
    summary: "success metrics of all runs, or of one, against their targets",
    example: "slipway criticality metrics",
    load: () => import("./metrics.ts"),
  }),
  {
    name: "catalog",
    summary: "smells and the patterns that reduce them, or one of either",
    example: "slipway criticality catalog deep-nesting",
    positionals: [{ name: "id", describe: "a smell or a pattern (default: all smells)", required: false }],
    options: {},
    load: () => import("./catalog.ts"),
  },
  {
    name: "languages",
    summary: "target languages: tools and scanners on this machine, witnesses, tests of claims",
    example: "slipway criticality languages python",
    positionals: [{ name: "language", describe: "one of them (default: all)", required: false }],
    options: {},
    load: () => import("./languages.ts"),
  },
  {
    name: "benchmark",
    summary: "run the bundled suite with the assigned models, or compare a candidate with them",
    example: "slipway criticality benchmark --candidate worker=openai/other-model",
    positionals: [],
    options: {
      level: { type: "string", hint: "LEVEL", describe: "micro, module or integration (default: all)" },
      case: { type: "string", hint: "NAME", describe: "only these cases, separated by commas" },
      model: { type: "string", hint: "ALIAS=MODEL", describe: "another model for a role in this benchmark; several with commas" },
      candidate: { type: "string", hint: "ALIAS=MODEL", describe: "a model to compare with the one that plays the role now" },
      history: { type: "boolean", describe: "show every stored result, and run nothing" },
      ...agentOptions,
      "allow-unsandboxed": unsandboxed,
    },
    load: () => import("./benchmark.ts"),
  },
];
