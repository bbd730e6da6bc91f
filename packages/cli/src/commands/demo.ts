import { jsonLine } from "@slipway/protocols/surface/escape";
import { withOwnNode } from "../caller-path.ts";
import { resolve } from "node:path";
import { SlipwayError } from "../errors.ts";
import type { Outcome } from "@slipway/durable/outcome";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { readSpecs } from "@slipway/kernel/change/plan/specs/read";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { approveAll } from "../demo/approvals.ts";
import { closingLines } from "../demo/last-lines.ts";
import { cassetteOf, REAL, SHOP, type DemoBundle } from "../demo/bundle.ts";
import { demoFactory } from "../demo/factory-demo.ts";
import { makeScratch } from "../demo/scratch.ts";
import { summarise } from "../demo/summary.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { paint } from "@slipway/protocols/surface/paint";
import type { ProgressDisplay } from "../render/progress.ts";
import type { Session } from "@slipway/runtime/session";
import { withSession } from "../with-session.ts";
import { protocolNamed } from "@slipway/protocols/protocols";
import { beginRun } from "@slipway/protocols/surface/start-protocol";

/** Runs Slipway on a scratch repository; only the agents' answers are recorded. */
export const run: RunCommand = async (args, outer) => {
  if (args.positionals[0] === "factory") return demoFactory(args, outer);
  const started = performance.now();
  const json = args.flag("json");
  const say = (text: string) => (json ? undefined : outer.out(`${text}\n`));
  const record = args.text("record");
  const recordTo = record === undefined ? undefined : resolve(outer.cwd, record);
  const bundle = bundleFor(args.positionals[0]);
  if (bundle.published !== null) say(`Downloading ${bundle.published.name} ${bundle.published.version} (${bundle.published.license}) …`);
  const { folder, specs } = await makeScratch(outer, args.text("keep"), bundle);
  const io: Io = { ...outer, env: withOwnNode(outer.env), cwd: folder, interactive: false };
  if (bundle.published !== null) say("It is, byte for byte, what the agents' answers were recorded on.");
  say(`A scratch repository is at ${folder}`);
  say(`Its specifications:\n${specs.map((spec) => `  ${spec}`).join("\n")}\n`);

  const { available } = await probeSandbox();
  if (!available)
    say("This machine offers no sandbox, so the demo's gates run without one. That is recorded. `slipway doctor` says how to get one.\n");
  const unsandboxedReason = available ? undefined : `no sandbox on this machine; the demo runs only ${bundle.gates}`;
  const agents = { provider: "replay", cassette: cassetteOf(bundle), record: recordTo };
  return withSession({ io, json, agents, unsandboxedReason }, async (session, progress) => {
    const request = { specs: await readSpecs(folder, specs), text: null, cwd: folder, env: io.env };
    const begun = await beginRun(protocolNamed("features"), session, request);
    if (!("runId" in begun)) throw new TypeError("The demo has nothing to do.");
    const { runId } = begun;
    await carryOut(session, runId, io, progress, say);
    progress.stop();
    const summary = await summarise(session, runId, performance.now() - started);
    outer.out(json ? jsonLine(summary) : closingLines(summary, folder, bundle.lookAt, outer).join("\n"));
    return summary.status === "completed" && summary.merged.length === specs.length ? EXIT.done : EXIT.failed;
  });
};

function bundleFor(which: string | undefined): DemoBundle {
  if (which === undefined) return SHOP;
  if (which === "real") return REAL;
  throw new SlipwayError("invalid_cli_args", `There is no \`slipway demo ${which}\`.`, {
    suggested_next_actions: [
      "Use `slipway demo`, `slipway demo real` for the one on a published package, or `slipway demo factory` for the factory.",
    ],
  });
}

/** Drives the run until everything has landed. The demo gives the approvals a person would. */
async function carryOut(session: Session, runId: string, io: Io, progress: ProgressDisplay, say: (text: string) => void): Promise<void> {
  const { bold } = paint(io.color);
  for (;;) {
    const outcome = await session.drive(runId);
    progress.pause();
    if (outcome.status === "completed") return;
    if (outcome.status === "waiting") {
      say(`\n${bold("Ready to merge. This is what a person would look at; in your repository only you can approve it.")}\n`);
      if ((await approveAll(session, io, say)) > 0) continue;
    }
    throw stuck(outcome, io.cwd, await session.records.inbox.listOpen());
  }
}

function stuck(outcome: Outcome, folder: string, asked: readonly InboxQuestion[]): SlipwayError {
  const why =
    outcome.status === "failed"
      ? `it failed with ${outcome.failure.code}: ${outcome.failure.message}`
      : `it asks: ${asked.map(({ title, body }) => `${title} ${body}`).join("; ") || "nothing"}`;
  return new SlipwayError("gate_failed", `The demo did not get everything merged (its run is ${outcome.status}); ${why}`, {
    file: folder,
    suggested_next_actions: [
      `Look around in ${folder}: \`slipway status\`, \`slipway inbox\`.`,
      "Check this machine with `slipway doctor`.",
    ],
  });
}
