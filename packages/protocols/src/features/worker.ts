import { escalationsAfter } from "@slipway/agents/routing/tiers";
import { inPlace } from "../asking.ts";
import { certain } from "./attempt.ts";
import type { Entries } from "./batch.ts";
import { folderFor } from "./folder.ts";
import { packFor } from "./pack.ts";
import { withPauses } from "./pausing.ts";
import type { Start, Tried } from "./phase.ts";
import { answerRequest } from "./requests.ts";
import { WORKER_OUTPUT, type WorkerOutput, type WorkerRole } from "./schemas.ts";
import { beginSession } from "./sessions.ts";
import { orchestratorCall, type Site } from "./site.ts";

export interface Assignment<R extends WorkerRole> extends Start {
  readonly role: R;
  /** The QA batch; other roles keep one session per feature. */
  readonly batch?: string;
  readonly instructions?: string;
  readonly entries?: Entries;
}

/** What is left when notes and requests have been dealt with. A QA's note is its word that no test is missing. */
export type Delivered<R extends WorkerRole> = Exclude<WorkerOutput<R>, { type: "REQUEST" }> &
  (R extends "qa" ? unknown : { type: "PLAN_SUBMISSION" | "PATCH" });

export const INSTRUCTIONS: Record<WorkerRole, string> = {
  planner: "Return a PLAN_SUBMISSION for this feature.",
  builder: "Return a PATCH that carries out the plan on the current files.",
  qa: "Return a PATCH with the tests that are missing, or a NOTE if none are; in `updates`, your verdict on each entry of the test index.",
};

/** One invocation. Notes are kept, requests are answered; neither counts as the work that was asked for. */
export async function askWorker<R extends WorkerRole>(site: Site, assignment: Assignment<R>): Promise<Tried<Delivered<R>>> {
  const { role, attempt, last, batch, show, entries, failures = 0, instructions = INSTRUCTIONS[role] } = assignment;
  const step = `${role}:${attempt}`;
  await beginSession(site, role, attempt, batch);
  const reply = await withPauses(site, step, (name, said) =>
    inPlace<WorkerOutput<R>>(site, name, async (signal) => {
      const pack = await packFor(site, { role, last, show, entries });
      return site.shop.desk.invoke(
        {
          role,
          subject: site.id,
          runId: site.ctx.runId,
          attempt,
          invocation: orchestratorCall(site, step).operationId,
          escalations: escalationsAfter(failures),
          pack,
          instructions,
          schema: WORKER_OUTPUT[role],
          call: orchestratorCall(site, name),
          folder: () => folderFor(site, role, show),
          said,
        },
        signal,
      );
    }),
  );
  if (!reply.ok) return reply;
  const output = reply.value;
  if (output.type === "NOTE") {
    await certain(site, `note:${step}`, (call) => site.shop.kernel.features.note(call, { feature_id: site.id, role, text: output.text }));
    if (role !== "qa") return notTheWork(role, "a NOTE");
  }
  if (output.type === "REQUEST") return answerRequest(site, step, role, output);
  return { ok: true, value: output as Delivered<R> };
}

function notTheWork(role: string, found: string): Tried<never> {
  return { ok: false, reply: `The ${role} returned ${found}, which was recorded; the work itself is still wanted.` };
}
