import type { Outcome } from "@slipway/durable/outcome";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Demo } from "@slipway/protocols/demo/demo";
import { bundledAnswers } from "@slipway/protocols/demo/files";
import type { ProtocolEntry, RunRequest } from "@slipway/protocols/protocol";
import type { Io } from "@slipway/protocols/surface/io";
import { beginRun } from "@slipway/protocols/surface/start-protocol";
import { runView } from "@slipway/runtime/run-view";
import type { Session } from "@slipway/runtime/session";
import { SlipwayError } from "../errors.ts";
import type { ProgressDisplay } from "../render/progress.ts";
import { withSession } from "../with-session.ts";
import { demoPerson, type DemoPerson } from "./answers.ts";

export interface DemoSetup {
  readonly demo: Demo;
  readonly protocol: ProtocolEntry;
  /** A run in the scratch repository. */
  readonly io: Io;
  readonly json: boolean;
  readonly say: (text: string) => void;
  readonly unsandboxedReason: string | undefined;
}

interface Answers {
  readonly cassette: string;
  readonly record?: string | undefined;
}

/** Runs the protocol on the request until the run ends, and returns the demo's summary of it. */
export async function runToEnd({ demo, protocol, io, json, say, unsandboxedReason }: DemoSetup, request: RunRequest, answers: Answers) {
  const person = await bundledAnswers(demo.files);
  const agents = { provider: "replay", ...answers };
  return withSession({ io, json, agents, unsandboxedReason }, async (session, progress) => {
    const begun = await beginRun(protocol, session, request);
    if (!("runId" in begun)) throw new TypeError("The demo has nothing to do.");
    const { runId } = begun;
    progress.follow({ runId, workflow: protocol.started[0], view: () => runView(session, runId) });
    const outcome = await drive(session, runId, demo, io, progress, demoPerson(demo, person, session, io, say));
    progress.stop();
    return demo.summarise(session, { runId, outcome });
  });
}

async function drive(
  session: Session,
  runId: string,
  demo: Demo,
  { cwd }: Io,
  progress: ProgressDisplay,
  person: DemoPerson,
): Promise<Outcome> {
  for (;;) {
    const outcome = await session.drive(runId);
    progress.pause();
    if (outcome.status === "completed") return outcome;
    if (outcome.status === "waiting" && (await person.answerAll()) > 0) continue;
    const asked = await session.records.inbox.listOpen();
    const why = demo.stuck === undefined ? stuckText(outcome, asked) : demo.stuck(outcome, asked);
    if (why === null) return outcome;
    throw stuck(why, cwd);
  }
}

function stuckText(outcome: Outcome, asked: readonly InboxQuestion[]): string {
  const why =
    outcome.status === "failed"
      ? `it failed with ${outcome.failure.code}: ${outcome.failure.message}`
      : `it asks: ${asked.map(({ title, body }) => `${title} ${body}`).join("; ") || "nothing"}`;
  return `The demo did not merge everything (its run is ${outcome.status}); ${why}`;
}

function stuck(why: string, folder: string): SlipwayError {
  return new SlipwayError("gate_failed", why, {
    file: folder,
    suggested_next_actions: [`Inspect ${folder} with \`slipway status\`, \`slipway inbox\`.`, "Check this machine with `slipway doctor`."],
  });
}
