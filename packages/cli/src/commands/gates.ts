import { stripVTControlCharacters } from "node:util";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import { askTrustOf } from "../trust/ask.ts";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { GATES_FILE, gatesSchema } from "@slipway/kernel/config/gates";
import type { StepEvent } from "@slipway/kernel/change/judge/gates/run";
import type { Kernel } from "@slipway/kernel/kernel";
import { openKernelAt } from "@slipway/kernel/open";
import type { Trial } from "@slipway/kernel/change/judge/trials/trial";
import type { TrialReport, TrialWatch } from "@slipway/kernel/change/judge/trials/trials";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf } from "@slipway/protocols/surface/caller";
import { jsonLine } from "@slipway/protocols/surface/escape";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";

export const run: RunCommand = async (args, io) => {
  const json = args.flag("json");
  const reason = reasonFrom(args);
  const unsandboxed = reason === undefined ? undefined : { reason, by: personOf(io).id };
  const opened = await openKernelAt({ cwd: io.cwd, env: io.env, unsandboxed, askTrust: askTrustOf(io, json) });
  try {
    const report = await tried(await opened.kernel(), args, io, json ? {} : { onStep: (trial, event) => show(io, trial.mode, event) });
    io.out(json ? jsonLine(report) : `${report.trials.flatMap((trial) => lines(report, trial)).join("\n")}\n`);
    return report.trials.every(({ status }) => status !== "fail") ? EXIT.done : EXIT.failed;
  } finally {
    await opened.close();
  }
};

async function tried(kernel: Kernel, args: Arguments, io: Io, watch: TrialWatch): Promise<TrialReport> {
  const [mode] = args.positionals;
  const feature = args.text("feature");
  if (feature !== undefined && args.flag("here")) {
    throw new SlipwayError("invalid_cli_args", "slipway gates: --feature and --here name two different trees.", {
      suggested_next_actions: ["Leave one of them out."],
    });
  }
  const call = { actor: personOf(io), operationId: kernel.records.ids.next("trial") };
  // Gates run by hand are always executed; no earlier result is reused.
  const wish = { remembered: false, ...(mode === undefined ? {} : { modes: [mode] }) };
  if (feature !== undefined) return kernel.trials.onFeature(call, feature, wish, watch);
  if (!args.flag("here")) return kernel.trials.onBase(call, wish, watch);
  const gates = parseYamlConfig(GATES_FILE, await readFile(join(kernel.repository.root, GATES_FILE)), gatesSchema);
  return kernel.trials.onCheckout(call, gates, wish, watch);
}

/** Streams the output of a step. */
function show(io: Io, mode: string, event: StepEvent): void {
  if (event.kind === "started") io.out(`${mode} ${event.index + 1}/${event.of}: ${event.name}\n`);
  else if (event.kind === "output") io.out(stripVTControlCharacters(event.text));
}

function lines({ of }: TrialReport, trial: Trial): string[] {
  const { mode, status, tests, failure, cause, step, steps, remembered } = trial;
  const counted = tests === null ? "" : ` (${tests.total} ${tests.total === 1 ? "test" : "tests"})`;
  const verdict = status === "fail" ? "failed" : "passed";
  const same = remembered ? ", the same steps as above" : "";
  return [
    "",
    `${mode} gates on ${of}: ${verdict}${counted}${same}${failure === null ? "" : `: ${failure.message}`}`,
    ...(remembered ? [] : steps.map(stepLine)),
    ...(cause === null || remembered ? [] : [`  likely cause: ${cause.cause}`, `  next: ${cause.next}`]),
    ...(step === null || remembered ? [] : ["  end of its log:", ...step.log_tail.map((line) => `    | ${line}`)]),
  ];
}

function stepLine({ name, command, status, exit_code, duration_ms, log_path, program }: Trial["steps"][number]): string {
  if (status === "skipped") return `  ${name}: skipped`;
  const started =
    program == null ? "" : `; ${versioned(program)}${program.interpreter === null ? "" : ` by ${versioned(program.interpreter)}`}`;
  const exit = exit_code === null ? "" : `, exit code ${exit_code}`;
  return `  ${name}: ${status}${exit}, ${(duration_ms / 1000).toFixed(1)} s: ${command.join(" ")}${started}; log ${log_path}`;
}

function versioned({ path, version }: { readonly path: string; readonly version: string | null }): string {
  return version === null ? path : `${path} ${version}`;
}
