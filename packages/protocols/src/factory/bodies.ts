import type { Bodies, BodyRule } from "./artifacts/body.ts";
import { executionLogSchema, shipEvidenceSchema } from "@slipway/languages/contracts/evidence";
import { contractSchema } from "@slipway/languages/contracts/schema";
import { adjudicationSchema, challengeSchema, proposalSchema } from "./engineering/debate/schemas.ts";
import { CONTRACT_FILE } from "./engineering/deliverable.ts";
import { planDraftSchema } from "./engineering/micro-plan.ts";

const contract: BodyRule = { file: CONTRACT_FILE, schema: contractSchema };

/** What the body of each artifact type must contain. The record's own id is unknown until the artifact has one. */
export const bodies: Bodies = {
  MICRO_PLAN: [{ file: "micro_plan.json", schema: planDraftSchema }],
  CONTRACT: [contract],
  PROPOSAL: [{ file: "proposal.json", schema: proposalSchema, later: { proposal_id: "PROP-00000000" } }],
  CHALLENGE: [{ file: "challenge.json", schema: challengeSchema, later: { challenge_id: "CHAL-00000000" } }],
  ADJUDICATION: [{ file: "adjudication.json", schema: adjudicationSchema, later: { adjudication_id: "ADJ-00000000" } }],
  SHIP_EVIDENCE: [
    { file: "ship.json", schema: shipEvidenceSchema, later: { ship_id: "SHIP-00000000" } },
    { file: "execution_log.json", schema: executionLogSchema },
  ],
};

/** The files a shipped version must contain. */
export const SEALED: readonly BodyRule[] = [contract, { file: "ship.json", schema: shipEvidenceSchema }];
