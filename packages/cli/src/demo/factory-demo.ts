import { jsonLine } from "@slipway/protocols/surface/escape";
import { withOwnNode } from "../caller-path.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import type { Outcome } from "@slipway/durable/outcome";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import type { ProgressDisplay } from "../render/progress.ts";
import type { Session } from "@slipway/runtime/session";
import { withSession } from "../with-session.ts";
import { protocolNamed } from "@slipway/protocols/protocols";
import { readPage } from "@slipway/protocols/surface/request";
import { beginRun } from "@slipway/protocols/surface/start-protocol";
import { cassetteOf, HOURS } from "./bundle.ts";
import { answerAll, bundledEdit } from "./factory-answers.ts";
import { factoryClosing, runCommands } from "./factory-closing.ts";
import { summariseFactory, type BuildSummary, type FactorySummary } from "./factory-summary.ts";
import { commitAll, makeRepository } from "./scratch.ts";

const PAGE = "SPEC.md";

/** From a page to a release, in a scratch repository. The roles' answers are recorded and the person's are bundled. */
export const demoFactory: RunCommand = async (args, outer) => {
  const started = performance.now();
  const json = args.flag("json");
  const say = (text: string) => (json ? undefined : outer.out(`${text}\n`));
  if (args.text("record") !== undefined) throw cannotRecord();
  const folder = await makeRepository(outer, args.text("keep"), HOURS);
  const io: Io = { ...outer, env: withOwnNode(outer.env), cwd: folder, interactive: false };
  say(`A scratch repository is at ${folder}`);
  say(`Its page of intent, ${PAGE}:\n`);
  say(quoted(await readFile(join(folder, PAGE), "utf8")));

  const { available } = await probeSandbox();
  if (!available)
    say("This machine offers no sandbox, so the demo's tests run without one. That is recorded. `slipway doctor` says how to get one.\n");
  const unsandboxedReason = available ? undefined : `no sandbox on this machine; the demo runs only ${HOURS.gates}`;
  const first = await build({ io, json, say, unsandboxedReason, cassette: cassetteOf(HOURS) });
  const again = args.flag("edit") ? await buildEdited({ io, json, say, unsandboxedReason }) : undefined;
  const elapsed_ms = Math.round(performance.now() - started);
  const commands = runCommands(folder, again ?? first, outer);
  const summary: FactorySummary = { ...first, ...(again === undefined ? {} : { again }), commands, elapsed_ms };
  outer.out(json ? jsonLine(summary) : factoryClosing(summary, folder, outer).join("\n"));
  return [first, again ?? first].every(({ release }) => release?.status === "released") ? EXIT.done : EXIT.failed;
};

interface Building {
  readonly io: Io;
  readonly json: boolean;
  readonly say: (text: string) => void;
  readonly unsandboxedReason: string | undefined;
  readonly cassette: string;
}

async function build({ io, json, say, unsandboxedReason, cassette }: Building): Promise<BuildSummary> {
  return withSession({ io, json, agents: { provider: "replay", cassette }, unsandboxedReason }, async (session, progress) => {
    const request = { specs: [await readPage(io.cwd, PAGE)], text: null, cwd: io.cwd, env: io.env };
    const begun = await beginRun(protocolNamed("factory"), session, request);
    if (!("runId" in begun)) throw new TypeError("The page of the demo was built before.");
    const { runId } = begun;
    const outcome = await carryOut(session, runId, io, progress, say);
    progress.stop();
    return await summariseFactory(session, runId, outcome);
  });
}

/** Edits one sentence of the page and runs the same command again. */
async function buildEdited(building: Omit<Building, "cassette">): Promise<BuildSummary> {
  const { io, say } = building;
  const { from, to } = await bundledEdit();
  const page = join(io.cwd, PAGE);
  await writeFile(page, (await readFile(page, "utf8")).replace(from, to));
  await commitAll(io, "One sentence more");
  say(`\nNow one sentence of ${PAGE} is edited:\n  - ${from}\n  + ${to}\nand the same command is given again.\n`);
  return build({ ...building, cassette: join(HOURS.folder, "cassette-edited") });
}

/** Drives the run until it ends. The demo gives the answers a person would. */
async function carryOut(session: Session, runId: string, io: Io, progress: ProgressDisplay, say: (text: string) => void): Promise<Outcome> {
  const answered = new Set<string>();
  for (;;) {
    const outcome = await session.drive(runId);
    progress.pause();
    if (outcome.status !== "waiting") return outcome;
    if ((await answerAll(session, io, say, answered)) === 0) throw stuck(io.cwd, await session.records.inbox.listOpen());
  }
}

function quoted(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function stuck(folder: string, asked: readonly { readonly title: string }[]): SlipwayError {
  return new SlipwayError(
    "gate_failed",
    `The demo has no answer to this: ${asked.map(({ title }) => title).join("; ") || "nothing is asked"}`,
    {
      file: folder,
      suggested_next_actions: [
        `Look around in ${folder}: \`slipway factory status\`, \`slipway inbox\`.`,
        "Check this machine with `slipway doctor`.",
      ],
    },
  );
}

function cannotRecord(): SlipwayError {
  return new SlipwayError("invalid_cli_args", "The answers of `slipway demo factory` are written by a program, not recorded.", {
    suggested_next_actions: ["Write them anew with `npm run record:demo-factory`; see packages/cli/demo-factory/README.md."],
  });
}
