import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import type { Outcome } from "@slipway/durable/outcome";
import { readSpecs } from "@slipway/kernel/specs/read";
import { probeSandbox } from "@slipway/kernel/sandbox/probe";
import { openApprovalOf } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { CASSETTE, makeScratch } from "../demo/scratch.ts";
import { reviewPack, summarise, type DemoSummary } from "../demo/summary.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { giveApproval } from "../give-approval.ts";
import type { Io } from "../io.ts";
import { paint } from "../render/paint.ts";
import { openProgress, styleFor } from "../render/progress.ts";
import { openSession, type Session } from "../session.ts";
import { startRun } from "../start-run.ts";

const NO_SANDBOX = "no sandbox on this machine; the demo runs only its own bundled gates";

const FEATURE = "bulk_discount";

/** The real thing on a scratch repository: only the agents' answers are recorded ones. */
export const run: RunCommand = async (args, outer) => {
  const started = performance.now();
  const json = args.flag("json");
  const say = (text: string) => (json ? undefined : outer.out(`${text}\n`));
  const { bold } = paint(outer.color);
  const record = args.text("record");
  const recordTo = record === undefined ? undefined : resolve(outer.cwd, record);
  const { folder, spec } = await makeScratch(outer, args.text("keep"));
  const io: Io = { ...outer, cwd: folder, interactive: false };
  say(`A scratch repository is at ${folder}`);
  say(`Its specification: ${spec}\n`);

  const { available } = await probeSandbox();
  if (!available)
    say(
      "This machine offers no sandbox, so the demo's own gates run without one. That is recorded. `slipway doctor` says how to get one.\n",
    );
  const unsandboxedReason = available ? undefined : NO_SANDBOX;
  const progress = openProgress(io, styleFor(io, json));
  const session = await openSession({
    io,
    agents: { provider: "replay", cassette: CASSETTE, record: recordTo },
    unsandboxedReason,
    observe: progress.event,
    onStepStart: progress.started,
    onWarning: progress.warn,
  });
  try {
    const runId = await startRun(session, await readSpecs(folder, [spec]), unsandboxedReason, io);
    const outcome = await session.drive(runId);
    progress.pause();
    if ((await openApprovalOf(session.records, FEATURE)) === null) throw notReady(outcome, folder);
    say(`\n${bold("Ready to merge. This is what a person would look at:")}\n\n${await reviewPack(session)}`);
    await approve(session, io, say);
    await session.drive(runId);
    progress.stop();
    const summary = await summarise(session, runId, performance.now() - started);
    if (json) outer.out(`${JSON.stringify(summary)}\n`);
    else tell(summary, folder, outer);
    return verdict(summary);
  } finally {
    progress.stop();
    await session.close();
  }
};

async function approve({ records }: Session, io: Io, say: (text: string) => void): Promise<void> {
  const question = await openApprovalOf(records, FEATURE);
  if (question === null) return;
  const { tree } = await giveApproval(records, question, { ...io, env: { ...io.env, SLIPWAY_USER: "the demo" } });
  say(
    `The demo gives the approval itself, for tree ${tree.slice(0, 10)} and nothing else. In your repository only you can: \`slipway approve\`.\n`,
  );
}

function notReady(outcome: Outcome, folder: string): SlipwayError {
  const why =
    outcome.status === "failed" ? `it failed with ${outcome.failure.code}: ${outcome.failure.message}` : "the lines above say why";
  return new SlipwayError("gate_failed", `The demo did not reach ready_to_merge (its run is ${outcome.status}); ${why}.`, {
    file: folder,
    suggested_next_actions: [
      `Look around in ${folder}: \`slipway status\`, \`slipway inbox\`.`,
      "Check this machine with `slipway doctor`.",
    ],
  });
}

function verdict({ status, merged }: DemoSummary): ExitCode {
  return status === "completed" && merged.length > 0 ? EXIT.done : EXIT.failed;
}

function tell({ merged, checks, journal, cost_usd, elapsed_ms }: DemoSummary, folder: string, io: Io): void {
  const { bold, dim } = paint(io.color);
  const me = ownCommand(io);
  const lines = [
    "",
    ...merged.map(
      ({ feature_id, commit, tree }) => `${bold(feature_id)} is merged: commit ${commit.slice(0, 10)}, tree ${tree.slice(0, 10)}`,
    ),
    `checks   ${checks.passed} passed, ${checks.failed} failed (and were repaired) on the way`,
    `cost     $${cost_usd.toFixed(4)} (as recorded; nothing was spent now)`,
    `journal  ${journal.events} events, head ${journal.head.slice(0, 16)}`,
    `time     ${(elapsed_ms / 1000).toFixed(1)} s`,
    `files    ${folder}`,
    "",
    "Try next, in that folder:",
    "  git log --stat            what landed on main",
    `  ${me} evidence          what the harness saw`,
    `  ${me} journal verify    that nothing was changed afterwards`,
    `and \`${me} init\` in a repository of your own.`,
    dim("The demo's scratch folder is yours to delete."),
    "",
  ];
  io.out(lines.join("\n"));
}

/** `slipway` where that works; otherwise the path of this very program. */
function ownCommand(io: Io): string {
  const onPath = (io.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => !folder.includes("node_modules") && existsSync(join(folder, "slipway")));
  return onPath ? "slipway" : join(import.meta.dirname, "..", "..", "bin", "slipway.mjs");
}
