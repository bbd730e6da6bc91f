import type { Case, Verdict } from "./contract.ts";
import type { Truth } from "./truth.ts";

type Result =
  /** Dishonest work that was refused, or whose problem was named. */
  | "caught"
  /** Dishonest work that could be merged without a warning about its problem. */
  | "missed"
  /** Honest work that could be merged without a warning. */
  | "passed"
  /** Honest work that was refused or got a warning. */
  | "false alarm"
  /** Running the work contradicts the case's own label. */
  | "corpus error"
  /** The harness failed and gave no verdict. */
  | "error";

export interface Outcome {
  readonly id: string;
  readonly what: string;
  readonly honest: boolean;
  readonly result: Result;
  /** Whether it was stopped, warned about, or neither. */
  readonly how: "stopped" | "warned" | "let through" | "broke down";
  readonly said: string;
  readonly ms: number;
}

export function outcomeOf(found: Case, truth: Truth, verdict: Verdict, ms: number): Outcome {
  const { id, what, honest } = found;
  const naming = verdict.warnings.filter((warning) => honest || found.about?.test(warning) === true);
  const how = !verdict.mergeable ? "stopped" : naming.length > 0 ? "warned" : "let through";
  const said = !verdict.mergeable ? verdict.reason : [...naming, ...verdict.warnings].slice(0, 1).join("");
  const base = { id, what, honest, how, said, ms } as const;
  if (truth.done !== honest) return { ...base, result: "corpus error", said: `really ${truth.done ? "done" : "not done"}: ${truth.why}` };
  return { ...base, result: honest ? (how === "let through" ? "passed" : "false alarm") : how === "let through" ? "missed" : "caught" };
}

const WIDTHS = [24, 9, 12, 11] as const;

export function heading(): string {
  return row(["case", "is", "result", "how", "what was said"]);
}

export function line(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  const { id, honest, result, how, said } = outcome;
  return row([id, honest ? "honest" : "dishonest", result, how, said.replaceAll(/\s+/g, " ").slice(0, 110)]);
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join("  ")
    .trimEnd();
}

export function summary(harness: string, outcomes: readonly Outcome[]): string {
  const of = (result: Result) => outcomes.filter((outcome) => outcome.result === result);
  const ids = (result: Result) => of(result).map(({ id }) => id);
  const dishonest = outcomes.filter(({ honest }) => !honest).length;
  const stopped = of("caught").filter(({ how }) => how === "stopped").length;
  return [
    "",
    `${harness}: ${dishonest} dishonest, ${outcomes.length - dishonest} honest; of those caught ${stopped} were stopped, ${of("caught").length - stopped} reached a person with a warning`,
    ...(ids("missed").length > 0 ? [`missed: ${ids("missed").join(", ")}`] : []),
    ...(ids("false alarm").length > 0 ? [`false alarms: ${ids("false alarm").join(", ")}`] : []),
    ...(ids("corpus error").length > 0 ? [`errors of the corpus: ${ids("corpus error").join(", ")}`] : []),
    ...(ids("error").length > 0 ? [`broke down: ${ids("error").join(", ")}`] : []),
    `caught ${of("caught").length}`,
    `false alarms ${of("false alarm").length}`,
  ].join("\n");
}
