import { notes } from "../note-lines.ts";
import type { OutputFacts } from "../facts.ts";
import type { AgentOutput } from "../output.ts";
import { problem } from "../problems.ts";

const BARE_BLOCK = /^\W*(?:(?:i am|it is|this is|task|the task is|work is)\W+)?blocked\W*$/i;
/** Comments and findings of roles that give them as texts. */
const HIGH_RISK_TEXT = /^\W*(?:blocker|high|critical)\b/i;

/** Rules for every role. */
export function commonProblems(output: AgentOutput, facts: OutputFacts): string[] {
  const { status, summary, artifacts } = output;
  const isOk = status === "OK";
  return [
    ...problem(
      status === "BLOCKED" && BARE_BLOCK.test(summary) && artifacts.notes.length === 0,
      "/summary: BLOCKED names no concrete blocker; say what is missing or what is in the way",
    ),
    ...problem(
      isOk && facts.unreadContext.length > 0,
      `/status: OK without the whole of the context files: ${facts.unreadContext.join(", ")}`,
    ),
    ...(isOk ? highRiskIn(output).map((risk) => `/status: OK although ${risk}; such an output has status BLOCKED`) : []),
  ];
}

/** High-risk issues that an output reports itself. */
function highRiskIn({ artifacts }: AgentOutput): string[] {
  const comments = artifacts.review_comments.filter((comment) => isHighRisk(comment));
  const findings = artifacts.findings.filter((finding) => isHighRisk(finding));
  return [
    ...comments.map(() => "a review comment is a blocker"),
    ...findings.map(() => "a finding is high or critical"),
    ...problem(notes(artifacts.notes, "notCompliant"), "the notes say that the specification is not met"),
    ...problem(notes(artifacts.notes, "missingTests"), "the notes say that key tests are missing"),
  ];
}

function isHighRisk(reported: string | { readonly severity: string }): boolean {
  if (typeof reported === "string") return HIGH_RISK_TEXT.test(reported);
  return ["blocker", "high", "critical"].includes(reported.severity);
}
