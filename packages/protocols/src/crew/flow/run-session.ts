import type { FeatureResult } from "../../change/feature-run.ts";
import { openGate } from "../decisions/change-decisions.ts";
import { findDecision, GATE_DECISIONS } from "../decisions/decision.ts";
import type { CrewState } from "../states/states.ts";
import { askUser } from "./ask-user.ts";
import { block, reject } from "./block.ts";
import type { CrewSession } from "./crew-session.ts";
import { design, intake, plan } from "./early-states.ts";
import { approveDesign, reviewStrategy } from "./gates.ts";
import { implement } from "./implement.ts";
import { integrate } from "./integrate.ts";
import { release } from "./release.ts";
import { repair } from "./repair.ts";
import { Blocked, GateFailed, Rejected } from "./stops.ts";

type Work = (session: CrewSession) => Promise<FeatureResult | null | void>;

/** What happens in each state until it is left. Each call dispatches at most a few agents and then returns here. */
const WORK: Readonly<Record<Exclude<CrewState, "DONE" | "BLOCKED">, Work>> = {
  INTAKE: intake,
  INTAKE_LEAN: intake,
  DESIGN: design,
  APPROVE_DESIGN: approveDesign,
  PLAN: plan,
  REVIEW_STRATEGY: reviewStrategy,
  IMPLEMENT_LOOP: implement,
  INTEGRATE: integrate,
  RELEASE: release,
  ASK_USER: askUser,
  FIX_REVIEW: repair,
  FIX_TESTS: repair,
  FIX_SECURITY: repair,
  FIX_BUILD: repair,
};

/** The state machine: the next state depends on recorded steps, validated outputs and the answers of people alone. */
export async function runSession(session: CrewSession): Promise<FeatureResult> {
  for (;;) {
    const result = await oneStep(session);
    if (result !== null) return result;
  }
}

async function oneStep(session: CrewSession): Promise<FeatureResult | null> {
  const state = session.state();
  try {
    if (state === "DONE" || state === "BLOCKED") throw new Error(`the session went on in ${state}`);
    return (await WORK[state](session)) ?? null;
  } catch (error) {
    if (error instanceof Rejected) return reject(session, error.message);
    if (error instanceof GateFailed) return reopen(session, error.gate);
    if (error instanceof Blocked) return blockUntilResumed(session, error);
    throw error;
  }
}

/** A resume may fail for the same reason, such as a file that still cannot be written. */
async function blockUntilResumed(session: CrewSession, cause: Blocked): Promise<FeatureResult | null> {
  for (let why = cause; ;) {
    try {
      return await block(session, why);
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      why = error;
    }
  }
}

async function reopen(session: CrewSession, gate: GateFailed["gate"]): Promise<null> {
  const id = GATE_DECISIONS[gate];
  session.progress.revoked.delete(gate);
  const question = findDecision(session.decisions(), id)?.question ?? "The stored decision does not hold any more.";
  await session.move(gate, {
    why: `${id} in status.json does not say what was decided`,
    status: (status, at) => ({ ...status, user_decisions: openGate(status.user_decisions, gate, question, at) }),
  });
  return null;
}
