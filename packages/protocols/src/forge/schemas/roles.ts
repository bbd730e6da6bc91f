import type { z } from "zod";
import type { PlayedForgeRole } from "../agents.ts";
import { designAnswer, designPayload } from "./design.ts";
import { implementationAnswer, implementationPayload } from "./implementation.ts";
import { knowledgeAnswer, knowledgePayload } from "./knowledge.ts";
import { planAnswer, planPayload } from "./plan.ts";
import { researchAnswer, researchPayload } from "./research.ts";
import { reviewAnswer, reviewPayload } from "./review.ts";
import { specPayload } from "./spec.ts";
import { verificationAnswer, verificationPayload } from "./verification.ts";

/** For each role the payload of its answer, and that of its file, to which the harness adds what it knows itself. */
export const ROLE_PAYLOADS = {
  researcher: { document: "research-output", answer: researchAnswer, payload: researchPayload },
  spec: { document: "spec-output", answer: specPayload, payload: specPayload },
  designer: { document: "design-output", answer: designAnswer, payload: designPayload },
  planner: { document: "plan-output", answer: planAnswer, payload: planPayload },
  implementer: { document: "implementation-report", answer: implementationAnswer, payload: implementationPayload },
  verifier: { document: "verification-report", answer: verificationAnswer, payload: verificationPayload },
  "adversarial-reviewer": { document: "review-findings", answer: reviewAnswer, payload: reviewPayload },
  "knowledge-agent": { document: "knowledge-output", answer: knowledgeAnswer, payload: knowledgePayload },
} as const satisfies Record<PlayedForgeRole, { document: string; answer: z.ZodType; payload: z.ZodType }>;

export type AnswerPayload<R extends PlayedForgeRole> = z.output<(typeof ROLE_PAYLOADS)[R]["answer"]>;
export type DocumentPayload<R extends PlayedForgeRole> = z.output<(typeof ROLE_PAYLOADS)[R]["payload"]>;
