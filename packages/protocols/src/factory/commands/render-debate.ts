import type { DebateView, RoundView } from "../views/debates.ts";
import { paint } from "../../surface/paint.ts";
import { oneLine } from "../../narration/one-line.ts";

export function debateLines({ task_id, module_ref, debate, rounds }: DebateView, color: boolean): string[] {
  const { bold, dim } = paint(color);
  return [
    `${bold(module_ref)} ${dim(`of ${task_id}, kept in debates/${debate}`)}`,
    ...(rounds.length === 0 ? ["  no round is over yet"] : []),
    ...rounds.flatMap((round) => roundLines(round, color).map((line) => `  ${line}`)),
  ];
}

function roundLines({ round, proposal, challenge, witnesses, adjudication }: RoundView, color: boolean): string[] {
  const { bold } = paint(color);
  return [
    bold(`round ${round}`),
    ...(proposal === null ? [] : [`  claim: ${oneLine(proposal.claim)}`]),
    ...(challenge === null ? ["  not challenged yet"] : challengeLines(challenge, witnesses, color)),
    ...(adjudication === null ? [] : adjudicationLines(adjudication, color)),
  ];
}

type Challenge = NonNullable<RoundView["challenge"]>;

function challengeLines({ verdict, rubric_assessments, failures }: Challenge, witnesses: RoundView["witnesses"], color: boolean): string[] {
  const { green, red } = paint(color);
  const refuted = verdict === "FAIL" && witnesses.length > 0 && witnesses.every(({ standing }) => standing === "refuted");
  const criteria = rubric_assessments.map(({ criterion, assessment }) => `${criterion} ${assessment}`).join("  ");
  return [
    `  verdict: ${verdict === "PASS" ? green("PASS") : red("FAIL")}${refuted ? ", and every objection was refuted: PASS" : ""}   ${criteria}`,
    ...rubric_assessments
      .filter(({ assessment }) => assessment === "NOT_MET")
      .map(({ criterion, evidence }) => `    ${criterion}: ${oneLine(evidence)}`),
    ...failures.flatMap((failure, index) => {
      const result = witnesses.find(({ failure_index }) => failure_index === index);
      return [
        `  objection: ${oneLine(failure.invariant)}: ${oneLine(failure.evidence)}`,
        `    wanted: ${oneLine(failure.required_change)}`,
        ...(result === undefined ? [] : [`    ${result.standing}: ${oneLine(result.report)}`]),
      ];
    }),
  ];
}

type Adjudication = NonNullable<RoundView["adjudication"]>;

function adjudicationLines({ decision, rationale, amendments }: Adjudication, color: boolean): string[] {
  const { green, red } = paint(color);
  return [
    `  Arbiter: ${decision === "REJECT" ? red(decision) : green(decision)}: ${oneLine(rationale)}`,
    ...amendments.map(({ action, target, detail }) => `    amendment: ${action} ${oneLine(target)}: ${oneLine(detail)}`),
  ];
}
