import { z } from "zod";
import { contribute, json, play, type RoleName, type RoleWork } from "../engineering/record.ts";
import type { TaskRun } from "../engineering/task-run.ts";
import { MAX_ROUNDS, type DebateRound, type ResolvePorts } from "../exceptions/resolve.ts";
import { contractDelta } from "../exceptions/schema.ts";

type Asked = Parameters<ResolvePorts["debateRound"]>[0];

const nonEmpty = z.string().regex(/\S/, "must not be empty");

const contractChallenge = z.strictObject({
  verdict: z.enum(["PASS", "FAIL"]),
  objections: z.array(z.strictObject({ question: nonEmpty, evidence: nonEmpty, required_change: nonEmpty })),
});

const contractAdjudication = z.strictObject({ decision: z.enum(["APPROVE", "REJECT"]), rationale: nonEmpty });

const revisedDelta = z.strictObject({ proposed_delta: contractDelta });

/** One round about a changed contract: challenge, adjudication and, if rejected, a revision for the next round. */
export async function debateContract(run: TaskRun, asked: Asked): Promise<DebateRound> {
  const questions = asked.questions.map((question) => `- ${question}`).join("\n");
  const challenge = await ask(run, asked, "challenger", [], {
    instructions: `The contract of a shipped module is to be changed; there is no implementation to judge. Answer each question:\n${questions}`,
    schema: contractChallenge,
  });
  const adjudication = await ask(run, asked, "arbiter", [{ title: "challenge", text: json(challenge) }], {
    instructions: `Decide whether to accept the changed contract, by these questions:\n${questions}`,
    schema: contractAdjudication,
  });
  const { decision, rationale } = adjudication ?? { decision: "REJECT" as const, rationale: "The Arbiter gave no decision." };
  const record = { candidate: asked.candidate, challenge, adjudication };
  if (decision === "APPROVE" && asked.candidate.claim_holds) return { decision, rationale, record };
  const again = asked.number === MAX_ROUNDS ? null : await revise(run, asked, rationale);
  return { decision, rationale, record, ...(again === null ? {} : { revised: again.proposed_delta }) };
}

function revise(run: TaskRun, asked: Asked, rationale: string): Promise<z.output<typeof revisedDelta> | null> {
  const { claimed, found, claim_holds } = asked.candidate;
  const broken = claim_holds ? "" : ` It was claimed to be ${claimed}, and it is ${found}.`;
  return ask(run, asked, "proposer", [{ title: "adjudication", text: `${rationale}${broken}` }], {
    instructions: "The change of the contract was rejected. Return another one that meets the need and avoids the objections.",
    schema: revisedDelta,
  });
}

const CONTRIBUTION = { challenger: "CHALLENGE", arbiter: "ADJUDICATION", proposer: "CONTRACT" } as const;

/** Null if there was no valid answer. */
async function ask<T>(
  run: TaskRun,
  { number, exception, candidate, impact, earlier }: Asked,
  role: Exclude<RoleName, "planner">,
  more: readonly { readonly title: string; readonly text: string }[],
  work: Pick<RoleWork<T>, "instructions" | "schema">,
): Promise<T | null> {
  const { exception_id, target_module } = exception;
  const step = `${exception_id}:${role}:${number}`;
  const texts = [
    { title: "interface change exception", text: json(exception) },
    { title: "contract as it would be", text: json(candidate.contract) },
    { title: "differences", text: candidate.differences.join("\n") },
    { title: "consumers", text: json(impact) },
    { title: "earlier rounds", text: json(earlier.map(({ decision, rationale }) => ({ decision, rationale }))) },
    ...more,
  ];
  const played = await play(run, {
    ...work,
    step,
    role,
    subject: target_module.slice(0, target_module.indexOf("@")),
    attempt: `contract-${number}`,
    context: {
      included_refs: [{ ref: target_module, permission: "CONTRACT_ONLY", reason: "its contract is to be changed" }],
      excluded_refs: [],
      sections: texts.map((section) => ({ ...section, kind: "contract" as const })),
    },
  });
  await contribute(run, step, played.by, played.contextPack, CONTRIBUTION[role], exception_id);
  return played.reply.ok ? played.reply.value : null;
}
