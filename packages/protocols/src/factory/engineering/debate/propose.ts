import { z } from "zod";
import { digestOf } from "@slipway/durable/canonical";
import type { ModuleBrief } from "../brief.ts";
import { proposerContext } from "../context.ts";
import { coverageSchema, type Coverage } from "../coverage.ts";
import { deliverableOf, filesSchema, type Deliverable } from "../deliverable.ts";
import type { FolderAnswer } from "../folder.ts";
import { interfaceChangeSchema, type InterfaceChange } from "../interface-change.ts";
import { contribute, json, recordArtifact, play, type Played } from "../record.ts";
import type { TaskRun } from "../task-run.ts";
import { contributeRaised, raise } from "./raise.ts";
import { appliedSchema, type Adjudication, type Applied, type Objection, type Proposal } from "./schemas.ts";

/** A recorded deliverable with its claim. */
export interface Proposed {
  readonly files: Deliverable;
  readonly coverage: Coverage;
  readonly proposal: Proposal;
  readonly proposalRef: string;
  readonly implementation: { readonly id: string; readonly ref: string };
  readonly contextPack: string;
  /** A contract change of a dependency that the Proposer wants if its surface differs from the locked one. */
  readonly upstream_change?: InterfaceChange | undefined;
}

export type ProposalOutcome =
  | { readonly kind: "proposed"; readonly proposed: Proposed }
  | { readonly kind: "exception"; readonly raised: InterfaceChange; readonly exception_id: string }
  | { readonly kind: "none"; readonly problem: string };

const nonEmpty = z.string().regex(/\S/);
const upstream = {
  upstream_change: interfaceChangeSchema
    .optional()
    .describe(
      "Only if the contract of a dependency may make the surface differ from the locked one. Raised if the surface differs when the module would ship.",
    ),
};
const proposalFields = {
  type: z.literal("PROPOSAL"),
  claim: nonEmpty.describe("What it delivers and why that meets the contract."),
  acceptance_checks: z
    .array(nonEmpty)
    .min(1)
    .describe("Each begins with a criterion of the task, word for word, and ends with the name of an executed test that shows it."),
  coverage: coverageSchema,
  ...upstream,
};
const exceptionFields = { type: z.literal("INTERFACE_CHANGE"), ...interfaceChangeSchema.shape };
const files = { files: filesSchema };
const inFolder = { files: filesSchema.optional().describe("Leave it out: the content of your folder is the module.") };

const proposalAnswer = z.discriminatedUnion("type", [z.strictObject({ ...proposalFields, ...files }), z.strictObject(exceptionFields)]);
const proposalInFolder = z.discriminatedUnion("type", [
  z.strictObject({ ...proposalFields, ...inFolder }),
  z.strictObject(exceptionFields),
]);
const amendedFields = { type: z.literal("AMENDED"), applied: z.array(appliedSchema), ...upstream };
const amendedAnswer = z.strictObject({ ...amendedFields, ...files });
const amendedInFolder = z.strictObject({ ...amendedFields, ...inFolder });

export const PROPOSER_INSTRUCTIONS = {
  propose: "Return a PROPOSAL for this module.",
  revise: "Return the PROPOSAL again, with every point under `what has to change` answered.",
  amend: "Apply all amendments of the adjudication and return AMENDED, with one record for each of them.",
};

export interface Debated {
  readonly brief: ModuleBrief;
  readonly found: unknown;
}

export interface Revision {
  readonly files: Deliverable;
  readonly objections: { readonly ref: string | null; readonly failures: readonly Objection[] } | null;
  /** The implementation this one revises. */
  readonly follows: string | null;
}

/** Asks for one proposal and records it: the deliverable as a DRAFT artifact, the claim as another artifact. */
export async function propose(run: TaskRun, { brief, found }: Debated, round: number, revision: Revision): Promise<ProposalOutcome> {
  const { module_id } = brief.contract;
  const step = `${module_id}/propose:${round}`;
  const played = await play(run, {
    step,
    role: "proposer",
    subject: module_id,
    attempt: String(round),
    context: proposerContext({
      task: run.task,
      brief,
      found,
      schemas: run.services.schemas,
      files: revision.files,
      objections: revision.objections,
      adjudication: null,
    }),
    instructions: round === 1 ? PROPOSER_INSTRUCTIONS.propose : PROPOSER_INSTRUCTIONS.revise,
    schema: proposalAnswer,
    folder: workspace(brief, revision.files, proposalInFolder),
  });
  if (!played.reply.ok) {
    await contribute(run, step, played.by, played.contextPack, "IMPLEMENTATION", `refused:${digestOf(played.reply.failure.code)}`);
    return { kind: "none", problem: played.reply.failure.message };
  }
  const { value } = played.reply;
  if (value.type === "INTERFACE_CHANGE") {
    const { type: _, ...change } = value;
    const outcome = await raise(run, step, { played, artifact_ref: run.task.task_ref }, change);
    await contributeRaised(run, step, played, "IMPLEMENTATION", change, outcome);
    return outcome.ok ? { kind: "exception", ...outcome } : { kind: "none", problem: outcome.problem };
  }
  const { claim, acceptance_checks, coverage, upstream_change } = value;
  const claimed = { claim, acceptance_checks, coverage, upstream_change, files: deliverableOf(value.files) };
  return { kind: "proposed", proposed: await keepProposal(run, step, played, brief, claimed, revision.follows) };
}

