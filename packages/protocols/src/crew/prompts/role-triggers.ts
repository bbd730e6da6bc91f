import { signalled } from "./signals.ts";

export interface TriggerDecision {
  readonly runs: boolean;
  /** For the run log, in either case. */
  readonly reason: string;
}

/** Cases for which a role runs, and for which it does not. A signal begins with one: `signal: designer-needed: new-screen: <why>`. */
interface Cases {
  readonly kind: "designer-needed" | "research-needed";
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

export const DESIGNER_CASES: Cases = {
  kind: "designer-needed",
  yes: ["new-screen", "new-view", "new-template", "new-layout", "navigation-flow", "interaction-flow", "new-component"],
  no: ["backend", "micro-ui", "config"],
};

export const RESEARCHER_CASES: Cases = {
  kind: "research-needed",
  yes: ["technology-evaluation", "dependency-evaluation", "codebase-analysis", "best-practice", "root-cause", "alternatives"],
  no: [],
};

const caseOf = (text: string) => text.split(":")[0]?.trim().toLowerCase() ?? "";

function decide({ kind, yes, no }: Cases, notes: readonly string[]): TriggerDecision {
  const texts = signalled(notes, kind);
  const wanted = texts.find((text) => yes.includes(caseOf(text)));
  if (wanted !== undefined) return { runs: true, reason: wanted };
  const excluded = texts.find((text) => no.includes(caseOf(text)));
  if (excluded !== undefined) return { runs: false, reason: excluded };
  const [other] = texts;
  return { runs: false, reason: other === undefined ? `no agent signalled ${kind}` : `no known case of ${kind}: ${other}` };
}

export function designerTrigger(notes: readonly string[]): TriggerDecision {
  return decide(DESIGNER_CASES, notes);
}

export function researcherTrigger(notes: readonly string[]): TriggerDecision {
  return decide(RESEARCHER_CASES, notes);
}
