import type { Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { amendPlan } from "./amendment.ts";
import { holdResources } from "../change/locks.ts";
import type { Tried } from "../change/phase.ts";
import type { RequestKind, WorkerRequest } from "./schemas.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { ChangeRun } from "../change/change-run.ts";

/** Who answers a request, for each role that may make it. */
const REQUESTS: Readonly<Record<RequestKind, Readonly<Partial<Record<WorkerRole, "arbitration" | "planner" | "next pack">>>>> = {
  lock: { builder: "arbitration", qa: "arbitration" },
  plan_amendment: { builder: "planner", qa: "planner" },
  more_context: { planner: "next pack", builder: "next pack", qa: "next pack" },
};

/** Every answer goes back to the worker who asked, with its next attempt. */
export async function answerRequest(change: ChangeRun, step: string, role: WorkerRole, request: WorkerRequest): Promise<Tried<never>> {
  switch (REQUESTS[request.request][role]) {
    case "arbitration":
      return lockFor(change, step, request);
    case "planner":
      return { ok: false, reply: await amendPlan(change, step, request.text) };
    case "next pack":
      return request.paths === undefined || request.paths.length === 0
        ? askPerson(change, step, role, request)
        : showFiles(change, step, request.paths);
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
async function lockFor(change: ChangeRun, step: string, { resources = [] }: WorkerRequest): Promise<Tried<never>> {
  const known = change.services.kernel.configuration.policy.locks.resources;
  const unknown = resources.filter((resource) => !known.includes(resource));
  if (resources.length === 0 || unknown.length > 0)
    return { ok: false, reply: `Name the locks you want in "resources"; there are ${known.join(", ")}.` };
  const contended = await holdResources(change, `lock:${step}`, async () => resources);
  return { ok: false, reply: contended === null ? `You hold ${resources.join(", ")} now.` : refusal(contended) };
}

function refusal({ code, message }: Failure): string {
  return `You cannot have it now. ${code}: ${message}`;
}

async function showFiles(change: ChangeRun, step: string, paths: readonly string[]): Promise<Tried<never>> {
  const there = await change.ctx.step(`show:${step}`, async () => {
    const { files } = await change.services.kernel.features.context(change.id);
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
async function askPerson(change: ChangeRun, step: string, role: WorkerRole, request: WorkerRequest): Promise<Tried<never>> {
  const answer = await change.ctx.ask(`request:${step}`, {
    kind: "request",
    title: `The ${role} of ${change.id} asks for ${inWords(request)}`,
    body: request.text,
    schema: z.strictObject({ comment: z.string().min(1) }),
    context: { feature_id: change.id, role, request: request.request },
  });
  return { ok: false, reply: `A person answered your request: ${answer.comment}` };
}

function inWords({ request }: WorkerRequest): string {
  return request.replace("_", " ");
}
