import { structuredClaimSchema, type StructuredClaim } from "@slipway/languages/property-tests/claim";
import { z } from "zod";
import type { CriticalityRun } from "../criticality-run.ts";
import type { SpecClaim } from "../spec/claims.ts";

export interface ClaimParsing {
  readonly claims: readonly SpecClaim[];
  /** Signatures and contracts of the modules concerned. */
  readonly interfaces: string;
  readonly subject: string;
  /** The decisions in force. */
  readonly decisions: string;
  /** Part of the names of steps. */
  readonly step: string;
}

export const NOT_TESTABLE = "the specification says that it is not testable";

export interface ClaimWithoutTest {
  readonly claim: string;
  readonly reason: string;
}

export interface ParsedClaims {
  readonly claims: readonly StructuredClaim[];
  readonly untested: readonly ClaimWithoutTest[];
}

/** Every claim once, with the type of the specification. Anything else is rejected. */
export function parsedClaimsSchema(claims: readonly SpecClaim[]) {
  return z.strictObject({ claims: z.array(structuredClaimSchema.extend({ id: z.string() })) }).superRefine((answer, issues) => {
    const reject = (message: string) => issues.addIssue({ code: "custom", path: ["claims"], message });
    for (const { id, type } of claims) {
      const own = answer.claims.filter((claim) => claim.id === id);
      if (own.length !== 1) reject(`must have the claim ${id} once`);
      for (const claim of own) if (claim.type !== type) reject(`the claim ${id} is of the type ${type}`);
    }
    for (const { id } of answer.claims) if (!claims.some((claim) => claim.id === id)) reject(`there is no claim ${id}`);
  });
}

const faithfulness = z.strictObject({ verdicts: z.array(z.strictObject({ id: z.string(), faithful: z.boolean(), reason: z.string() })) });

/** The structurer brings claims into a form that templates can use. The auditor compares them with the text; a wrong one is done once more. */
export async function parseClaims(
  run: CriticalityRun,
  { claims, interfaces, decisions, subject, step }: ClaimParsing,
): Promise<ParsedClaims> {
  const untested = new Map(claims.filter(({ testable }) => !testable).map(({ id }) => [id, NOT_TESTABLE]));
  const parsed = new Map<string, StructuredClaim>();
  let open = claims.filter(({ testable }) => testable);
  let objections: readonly ClaimWithoutTest[] = [];
  for (let round = 1; round <= MAX_ROUNDS && open.length > 0; round++) {
    const asked = { interfaces, decisions, subject, step: `${step}:${round}`, attempt: String(round) };
    const structured = await structure(run, open, objections, asked);
    for (const claim of structured) parsed.set(claim.id, claim);
    objections = await audit(run, structured, asked);
    open = open.filter(({ id }) => objections.some((objection) => objection.claim === id));
  }
  for (const { claim, reason } of objections) untested.set(claim, `the auditor does not accept its structured form: ${reason}`);
  for (const { id, testable } of parsed.values())
    if (!testable && !untested.has(id)) untested.set(id, "the structurer found no test for it");
  return {
    claims: claims.flatMap(({ id }) => (untested.has(id) ? [] : (parsed.get(id) ?? []))),
    untested: [...untested].map(([claim, reason]) => ({ claim, reason })),
  };
}

const MAX_ROUNDS = 2;

interface AskedClaims extends Pick<ClaimParsing, "interfaces" | "decisions" | "subject" | "step"> {
  readonly attempt: string;
}

async function structure(
  run: CriticalityRun,
  open: readonly SpecClaim[],
  objections: readonly ClaimWithoutTest[],
  { interfaces, decisions, subject, step, attempt }: AskedClaims,
): Promise<StructuredClaim[]> {
  const objected = { title: "Objections to the last form", kind: "objections", text: json(objections) };
  const { claims } = await run.askModel(`${step}:structure`, {
    phase: "mesoscopic",
    skill: "parse_claims",
    alias: "structurer_model",
    subject,
    attempt,
    artifacts: [
      { title: "Claims", kind: "claims", text: json(open) },
      { title: "Signatures and contracts", kind: "interfaces", text: interfaces },
      { title: "Decisions", kind: "decisions", text: decisions },
      ...(objections.length === 0 ? [] : [objected]),
    ],
    schema: parsedClaimsSchema(open),
  });
  const texts = new Map(open.map(({ id, text }) => [id, text]));
  return claims.map((claim) => ({ ...claim, text: texts.get(claim.id) ?? "" }));
}

/** Claims whose structured form the auditor rejects. A claim without a verdict is accepted: the tests still decide. */
async function audit(
  run: CriticalityRun,
  claims: readonly StructuredClaim[],
  { interfaces, decisions, subject, step, attempt }: AskedClaims,
): Promise<ClaimWithoutTest[]> {
  const { verdicts } = await run.askModel(`${step}:audit`, {
    phase: "mesoscopic",
    skill: "audit_claims",
    alias: "auditor_model",
    subject,
    attempt,
    artifacts: [
      { title: "Claims with their structured form", kind: "claims", text: json(claims) },
      { title: "Signatures and contracts", kind: "interfaces", text: interfaces },
      { title: "Decisions", kind: "decisions", text: decisions },
    ],
    schema: faithfulness,
  });
  return verdicts
    .filter(({ id, faithful }) => !faithful && claims.some((claim) => claim.id === id))
    .map(({ id, reason }) => ({ claim: id, reason }));
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
