import { isDeepStrictEqual } from "node:util";
import {
  awaitingApproval,
  interviewing,
  startOfIgnition,
  synthesizing,
  type IgnitionData,
  type IgnitionSubState,
} from "../ignition/ignition.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import { askResolutions, phaseOfReport } from "./ask-resolutions.ts";
import type { Facts } from "../machine/facts.ts";
import { printReport } from "../audit/report.ts";
import { readSpec } from "../spec/read-spec.ts";
import { putSpec } from "../spec/put-spec.ts";
import type { StateKeeper } from "../state-keeper.ts";
import { nextRound, type Work } from "../work.ts";
import type { PhaseSession, PhaseWork } from "./session.ts";

/** From the interview, or from a given specification, to the approved one. */
export const ignitionPhase: PhaseWork = async (session, work) => {
  const entered = nextRound(work, "ignition");
  return session.input.spec_digest !== null && entered.rounds.ignition === 1 ? givenSpec(session, entered) : interviewed(session, entered);
};

/** A specification that a person gave takes the place of interview and approval. */
async function givenSpec({ run, input, keeper, show }: PhaseSession, work: Work): Promise<Work> {
  const { objects } = run.services.kernel.records;
  const text = await run.ctx.step("read-spec", async () => Buffer.from(await objects.get(input.spec_digest ?? "")).toString("utf8"));
  const spec = readSpec("spec.toml", text);
  const printed = putSpec(run.files, "ignition", spec, null);
  const next = { ...work, specification: { spec, ...printed, delegated: false } };
  show(next);
  await keeper.advance({ artifacts: ["allAnswers"] });
  await keeper.advance({ artifacts: ["revisedProposal"] });
  await keeper.advance({ humanResponse: "approve", artifacts: ["spec"] }, { text: "the given specification is valid", good: true });
  return next;
}

async function interviewed({ run, input, keeper, show }: PhaseSession, work: Work): Promise<Work> {
  const enter = (state: IgnitionSubState) => enterSubState(keeper, state);
  let data = await startData(run, input.idea, work);
  let asks = work.audit === null;
  for (;;) {
    const ready = asks ? await interviewing(run, data, enter) : data;
    const next = await awaitingApproval(run, await synthesizing(run, ready, enter), enter);
    if (next.to === "lattice") {
      const done = { ...work, specification: next.result, audit: null, defect: null };
      show(done);
      const told = { text: `specification ${next.result.spec.meta.version} approved`, good: true };
      await keeper.advance({ humanResponse: "approve", artifacts: ["spec"] }, told);
      return done;
    }
    data = next.data;
    asks = true;
    await keeper.advance({ humanResponse: data.revision === null ? "reject" : "revise", next: interviewData(data.state) });
  }
}

/** After an audit only its contradictions are asked about; the architect gets the report and the answers. */
async function startData(run: CriticalityRun, idea: string | null, { specification, audit, defect, rounds }: Work): Promise<IgnitionData> {
  const about = { project: run.id, idea };
  if (specification === null) return startOfIgnition({ ...about, reentry: null }, rounds.ignition);
  const entry = { ignition: rounds.ignition, spec: specification.spec };
  if (audit === null) return startOfIgnition({ ...about, reentry: { ...entry, phase: "constraints", report: defect ?? "" } });
  const decided = await askResolutions(run, audit, rounds.ignition);
  const report = `${printReport(audit)}\nWhat the person decided:\n${decided}`;
  return startOfIgnition({ ...about, reentry: { ...entry, phase: phaseOfReport(audit), report } });
}

type InterviewData = Pick<
  Extract<IgnitionSubState, { name: "interviewing" }>,
  "interviewPhase" | "questionIndex" | "extractedRequirements" | "delegatedAfter"
>;

function interviewData({ interviewPhase, questionIndex, extractedRequirements, delegatedAfter }: InterviewData) {
  const data = { interviewPhase, questionIndex, extractedRequirements: [...extractedRequirements], delegatedAfter };
  return { subState: "ignition.interviewing" as const, data };
}

/** Repeated calls with the same data change nothing. */
async function enterSubState(keeper: StateKeeper, { name, ...data }: IgnitionSubState): Promise<void> {
  const state = keeper.current();
  const current = state.type === "active" ? state.data.phase.subState : null;
  if (current === null || (current.type === name && isDeepStrictEqual(current.data, data))) return;
  await keeper.advance({ ...factsFor(name, current.type, data), next: { subState: `ignition.${name}`, data } as Facts["next"] });
}

function factsFor(to: IgnitionSubState["name"], from: string, data: object): Facts {
  if (to === "interviewing") return { artifacts: ["answer"] };
  if (to === "awaitingApproval") return { artifacts: ["revisedProposal"] };
  if (from === "synthesizing")
    return { artifacts: ["auditorResponse" in data && data.auditorResponse !== null ? "challenge" : "proposal"] };
  return { artifacts: ["allAnswers"] };
}
