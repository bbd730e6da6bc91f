import { z } from "zod";
import type { AuditReport, Contradiction } from "../audit/report.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import type { InterviewPhase } from "../ignition/questions.ts";

const OTHER = "other";
const MAX_TEXT = 4_000;

/** The phase of the interview that a report concerns: constraints, unless only contracts contradict each other. */
export function phaseOfReport({ contradictions_found }: AuditReport): InterviewPhase {
  const involved = contradictions_found.flatMap((contradiction) => contradiction.involved);
  return involved.some((one) => "constraint" in one) ? "constraints" : "architecture";
}

/** Asks how each contradiction is resolved, and records the answers as decisions of the person. Returns them as text. */
export async function askResolutions(run: CriticalityRun, { contradictions_found }: AuditReport, ignition: number): Promise<string> {
  const lines: string[] = [];
  for (const contradiction of contradictions_found) {
    const name = `resolution:${ignition}:${contradiction.id}`;
    const resolution = await askResolution(run, name, contradiction);
    await run.ledger.append(`${name}:decision`, [
      {
        prefix: "contradiction_resolution_",
        constraint: resolution,
        category: "contradiction",
        source: "user_explicit",
        phase: "ignition",
        confidence: "canonical",
        contradiction_resolved: contradiction.id,
      },
    ]);
    lines.push(`${contradiction.id}: ${resolution}`);
  }
  return lines.join("\n");
}

async function askResolution({ ctx, id: project }: CriticalityRun, name: string, contradiction: Contradiction): Promise<string> {
  const { id, severity, analysis, involved, minimal_scenario, suggested_resolution_options: suggested } = contradiction;
  const answer = await ctx.ask(name, {
    kind: "contradiction",
    title: `${id}: how should this contradiction be resolved?`,
    body: [
      `${analysis} (${severity})`,
      "",
      "It is between:",
      ...involved.map((one) => `- ${"constraint" in one ? one.constraint : one.contract}`),
      ...(minimal_scenario.length === 0 ? [] : ["", "It happens like this:", ...minimal_scenario.map((step, index) => `${index + 1}. ${step}`)]),
    ].join("\n"),
    options: [
      ...suggested.map((label, index) => ({ value: String(index + 1), label })),
      { value: OTHER, label: "something else: your comment says what holds" },
    ],
    schema: z
      .strictObject({ decision: z.enum([...suggested.map((_, index) => String(index + 1)), OTHER]), comment: z.string().max(MAX_TEXT).optional() })
      .refine(({ decision, comment = "" }) => decision !== OTHER || comment.trim() !== "", "this option needs a comment that says what holds"),
    context: { project, phase: "ignition", contradiction: id },
    answerableBy: ["person"],
  });
  const chosen = suggested[Number(answer.decision) - 1];
  return [chosen, answer.comment?.trim()].filter((text) => text !== undefined && text !== "").join(": ");
}
