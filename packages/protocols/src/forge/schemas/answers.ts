import { z } from "zod";
import type { PlayedForgeRole } from "../agents.ts";
import { answeredCompletionOf, missesRisk, type Completion } from "./completion.ts";
import { highestSeverity } from "./enums.ts";
import { ROLE_PAYLOADS, type AnswerPayload } from "./roles.ts";
import type { ReviewAnswer } from "./review.ts";

/** What a role replies. Only an `ERROR` may come without a payload. */
export interface Answer<R extends PlayedForgeRole> {
  readonly completion: Completion;
  readonly payload: AnswerPayload<R> | null;
}

const SCHEMAS = new Map((Object.keys(ROLE_PAYLOADS) as PlayedForgeRole[]).map((role) => [role, build(role)]));

/** The same object for each call. */
export function answerSchemaOf<R extends PlayedForgeRole>(role: R): z.ZodType<Answer<R>> {
  return SCHEMAS.get(role) as z.ZodType<Answer<R>>;
}

function build(role: PlayedForgeRole): z.ZodType {
  const payload: z.ZodType = ROLE_PAYLOADS[role].answer;
  return z
    .object({ completion: answeredCompletionOf(role), payload: payload.nullable() })
    .superRefine(({ completion, payload }, context) => {
      for (const { path, message } of problemsOf(role, completion, payload)) context.addIssue({ code: "custom", path, message });
    });
}

interface Problem {
  readonly path: string[];
  readonly message: string;
}

/** What only the completion block and the payload together show. It is the same for an answer and for a file. */
export function problemsOf(role: PlayedForgeRole, completion: Completion, payload: unknown): Problem[] {
  const problems: Problem[] = [];
  const found = (field: string, message: string) => problems.push({ path: ["completion", field], message });
  if (payload === null && completion.status !== "ERROR")
    problems.push({ path: ["payload"], message: `must be given when the status is ${completion.status}; only ERROR comes without` });
  if (missesRisk(role, completion)) found("risk_level", `the ${role} gives a risk_level: 🟢, 🟡 or 🔴`);
  if (role !== "adversarial-reviewer") return problems;
  const { findings } = (payload ?? { findings: [] }) as Pick<ReviewAnswer, "findings">;
  const highest = highestSeverity(findings.map(({ severity }) => severity));
  if (completion.severity !== highest) found("severity", `must be ${highest ?? "null"}, the highest severity of the findings`);
  if (completion.findings_count !== findings.length) found("findings_count", `must be ${findings.length}, the number of findings`);
  return problems;
}
