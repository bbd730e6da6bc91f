import { z } from "zod";
import { contribute, json, play, type RoleName, type RoleWork } from "./engineering/record.ts";
import type { EngineeringSite } from "./engineering/site.ts";
import { MAX_ROUNDS, type DebateRound, type ResolvePorts } from "./exceptions/resolve.ts";
import { contractDelta } from "./exceptions/schema.ts";

type Asked = Parameters<ResolvePorts["debateRound"]>[0];

const said = z.string().regex(/\S/, "must not be empty");

const contractChallenge = z.strictObject({
  verdict: z.enum(["PASS", "FAIL"]),
  objections: z.array(z.strictObject({ question: said, evidence: said, required_change: said })),
});

const contractAdjudication = z.strictObject({ decision: z.enum(["APPROVE", "REJECT"]), rationale: said });

const revisedDelta = z.strictObject({ proposed_delta: contractDelta });

/** One round about a changed contract: challenged, adjudicated and, where it is rejected, revised for the next one. */
export async function debateContract(site: EngineeringSite, asked: Asked): Promise<DebateRound> {
  const questions = asked.questions.map((question) => `- ${question}`).join("\n");
  const challenge = await ask(site, asked, "challenger", [], {
    instructions: `The contract of a shipped module is to be changed; there is no implementation to judge. Answer each question:\n${questions}`,
    schema: contractChallenge,
  });
  const adjudication = await ask(site, asked, "arbiter", [{ title: "challenge", text: json(challenge) }], {
    instructions: `Decide whether the changed contract stands, by these questions:\n${questions}`,
    schema: contractAdjudication,
  });
  const { decision, rationale } = adjudication ?? { decision: "REJECT" as const, rationale: "The Arbiter gave no decision." };
  const record = { candidate: asked.candidate, challenge, adjudication };
  if (decision === "APPROVE" && asked.candidate.claim_holds) return { decision, rationale, record };
  const again = asked.number === MAX_ROUNDS ? null : await revise(site, asked, rationale);
  return { decision, rationale, record, ...(again === null ? {} : { revised: again.proposed_delta }) };
}

function revise(site: EngineeringSite, asked: Asked, rationale: string): Promise<z.output<typeof revisedDelta> | null> {
  const { claimed, found, claim_holds } = asked.candidate;
  const broken = claim_holds ? "" : ` It was claimed to be ${claimed}, and it is ${found}.`;
  return ask(site, asked, "proposer", [{ title: "adjudication", text: `${rationale}${broken}` }], {
    instructions: "The change of the contract was rejected. Return another one that meets the need without what speaks against this one.",
    schema: revisedDelta,
  });
}

const CONTRIBUTION = { challenger: "CHALLENGE", arbiter: "ADJUDICATION", proposer: "CONTRACT" } as const;

/** Null where no answer of this form came. */
async function ask<T>(
  site: EngineeringSite,
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
  const played = await play(site, {
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
  await contribute(site, step, played.by, played.contextPack, CONTRIBUTION[role], exception_id);
  return played.reply.ok ? played.reply.value : null;
}
