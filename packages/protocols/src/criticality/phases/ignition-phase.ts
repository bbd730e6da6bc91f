import { isDeepStrictEqual } from "node:util";
import { interviewing, awaitingApproval, startOfIgnition, synthesizing, type IgnitionSubState } from "../ignition/ignition.ts";
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
  const before = work.specification?.spec ?? null;
  const report = work.audit === null ? (work.defect ?? "") : printReport(work.audit);
  const reentry = before === null ? null : { ignition: work.rounds.ignition, phase: "constraints" as const, report, spec: before };
  const enter = (state: IgnitionSubState) => enterSubState(keeper, state);
  let data = startOfIgnition({ project: run.id, idea: input.idea, reentry });
  for (;;) {
    const proposed = await synthesizing(run, await interviewing(run, data, enter), enter);
    const next = await awaitingApproval(run, proposed, enter);
    if (next.to === "lattice") {
      const done = { ...work, specification: next.result, audit: null, defect: null };
      show(done);
      await keeper.advance(
        { humanResponse: "approve", artifacts: ["spec"] },
        { text: `specification ${next.result.spec.meta.version} approved`, good: true },
      );
      return done;
    }
    data = next.data;
    await keeper.advance({ humanResponse: data.revision === null ? "reject" : "revise", next: interviewData(data.state) });
  }
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
