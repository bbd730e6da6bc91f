import { unsandboxed } from "@slipway/protocols/surface/run-options";
import type { CommandSpec } from "@slipway/protocols/surface/command";

/** Commands that check, before a run, whether runs can succeed here. */
export const CHECK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "gates",
    summary: "run the gates on the base branch, without an agent and without a run",
    example: "slipway gates fast",
    positionals: [{ name: "mode", describe: "fast, full or merge (default: every mode that a change must pass)", required: false }],
    options: {
      feature: { type: "string", hint: "ID", describe: "run them on a feature's current tree; the result does not count for a merge" },
      here: { type: "boolean", describe: "run them on your checkout as it is, with its gates.yaml; your files are not changed" },
      "allow-unsandboxed": unsandboxed,
    },
    load: () => import("./commands/gates.ts"),
  },
  {
    name: "trust",
    summary: "show what this repository's configuration would start, and trust it",
    example: "slipway trust",
    positionals: [],
    options: {
      yes: { type: "boolean", short: "y", describe: "trust it without asking, because you know it" },
      list: { type: "boolean", describe: "list the repositories whose configuration you have trusted" },
      remove: { type: "boolean", describe: "trust no configuration of this repository any more" },
    },
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "doctor",
    summary: "check this machine and repository, and say how to fix what is wrong",
    example: "slipway doctor",
    positionals: [],
    options: { "skip-base-gates": { type: "boolean", describe: "do not run the gates on the base branch; then nothing is written" } },
    load: () => import("./commands/doctor.ts"),
  },
];
