import { jsonLine } from "./terminal/escape.ts";
import { basename, relative, resolve, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { featureIdOf } from "@slipway/kernel/change/plan/specs/feature-id";
import { readSpec, type Spec } from "@slipway/kernel/change/plan/specs/read";
import type { ProjectHead } from "@slipway/protocols/factory/projects/projects";
import { earlierFrom } from "@slipway/protocols/factory/incremental/previous";
import type { ProjectView } from "@slipway/protocols/factory/project/status";
import type { FactoryInput } from "@slipway/protocols/factory/protocol";
import { openFactoryRooms } from "@slipway/protocols/factory/rooms";
import { agentChoice } from "./agent-choice.ts";
import { assertAgents } from "@slipway/runtime/agents";
import type { Arguments } from "./command.ts";
import { conduct } from "./conduct.ts";
import { EXIT, type ExitCode } from "@slipway/runtime/exit-codes";
import { indexOf } from "./index-room.ts";
import type { Io } from "./io.ts";
import type { Session } from "@slipway/runtime/session";
import { freeRunId } from "@slipway/runtime/start-run";
import { reasonFrom } from "./unsandboxed.ts";
import { withSession } from "./with-session.ts";

/** From a page of intent to a run that is carried out until it ends or a person is needed. */
export async function startFactory(args: Arguments, io: Io, page: string): Promise<ExitCode> {
  const spec = await readPage(io.cwd, page);
  const choice = agentChoice(args);
  const json = args.flag("json");
  return withSession({ io, json, agents: choice, unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
    await assertNoneAtWork(session);
    const { earlier } = await lookBack(session, io, spec);
    if (earlier.kind === "nothing_to_do") return nothingToDo(io, json, spec.path, earlier.head);
    await assertAgents({ kernel: session.kernel, io, choice, protocol: "factory" });
    const runId = await beginFactory(session, io, spec, { skipBaseGates: args.flag("skip-base-gates") });
    if (!json) io.out(`run ${runId}${earlier.kind === "again" ? `, after ${earlier.previous.project_id}` : ""}\n`);
    return await conduct({ session, runId, io, json, progress });
  });
}

/** Reads the page. Its name becomes the project's, in small letters: SPEC.md is how such a page is called. */
export async function readPage(cwd: string, path: string): Promise<Spec> {
  const bytes = await readSpec(cwd, path);
  return { id: featureIdOf(basename(path).toLowerCase()), path, bytes };
}

/** Records the run. The page is kept by digest: from here on nobody reads the user's file again. */
export async function beginFactory(session: Session, io: Io, spec: Spec, { skipBaseGates = false } = {}): Promise<string> {
  await assertNoneAtWork(session);
  await indexOf(session.kernel, io).assertSearchable();
  const { page, earlier } = await lookBack(session, io, spec);
  // Found out now rather than after the product owner has been paid.
  await session.sandbox();
  const runId = await freeRunId(session, spec.id);
  const input: FactoryInput = {
    agents: await session.agents("factory"),
    ...(skipBaseGates ? { skip_base_gates: true } : {}),
    project: spec.id,
    spec_source: page.source,
    spec_digest: page.digest,
    ...(earlier.kind === "again" ? { previous: earlier.previous } : {}),
  };
  await session.engine.start("factory", input, { runId });
  await session.recordOverride(runId);
  return runId;
}

/** What was made from this page before. */
async function lookBack(session: Session, io: Io, { path, bytes }: Spec) {
  const page = { source: sourceOf(session, io, path), digest: await session.records.objects.put(bytes) };
  const { projects } = openFactoryRooms(session.records).room;
  const hasEnded = async (runId: string) => (await session.engine.run(runId))?.status === "completed";
  return { page, earlier: await earlierFrom(projects, page.source, page.digest, hasEnded) };
}

/** Nobody is asked, and nothing runs. */
function nothingToDo(io: Io, json: boolean, page: string, { project_id, summary }: ProjectHead<ProjectView>): ExitCode {
  const { SHIPPED: shipped, ABANDONED: abandoned } = summary.counts;
  if (json) io.out(jsonLine({ status: "unchanged", project_id, spec_source: page, shipped, abandoned }));
  else {
    io.out(`Nothing to do: ${page} is as it was when ${project_id} was built (${shipped} tasks shipped, ${abandoned} abandoned).\n`);
    io.out("  next: edit it and run again, or `slipway factory status`\n");
  }
  return EXIT.done;
}

/** One project at a time: a second one would take the first one's place. */
async function assertNoneAtWork({ engine }: Session): Promise<void> {
  const unfinished = await engine.runs({ rootsOnly: true, status: ["pending", "running", "waiting", "stopped"] });
  const other = unfinished.find(({ workflow }) => workflow === "factory");
  if (other === undefined) return;
  throw new SlipwayError("run_exists", `The factory is at work on another project (run ${other.runId}).`, {
    run_id: other.runId,
    suggested_next_actions: [`Continue it: \`slipway resume ${other.runId}\`, or end it: \`slipway stop ${other.runId} --cancel\`.`],
  });
}

function sourceOf({ repository }: Session, io: Io, path: string): string {
  return relative(repository.root, resolve(io.cwd, path)).split(sep).join("/");
}
