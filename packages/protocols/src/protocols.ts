import { SlipwayError } from "@slipway/durable/errors";
import { closest } from "@slipway/kernel/schema/hint";
import { factoryAnswerCommand } from "./factory/commands/answer-command.ts";
import { FACTORY_COMMAND } from "./factory/commands/specs.ts";
import { FEATURES_COMMAND } from "./features/commands/spec.ts";
import type { ProtocolEntry } from "./protocol.ts";

/** Every protocol of the program, each loaded when it is needed. A new one is a folder and an entry here. */
export const PROTOCOLS: readonly ProtocolEntry[] = [
  {
    name: "features",
    summary: "several features side by side, each planned, built, tested and merged as a change of its own",
    takes: "specifications",
    delivers: "changes",
    started: ["features"],
    command: FEATURES_COMMAND,
    load: async () => (await import("./features/entry.ts")).features,
  },
  {
    name: "factory",
    summary: "a page of intent becomes tested, sealed modules and a release",
    takes: "a page",
    delivers: "one change",
    started: ["factory", "factory-release", "factory-late-change"],
    command: FACTORY_COMMAND,
    answerCommand: factoryAnswerCommand,
    tables: async () => (await import("./factory/tables.ts")).FACTORY_TABLES,
    load: async () => (await import("./factory/entry.ts")).factory,
  },
];

/** What `slipway run` means without --protocol, and whose roles stand in agents.yaml without one. */
export const DEFAULT_PROTOCOL = "features";

/** The protocol that a run of the workflow is of. */
export function protocolOf(workflow: string): ProtocolEntry {
  const entry = PROTOCOLS.find(({ started }) => started.includes(workflow));
  if (entry !== undefined) return entry;
  throw new SlipwayError("workflow_unknown", `This program has no protocol with the workflow "${workflow}".`, {
    workflow,
    suggested_next_actions: ["Update Slipway if the run was started by a newer one."],
  });
}

export function protocolNamed(name: string): ProtocolEntry {
  const entry = PROTOCOLS.find((known) => known.name === name);
  if (entry !== undefined) return entry;
  const names = PROTOCOLS.map((known) => known.name);
  const meant = closest(name, names);
  throw new SlipwayError("invalid_cli_args", `There is no protocol ${JSON.stringify(name)}.`, {
    suggested_next_actions: [meant === null ? `Name one of ${names.join(", ")}.` : `Did you mean ${meant}?`, "slipway protocols"],
  });
}
