import type { Question } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import type { Actor } from "@slipway/kernel/record/operations/operation";
import { parseInput } from "@slipway/kernel/record/operations/operation";
import { z } from "zod";
import { attestation, type Attestation } from "./answers.ts";
import { attested, recordAnswer } from "./escalate.ts";
import { escalationKind, type Escalation } from "./schema.ts";
import { openProject, type Project } from "../project/project.ts";
import type { FactoryStores } from "../stores.ts";
import type { ProjectRun } from "../project-run.ts";

/** Wakes a run that waits for an answer to an escalation. It attests nothing itself: the run checks the task. */
const attestedAnswer = z.strictObject({ action: z.literal("ATTESTED"), escalation_id: z.string() });

export function wakeUp({ escalation_id }: Pick<Escalation, "escalation_id">): z.output<typeof attestedAnswer> {
  return { action: "ATTESTED", escalation_id };
}

type AttestStores = Pick<FactoryStores, "documents" | "codeIndex" | "projectStore">;

export interface AttestedTask {
  readonly task_id: string;
  readonly escalation_id: string;
  readonly module_refs: readonly string[];
  readonly rationale: string;
}

/**
 * Records the attestation in the escalation, then in the state machine. Called again after a kill, it completes the missing part with the
 * recorded values.
 */
export async function attestTask(
  stores: AttestStores,
  by: Actor,
  task_id: string,
  given: z.input<typeof attestation>,
  at: string,
): Promise<AttestedTask> {
  const asked = parseInput({ name: "attest", input: attestation }, given);
  const project = await openProject(stores.projectStore);
  const escalation = await escalationOf(stores, project, task_id);
  await assertShipped(stores, asked);
  const { escalation_id } = escalation;
  const call = (part: string) => ({ actor: by, operationId: `attest/${escalation_id}/${part}` });
  const before = earlier(escalation);
  const { change, record } =
    before === null
      ? attested(escalation, asked, `${by.type}:${by.id}`, at)
      : attested(escalation, attestation.parse(before.payload), before.by, before.at);
  if (before === null) await recordAnswer(stores.documents, call("record"), escalation_id, record);
  await project?.apply(call("state"), change);
  const { rationale, module_refs } = attestation.parse(record.payload);
  return { task_id, escalation_id, module_refs, rationale };
}

function earlier({ resolution }: Escalation) {
  return resolution?.action === "ATTEST" ? resolution : null;
}

async function escalationOf({ documents }: AttestStores, project: Project | null, task_id: string): Promise<Escalation> {
  if (project === null || !project.board().has(task_id)) {
    throw refused(
      task_id,
      `There is no task ${JSON.stringify(task_id.slice(0, 140))} in the project.`,
      "`slipway factory tasks` lists them.",
    );
  }
  const { status, escalation_ref } = project.task(task_id);
  const escalation = escalation_ref === null ? null : await documents.find(escalationKind, escalation_ref);
  if (escalation !== null && (status === "HALTED" || (status === "SHIPPED" && earlier(escalation) !== null))) return escalation;
  const next = status === "HALTED" ? "Run `slipway resume` to record the escalation, then attest." : "Only a halted task can be attested.";
  throw refused(task_id, `${task_id} is ${status} and cannot be attested.`, next);
}

async function assertShipped({ codeIndex }: AttestStores, { module_refs }: Attestation): Promise<void> {
  for (const ref of module_refs) {
    if ((await codeIndex.find(ref))?.status === "SHIPPED") continue;
    throw refused(ref, `${ref} is not SHIPPED, so no task can be resolved by it.`, "Name a version that the code index has as SHIPPED.");
  }
}

function refused(subject: string, message: string, next: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", message, { subject, suggested_next_actions: [next] });
}

/** Thrown when the question a run waits for has become unnecessary. */
class Attested extends Error {}

/** Null if the task was attested in the meantime. */
export async function unlessAttested<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Attested) return null;
    throw error;
  }
}

/** Asks about a halted task; throws `Attested` if a person attests it in the meantime. */
export async function askAboutHalt<T>(
  run: ProjectRun,
  { task_id }: Pick<Escalation, "task_id">,
  name: string,
  question: Question<T>,
): Promise<T> {
  const schema = z.union([...alternativesOf(question.schema), attestedAnswer]) as z.ZodType<T | z.output<typeof attestedAnswer>>;
  const { onTimeout: _, ...plain } = question;
  for (let round = 1; ; round++) {
    const asked = round === 1 ? name : `${name}~${round}`;
    const answer = await run.ctx.ask(asked, { ...plain, schema });
    if (!isWakeUp(answer)) return answer;
    if (await isShipped(run, `attested:${asked}`, task_id)) throw new Attested(`${task_id} was attested.`);
  }
}

/** Reads the current state: the task may have been attested while no question was open. */
export function isShipped(run: ProjectRun, step: string, task_id: string): Promise<boolean> {
  return run.keep(step, async () => {
    const project = await run.project();
    await project.refresh();
    return project.task(task_id).status === "SHIPPED";
  });
}

function alternativesOf(schema: z.ZodType): readonly z.core.$ZodType[] {
  return schema instanceof z.ZodUnion ? schema.options : [schema];
}

function isWakeUp(answer: unknown): answer is z.output<typeof attestedAnswer> {
  return attestedAnswer.safeParse(answer).success;
}
