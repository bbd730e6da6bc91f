import type { AuditReport, Contradiction } from "../audit/report.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import type { InterviewPhase } from "../ignition/questions.ts";
import { askForWords, choiceSchema } from "./ask-for-words.ts";

const OTHER = "other";

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
  const { id, suggested_resolution_options: suggested } = contradiction;
  const options = [
    ...suggested.map((label, index) => ({ value: String(index + 1), label })),
    { value: OTHER, label: "something else: your comment says what holds" },
  ];
  const answer = await askForWords(
    name,
    (option) => option === OTHER,
    (asked, note) =>
      ctx.ask(asked, {
        kind: "contradiction",
        title: `${id}: how should this contradiction be resolved?`,
        body: `${note}${contradictionText(contradiction)}`,
        options,
        schema: choiceSchema(options.map(({ value }) => value)),
        context: { project, phase: "ignition", contradiction: id },
        answerableBy: ["person"],
      }),
  );
  const chosen = suggested[Number(answer.decision) - 1];
  return [chosen, answer.comment?.trim()].filter((text) => text !== undefined && text !== "").join(": ");
}

function contradictionText({ analysis, severity, involved, minimal_scenario: scenario }: Contradiction): string {
  return [
    `${analysis} (${severity})`,
    "",
    "It is between:",
    ...involved.map((one) => `- ${"constraint" in one ? one.constraint : one.contract}`),
    ...(scenario.length === 0 ? [] : ["", "It happens like this:", ...scenario.map((step, index) => `${index + 1}. ${step}`)]),
  ].join("\n");
}