export type Claimed = Pick<Proposal, "claim" | "acceptance_checks"> & Pick<Proposed, "coverage" | "files" | "upstream_change">;

/** Records deliverable and claim. */
export async function keepProposal(
  run: TaskRun,
  step: string,
  played: Pick<Played<unknown>, "by" | "contextPack">,
  brief: ModuleBrief,
  { claim, acceptance_checks, coverage, upstream_change, files: delivered }: Claimed,
  follows: string | null,
): Promise<Proposed> {
  const implementation = await recordArtifact(run, `${step}:implementation`, played, {
    type: "IMPLEMENTATION",
    contribution: "IMPLEMENTATION",
    body: delivered,
    inputs: [{ ref: brief.contractRef, purpose: "the contract it implements" }],
    follows: follows ?? undefined,
  });
  const draft = { target_artifact_id: implementation.id, claim, deliverable_ref: implementation.ref, acceptance_checks };
  const recorded = await recordArtifact(run, `${step}:proposal`, played, {
    type: "PROPOSAL",
    contribution: null,
    body: { "proposal.json": json(draft) },
    inputs: [{ ref: implementation.ref, purpose: "what it is about" }],
  });
  return {
    files: delivered,
    coverage,
    proposal: { proposal_id: recorded.id, ...draft },
    proposalRef: recorded.ref,
    implementation,
    contextPack: played.contextPack,
    ...(upstream_change === undefined ? {} : { upstream_change }),
  };
}

export type AmendOutcome =
  | { readonly files: Deliverable; readonly applied: readonly Applied[]; readonly upstream_change?: InterfaceChange | undefined }
  | { readonly problem: string };

/** Asks the Proposer to apply the amendments of an adjudication. The harness checks the result afterwards. */
export async function amend(
  run: TaskRun,
  { brief, found }: Debated,
  round: number,
  proposed: Proposed,
  adjudication: { readonly ref: string; readonly value: Adjudication },
): Promise<AmendOutcome> {
  const { module_id } = brief.contract;
  const step = `${module_id}/amend:${round}`;
  const played = await play(run, {
    step,
    role: "proposer",
    subject: module_id,
    attempt: `${round}-amended`,
    context: proposerContext({
      task: run.task,
      brief,
      found,
      schemas: run.services.schemas,
      files: proposed.files,
      objections: null,
      adjudication,
    }),
    instructions: PROPOSER_INSTRUCTIONS.amend,
    schema: amendedAnswer,
    folder: workspace(brief, proposed.files, amendedInFolder),
  });
  if (!played.reply.ok) {
    await contribute(run, step, played.by, played.contextPack, "IMPLEMENTATION", `refused:${digestOf(played.reply.failure.code)}`);
    return { problem: played.reply.failure.message };
  }
  const { value } = played.reply;
  const amended = deliverableOf(value.files);
  await recordArtifact(run, `${step}:implementation`, played, {
    type: "IMPLEMENTATION",
    contribution: "IMPLEMENTATION",
    body: amended,
    inputs: [
      { ref: proposed.implementation.ref, purpose: "what was amended" },
      { ref: adjudication.ref, purpose: "the amendments" },
    ],
  });
  return { files: amended, applied: value.applied, upstream_change: value.upstream_change };
}

/** The role's own module in full, for a provider that works on files; other modules are not included. */
function workspace({ contract }: ModuleBrief, delivered: Deliverable, schema: z.ZodType): FolderAnswer {
  return {
    files: { "contract.json": json(contract), ...delivered },
    writable: ["contract.json", "examples.md", "implementation", "tests"],
    schema,
    adopt: (answer, now) => {
      const given = answer as { readonly type?: string };
      if (given.type === "INTERFACE_CHANGE") return answer;
      return { ...given, files: Object.entries(now).map(([path, content]) => ({ path, content })) };
    },
  };
}
