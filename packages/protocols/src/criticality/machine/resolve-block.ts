import type { DecisionDraft } from "@slipway/kernel/record/decisions/decision";
import type { CriticalityPhase } from "../routing/roles.ts";
import type { BlockReason, HumanQuery } from "./block.ts";
import { BLOCK_OPTIONS, type BlockOption } from "./block-options.ts";

/** Constraints of the decisions in conflict, for the question. */
export type DecisionTexts = Readonly<Record<string, string>>;

/** The question of a block. `number` counts the blocks of the run. */
export function queryOf(reason: BlockReason, number: number, texts: DecisionTexts = {}): HumanQuery {
  return {
    id: `${reason.type}_${String(number).padStart(3, "0")}`,
    severity: "blocking",
    category: reason.type,
    question: questionOf(reason, texts),
    options: BLOCK_OPTIONS[reason.type].map(({ id, label, implications }) => ({ id, label, implications: [...implications] })),
  };
}

function questionOf(reason: BlockReason, texts: DecisionTexts): string {
  switch (reason.type) {
    case "canonical_conflict": {
      const [a, b] = reason.decisions.map((id) => `${texts[id] ?? "(see the ledger)"} [${id}]`);
      return `Two decisions that you confirmed contradict each other.\n[A] ${a}\n[B] ${b}\nWhich one has priority?`;
    }
    case "unresolved_contradiction": {
      const found = reason.report.contradictions_found.map(({ id, analysis }) => `- ${id}: ${analysis}`);
      return ["The structure contains contradictions that need your decision.", ...found].join("\n");
    }
    case "circuit_breaker":
      return circuitQuestion(reason);
    case "security_review": {
      const found = reason.vulnerability.map(({ severity, location, message }) => `- ${severity}, ${location}: ${message}`);
      return ["A security finding needs your review.", ...found].join("\n");
    }
    case "user_requested":
    case "archive_failure":
    case "structural_defect":
    case "provider_unavailable":
    case "context_overflow":
      return reason.message;
  }
}

/** With the failing tests or the violation of the last attempt, which a person has to review. */
function circuitQuestion({ failedFunction, attempts, defect }: Extract<BlockReason, { type: "circuit_breaker" }>): string {
  const last = attempts.at(-1)?.failure;
  const seen =
    last?.type === "test"
      ? last.failingTests.map(({ test, message }) => `- ${test}: ${message}`)
      : last?.type === "semantic"
        ? [`- ${last.violation}`]
        : [];
  return [
    `${failedFunction} failed in ${attempts.length} attempts (${defect.failureTypes.join(", ") || "no failure recorded"}).`,
    ...seen,
    "What should happen to it?",
  ].join("\n");
}

export interface BlockAnswer {
  /** The id of an option. */
  readonly option: string;
  /** What the person wrote, if anything. */
  readonly text?: string | undefined;
}

export interface BlockResolution {
  readonly ledgerEntry: DecisionDraft;
  /** Ids of decisions that the entry replaces. */
  readonly supersedes: readonly string[];
  /** Null ends the run. */
  readonly resumeAt: CriticalityPhase | null;
}

interface ResolvableBlock {
  readonly reason: BlockReason;
  readonly query: HumanQuery;
  readonly priorPhase: string;
}

/** What an answer does; null if the question has no such option. */
export function resolveBlock({ reason, query, priorPhase }: ResolvableBlock, { option, text }: BlockAnswer): BlockResolution | null {
  const chosen = blockOption(reason, option);
  if (chosen === null) return null;
  const decisions = reason.type === "canonical_conflict" ? reason.decisions : [];
  const supersedes = (chosen.supersedes ?? []).flatMap((index) => decisions[index] ?? []);
  const notes = text?.replaceAll("\0", "").trim() ?? "";
  const constraint = chosen.id === "hybrid" || chosen.id === "decide" ? notes : "";
  return {
    ledgerEntry: {
      prefix: "block_resolution_",
      constraint: constraint === "" ? `${query.id}: ${chosen.label}` : constraint,
      category: reason.type,
      source: "user_explicit",
      phase: priorPhase,
      confidence: "canonical",
      dependencies: decisions.filter((id) => !supersedes.includes(id)),
      contradiction_resolved: query.id,
      ...(notes === "" ? {} : { user_notes: notes }),
    },
    supersedes,
    resumeAt: chosen.resumeAt === "prior" ? (priorPhase as CriticalityPhase) : chosen.resumeAt,
  };
}

export function blockOption(reason: BlockReason, id: string): BlockOption | null {
  return BLOCK_OPTIONS[reason.type].find((one) => one.id === id) ?? null;
}
