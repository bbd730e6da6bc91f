import type { DispatchedRole } from "../agents.ts";
import { reviewVerdict } from "../checklists/verdicts.ts";
import type { AgentOutput, OutputOf } from "../contract/output.ts";

export const SIGNAL_KINDS = [
  "ambiguous-requirement",
  "design-trade-off",
  "scope-growth",
  "task-larger",
  "designer-needed",
  "research-needed",
  "risk",
] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

export interface AgentSignal {
  readonly kind: SignalKind;
  readonly text: string;
}

const SIGNAL = /^signal:\s*([a-z-]+):\s*(\S[^]*)$/;

/** Notes of the form `signal: <kind>: <text>`. One with another kind is a note like any other. */
export function signalsIn(notes: readonly string[]): AgentSignal[] {
  return notes.flatMap((note) => {
    const [, kind = "", text = ""] = SIGNAL.exec(note.trim()) ?? [];
    const known = SIGNAL_KINDS.find((each) => each === kind);
    return known === undefined ? [] : [{ kind: known, text: text.trim() }];
  });
}

export function signalled(notes: readonly string[], kind: SignalKind): string[] {
  return signalsIn(notes)
    .filter((signal) => signal.kind === kind)
    .map(({ text }) => text);
}

/** What opens ASK_USER. */
export const ASK_TRIGGERS = {
  ambiguous_requirement: "a requirement has several readings with different outcomes",
  design_trade_off: "a design trade-off has no clear winner",
  scope_growth: "the work grows beyond the request",
  review_notes: "a review passed with notes",
  security_decision: "a security finding needs a decision",
  loop_exhausted: "a repair loop is used up",
  research_questions: "research has open questions",
} as const;
export type AskTrigger = keyof typeof ASK_TRIGGERS;

const BY_SIGNAL: Partial<Readonly<Record<SignalKind, AskTrigger>>> = {
  "ambiguous-requirement": "ambiguous_requirement",
  "design-trade-off": "design_trade_off",
  "scope-growth": "scope_growth",
};

export interface Asked {
  readonly trigger: AskTrigger;
  readonly text: string;
}

/** Everything in an output that a person has to decide. An exhausted loop is counted elsewhere. */
export function askTriggers<R extends DispatchedRole>(role: R, output: OutputOf<R>): Asked[] {
  const { artifacts, status } = output as AgentOutput;
  const signals = signalsIn(artifacts.notes).flatMap(({ kind, text }): Asked[] => {
    const trigger = BY_SIGNAL[kind];
    return trigger === undefined ? [] : [{ trigger, text }];
  });
  return [...signals, ...fromStatus(role, output as AgentOutput, status)];
}

function fromStatus(role: DispatchedRole, output: AgentOutput, status: AgentOutput["status"]): Asked[] {
  if (role === "Reviewer") {
    const { review_comments } = (output as OutputOf<"Reviewer">).artifacts;
    return reviewVerdict(status, review_comments) === "PASS WITH NOTES" ? [{ trigger: "review_notes", text: output.summary }] : [];
  }
  if (status === "NEEDS_DECISION") return [{ trigger: "security_decision", text: output.summary }];
  return status === "NEEDS_INFO" ? [{ trigger: "research_questions", text: output.summary }] : [];
}
