import { existsSync } from "node:fs";
import { join } from "node:path";
import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { summaryOf } from "../code-index/entry.ts";
import { sealedModuleKind } from "../record-kinds.ts";
import { moduleView, type ModuleView } from "../views/modules.ts";
import type { RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory } from "./with-factory.ts";
import { oneLine } from "../../narration/one-line.ts";

/** Shows contract, evidence and dependents of a module; its source stays sealed. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async (factory) => {
    const [named = ""] = args.positionals;
    const view = await moduleView(factory, named);
    if (view === null) throw unknown(named);
    // `git clean -fdx` removes the folder named below; write its files again from the record.
    if (!existsSync(join(factory.records.layout.state, view.folder, "ship.json")))
      await factory.documents.renew(sealedModuleKind, view.module_ref);
    if (args.flag("json")) io.out(jsonLine(view));
    else io.out(`${lines(view).join("\n")}\n`);
    return EXIT.done;
  });

function lines(view: ModuleView): string[] {
  const { module_ref, status, superseded_by, notes, contract, evidence, tests, built_with, dependents, versions, examples } = view;
  const { inputs, outputs, error_surfaces, effects, modes } = summaryOf(contract);
  const others = versions.map((one) => `${one.version} ${one.status}`);
  const ran = tests === null ? "" : `, ${tests.summary.passed} of ${tests.summary.total} tests passed`;
  return [
    `${module_ref} ${status}: ${oneLine(contract.purpose)}`,
    ...(superseded_by === null ? [] : [`  use instead: ${superseded_by}`]),
    ...notes.split("\n").flatMap((note) => (note === "" ? [] : [`  note: ${oneLine(note)}`])),
    `  inputs: ${list(inputs)}`,
    `  outputs: ${list(outputs)}`,
    `  errors: ${list(error_surfaces)}`,
    `  effects: ${list(effects)}`,
    `  modes: ${list(modes)}`,
    `  built with: ${list(built_with)}`,
    `  used by: ${list(dependents)}`,
    `  versions: ${others.join(", ")}`,
    `  shipped: ${evidence.verified_at} (${evidence.ship_id})${ran}`,
    `  fingerprint: ${evidence.verification.interface_fingerprint}`,
    `  sealed in: .slipway/${view.folder}`,
    "",
    examples.trim(),
  ];
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.map(oneLine).join(", ");
}

export function unknown(named: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", `The code index has no module ${JSON.stringify(named.slice(0, 120))}.`, {
    module_ref: named.slice(0, 120),
    suggested_next_actions: ["Write it as MM-name or MM-name@1.0.0; `slipway factory tasks` names the modules that shipped."],
  });
}
