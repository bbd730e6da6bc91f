import type { Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { amendPlan } from "./amendment.ts";
import { holdResources } from "../change/locks.ts";
import type { AttemptResult } from "../change/phase.ts";
import type { RequestKind, WorkerRequest } from "./schemas.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { ChangeRun } from "../change/change-run.ts";

/** Who answers a request, for each role that may make it. */
const REQUESTS: Readonly<Record<RequestKind, Readonly<Partial<Record<WorkerRole, "arbitration" | "planner" | "next pack">>>>> = {
  lock: { builder: "arbitration", qa: "arbitration" },
  plan_amendment: { builder: "planner", qa: "planner" },
  more_context: { planner: "next pack", builder: "next pack", qa: "next pack" },
};

/** The worker gets the reply with its next attempt. */
export async function answerRequest(
  change: ChangeRun,
  step: string,
  role: WorkerRole,
  request: WorkerRequest,
): Promise<AttemptResult<never>> {
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
      return { ok: false, reply: `A ${role} cannot ask for ${kindText(request)}: ${INSTEAD[request.request]}` };
  }
}

const INSTEAD: Readonly<Record<WorkerRequest["request"], string>> = {
  lock: "Slipway acquires the locks of a plan when the plan is submitted.",
  plan_amendment: "return the changed plan instead.",
  more_context: "work with what you have.",
};

/** Does not wait for a lock that another feature holds: the worker learns of the holder and may work without the lock. */
async function lockFor(change: ChangeRun, step: string, { resources = [] }: WorkerRequest): Promise<AttemptResult<never>> {
  const known = change.services.kernel.configuration.policy.locks.resources;
  const unknown = resources.filter((resource) => !known.includes(resource));
  if (resources.length === 0 || unknown.length > 0)
    return { ok: false, reply: `Name the locks you want in "resources". The locks are: ${known.join(", ")}.` };
  const contended = await holdResources(change, `lock:${step}`, async () => resources);
  return { ok: false, reply: contended === null ? `You now hold ${resources.join(", ")}.` : refusal(contended) };
}

function refusal({ code, message }: Failure): string {
  return `The lock is not available now. ${code}: ${message}`;
}

async function showFiles(change: ChangeRun, step: string, paths: readonly string[]): Promise<AttemptResult<never>> {
  const found = await change.ctx.step(`show:${step}`, async () => {
    const { files } = await change.services.kernel.features.context(change.id);
    return files.map(({ path }) => path).filter((path) => paths.includes(path) && !isConfiguration(path));
  });
  const hidden = paths.filter(isConfiguration);
  const missing = paths.filter((path) => !found.includes(path) && !hidden.includes(path));
  const reply = [
    ...(found.length === 0 ? [] : [`These files are shown now: ${found.join(", ")}.`]),
    ...(hidden.length === 0 ? [] : [`Slipway's own files are not shown: ${hidden.join(", ")}.`]),
    ...(missing.length === 0 ? [] : [`These files do not exist: ${missing.join(", ")}.`]),
  ];
  return { ok: false, reply: reply.join(" "), show: found };
}

/** Gates, policy and hidden checks: a worker must not see what judges its work. */
function isConfiguration(path: string): boolean {
  return path.startsWith("slipway/");
}

/** The orchestrator asks the person; the worker sees the answer. */
async function askPerson(change: ChangeRun, step: string, role: WorkerRole, request: WorkerRequest): Promise<AttemptResult<never>> {
  const answer = await change.ctx.ask(`request:${step}`, {
    kind: "request",
    title: `The ${role} of ${change.id} asks for ${kindText(request)}`,
    body: request.text,
    schema: z.strictObject({ comment: z.string().min(1) }),
    context: { feature_id: change.id, role, request: request.request },
  });
  return { ok: false, reply: `A person answered your request: ${answer.comment}` };
}

function kindText({ request }: WorkerRequest): string {
  return request.replace("_", " ");
}
