import { relative, resolve, sep } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import type { NothingToDo, Prepared, RunRequest } from "../protocol.ts";
import type { Starter } from "../surface/surface.ts";
import { indexOf } from "./commands/with-index.ts";
import { earlierFrom } from "./incremental/previous.ts";
import type { ProjectView } from "./project/status.ts";
import type { ProjectHead } from "./projects/projects.ts";
import type { FactoryInput } from "./protocol.ts";
import { openFactoryStores } from "./stores.ts";

/** The input of a run over a page. The page is stored by digest: the run never reads the user's file. */
export async function prepareFactory(starter: Starter, { specs, cwd, env }: RunRequest): Promise<Prepared> {
  const [spec] = specs;
  if (spec === undefined) throw new TypeError("The factory takes one page.");
  await assertNoneAtWork(starter);
  const { page, earlier } = await earlierProject(starter, cwd, spec);
  if (earlier.kind === "nothing_to_do") return nothingToDo(spec.path, earlier.head);
  await indexOf(starter.kernel, { env }).assertSearchable();
  const input: FactoryInput = {
    project: spec.id,
    spec_source: page.source,
    spec_digest: page.digest,
    ...(earlier.kind === "again" ? { previous: earlier.previous } : {}),
  };
  return { input, slug: spec.id, ...(earlier.kind === "again" ? { note: `, after ${earlier.previous.project_id}` } : {}) };
}

/** The project made from this page before, if any. */
async function earlierProject(session: Starter, cwd: string, { path, bytes }: Spec) {
  const page = { source: sourceOf(session, cwd, path), digest: await session.records.objects.put(bytes) };
  const { projects } = openFactoryStores(session.records).projectStore;
  const hasEnded = async (runId: string) => (await session.engine.run(runId))?.status === "completed";
  return { page, earlier: await earlierFrom(projects, page.source, page.digest, hasEnded) };
}

function nothingToDo(page: string, { project_id, summary }: ProjectHead<ProjectView>): NothingToDo {
  const { SHIPPED: shipped, ABANDONED: abandoned } = summary.counts;
  return {
    json: { status: "unchanged", project_id, spec_source: page, shipped, abandoned },
    lines: [
      `Nothing to do: ${page} is unchanged since ${project_id} was built (${shipped} tasks shipped, ${abandoned} abandoned).`,
      "  next: edit it and run again, or `slipway factory status`",
    ],
  };
}

/** One project at a time: a second one would replace the first. */
async function assertNoneAtWork({ engine }: Starter): Promise<void> {
  const unfinished = await engine.runs({ rootsOnly: true, status: ["pending", "running", "waiting", "stopped"] });
  const other = unfinished.find(({ workflow }) => workflow === "factory");
  if (other === undefined) return;
  throw new SlipwayError("run_exists", `The factory is working on another project (run ${other.runId}).`, {
    run_id: other.runId,
    suggested_next_actions: [`Continue it: \`slipway resume ${other.runId}\`, or end it: \`slipway stop ${other.runId} --cancel\`.`],
  });
}

function sourceOf({ kernel }: Starter, cwd: string, path: string): string {
  return relative(kernel.repository.root, resolve(cwd, path)).split(sep).join("/");
}
