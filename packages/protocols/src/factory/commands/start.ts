import { jsonLine } from "../../surface/escape.ts";
import { basename, relative, resolve, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { featureIdOf } from "@slipway/kernel/change/plan/specs/feature-id";
import { readSpec, type Spec } from "@slipway/kernel/change/plan/specs/read";
import type { ProjectHead } from "../projects/projects.ts";
import { earlierFrom } from "../incremental/previous.ts";
import type { ProjectView } from "../project/status.ts";
import { factory, type FactoryInput } from "../protocol.ts";
import { openFactoryRooms } from "../rooms.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { EXIT, type ExitCode } from "../../surface/exit-codes.ts";
import { indexOf } from "./index-room.ts";
import type { Begun, Starter, Surface } from "../../surface/surface.ts";

/** From a page of intent to a run that is carried out until it ends or a person is needed. */
export const run: RunCommand = async (args, surface) => {
  const spec = await readPage(surface.cwd, onePage(args));
  return surface.run(args, async (starter) => {
    const begun = await beginFactory(starter, surface, spec, { skipBaseGates: args.flag("skip-base-gates") });
    return "nothingToDo" in begun ? nothingToDo(surface, args.flag("json"), spec.path, begun.nothingToDo) : begun;
  });
};

function onePage(args: Arguments): string {
  const file = args.text("fi");
  const named = [...args.positionals, ...(file === undefined ? [] : [file])];
  const [page] = named;
  if (named.length === 1 && page !== undefined && args.text("fl") === undefined) return page;
  throw new SlipwayError("invalid_cli_args", `The factory takes one page, and ${named.length} were named.`, {
    suggested_next_actions: ["Name one: `slipway factory SPEC.md`."],
  });
}

/** Reads the page. Its name becomes the project's, in small letters: SPEC.md is how such a page is called. */
export async function readPage(cwd: string, path: string): Promise<Spec> {
  const bytes = await readSpec(cwd, path);
  return { id: featureIdOf(basename(path).toLowerCase()), path, bytes };
}

/** Records the run. The page is kept by digest: from here on nobody reads the user's file again. */
export async function beginFactory(
  starter: Starter,
  caller: Pick<Surface, "cwd" | "env">,
  spec: Spec,
  { skipBaseGates = false } = {},
): Promise<Begun | { readonly nothingToDo: ProjectHead<ProjectView> }> {
  await assertNoneAtWork(starter);
  const { page, earlier } = await lookBack(starter, caller, spec);
  if (earlier.kind === "nothing_to_do") return { nothingToDo: earlier.head };
  await starter.assertAgents("factory");
  await indexOf(starter.kernel, caller).assertSearchable();
  await starter.sandbox();
  const input: FactoryInput = {
    agents: await starter.agents("factory"),
    ...(skipBaseGates ? { skip_base_gates: true } : {}),
    project: spec.id,
    spec_source: page.source,
    spec_digest: page.digest,
    ...(earlier.kind === "again" ? { previous: earlier.previous } : {}),
  };
  const runId = await starter.start(factory.name, spec.id, input);
  return { runId, ...(earlier.kind === "again" ? { note: `, after ${earlier.previous.project_id}` } : {}) };
}

/** What was made from this page before. */
async function lookBack(session: Starter, io: Pick<Surface, "cwd">, { path, bytes }: Spec) {
  const page = { source: sourceOf(session, io, path), digest: await session.records.objects.put(bytes) };
  const { projects } = openFactoryRooms(session.records).room;
  const hasEnded = async (runId: string) => (await session.engine.run(runId))?.status === "completed";
  return { page, earlier: await earlierFrom(projects, page.source, page.digest, hasEnded) };
}

/** Nobody is asked, and nothing runs. */
function nothingToDo(io: Surface, json: boolean, page: string, { project_id, summary }: ProjectHead<ProjectView>): ExitCode {
  const { SHIPPED: shipped, ABANDONED: abandoned } = summary.counts;
  if (json) io.out(jsonLine({ status: "unchanged", project_id, spec_source: page, shipped, abandoned }));
  else {
    io.out(`Nothing to do: ${page} is as it was when ${project_id} was built (${shipped} tasks shipped, ${abandoned} abandoned).\n`);
    io.out("  next: edit it and run again, or `slipway factory status`\n");
  }
  return EXIT.done;
}

/** One project at a time: a second one would take the first one's place. */
async function assertNoneAtWork({ engine }: Starter): Promise<void> {
  const unfinished = await engine.runs({ rootsOnly: true, status: ["pending", "running", "waiting", "stopped"] });
  const other = unfinished.find(({ workflow }) => workflow === "factory");
  if (other === undefined) return;
  throw new SlipwayError("run_exists", `The factory is at work on another project (run ${other.runId}).`, {
    run_id: other.runId,
    suggested_next_actions: [`Continue it: \`slipway resume ${other.runId}\`, or end it: \`slipway stop ${other.runId} --cancel\`.`],
  });
}

function sourceOf({ repository }: Starter, io: Pick<Surface, "cwd">, path: string): string {
  return relative(repository.root, resolve(io.cwd, path)).split(sep).join("/");
}
