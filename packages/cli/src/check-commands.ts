import { unsandboxed } from "@slipway/protocols/surface/run-options";
import type { CommandSpec } from "@slipway/protocols/surface/command";

/** Commands that look whether runs can succeed here, before any is begun. */
export const CHECK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "gates",
    summary: "run the gates on the base branch by hand, without an agent and without a run",
    example: "slipway gates fast",
    positionals: [{ name: "mode", describe: "fast, full or merge (default: all that a change has to pass)", required: false }],
    options: {
      feature: { type: "string", hint: "ID", describe: "on what a feature has so far; counts for no merge" },
      here: { type: "boolean", describe: "on the files of your checkout as they are, with its gates.yaml; nothing in it is touched" },
      "allow-unsandboxed": unsandboxed,
    },
    load: () => import("./commands/gates.ts"),
  },
  {
    name: "doctor",
    summary: "check this machine and repository, and say how to mend what is wrong",
    example: "slipway doctor",
    positionals: [],
    options: { "skip-base-gates": { type: "boolean", describe: "do not try the gates on the base branch; nothing is written then" } },
    load: () => import("./commands/doctor.ts"),
  },
];
