import type { Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { amendPlan } from "./amendment.ts";
import { holdResources } from "./locks.ts";
import type { Tried } from "./phase.ts";
import { REQUESTS } from "./routing.ts";
import type { WorkerRequest, WorkerRole } from "./schemas.ts";
import type { Site } from "./site.ts";

/** Every answer goes back to the worker who asked, with its next attempt. */
export async function answerRequest(site: Site, step: string, role: WorkerRole, request: WorkerRequest): Promise<Tried<never>> {
  switch (REQUESTS[request.request][role]) {
    case "arbitration":
      return lockFor(site, step, request);
    case "planner":
      return { ok: false, reply: await amendPlan(site, step, request.text) };
    case "next pack":
      return request.paths === undefined || request.paths.length === 0
        ? askPerson(site, step, role, request)
        : showFiles(site, step, request.paths);
    default:
      return { ok: false, reply: `A ${role} cannot ask for ${inWords(request)}: ${INSTEAD[request.request]}` };
  }
}

const INSTEAD: Readonly<Record<WorkerRequest["request"], string>> = {
  lock: "the locks a plan needs are taken with it.",
  plan_amendment: "return the plan as it should be.",
  more_context: "work with what you have.",
};

/** A lock that another feature holds is told, not waited for: the worker may do without, or say what it needs it for. */
async function lockFor(site: Site, step: string, { resources = [] }: WorkerRequest): Promise<Tried<never>> {
  const known = site.shop.kernel.configuration.policy.locks.resources;
  const unknown = resources.filter((resource) => !known.includes(resource));
  if (resources.length === 0 || unknown.length > 0)
    return { ok: false, reply: `Name the locks you want in "resources"; there are ${known.join(", ")}.` };
  const contended = await holdResources(site, `lock:${step}`, async () => resources);
  return { ok: false, reply: contended === null ? `You hold ${resources.join(", ")} now.` : refusal(contended) };
}

function refusal({ code, message }: Failure): string {
  return `You cannot have it now. ${code}: ${message}`;
}

async function showFiles(site: Site, step: string, paths: readonly string[]): Promise<Tried<never>> {
  const there = await site.ctx.step(`show:${step}`, async () => {
    const { files } = await site.shop.kernel.features.context(site.id);
    return files.map(({ path }) => path).filter((path) => paths.includes(path) && !isConfiguration(path));
  });
  const kept = paths.filter(isConfiguration);
  const missing = paths.filter((path) => !there.includes(path) && !kept.includes(path));
  const told = [
    ...(there.length === 0 ? [] : [`These files are shown now: ${there.join(", ")}.`]),
    ...(kept.length === 0 ? [] : [`Slipway's own files are not shown: ${kept.join(", ")}.`]),
    ...(missing.length === 0 ? [] : [`There is no such file: ${missing.join(", ")}.`]),
  ];
  return { ok: false, reply: told.join(" "), show: there };
}

/** Gates, policy, and checks that nobody who is judged by them should see. */
function isConfiguration(path: string): boolean {
  return path.startsWith("slipway/");
}

/** Only the orchestrator speaks with people; the worker sees the answer. */
async function askPerson(site: Site, step: string, role: WorkerRole, request: WorkerRequest): Promise<Tried<never>> {
  const answer = await site.ctx.ask(`request:${step}`, {
    kind: "request",
    title: `The ${role} of ${site.id} asks for ${inWords(request)}`,
    body: request.text,
    schema: z.strictObject({ comment: z.string().min(1) }),
    context: { feature_id: site.id, role, request: request.request },
  });
  return { ok: false, reply: `A person answered your request: ${answer.comment}` };
}

function inWords({ request }: WorkerRequest): string {
  return request.replace("_", " ");
}
