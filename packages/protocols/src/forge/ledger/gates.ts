import { FAILED_AFTER_SQL, isMarker } from "./questions.ts";
import { APPROVALS_NEEDED, REVIEWERS, SIGNALS_NEEDED } from "../rules/thresholds.ts";
import type { ReviewScope, TaskSize } from "../schemas/enums.ts";
import type { CheckRow } from "./rows.ts";

export const LEDGER_GATES = [
  "baseline-exists",
  "verification-sufficient",
  "design-review-approved",
  "design-review-no-blocker",
  "code-review-approved",
  "code-review-no-blocker",
  "review-completion",
  "no-failed-check",
] as const;
export type LedgerGateName = (typeof LEDGER_GATES)[number];

/** One gate with what it is asked about. A gate without a round looks at all rounds. */
export type GateQuestion =
  | { readonly gate: "baseline-exists"; readonly run_id: string; readonly task_id: string }
  | {
      readonly gate: "verification-sufficient";
      readonly run_id: string;
      readonly task_id: string;
      readonly round: number;
      readonly size: TaskSize;
    }
  | {
      readonly gate: "review-completion";
      readonly run_id: string;
      readonly task_id: string;
      readonly round: number;
      readonly scope: ReviewScope;
    }
  | {
      readonly gate: Exclude<LedgerGateName, "baseline-exists" | "verification-sufficient" | "review-completion">;
      readonly run_id: string;
      readonly task_id: string;
      readonly round: number;
    };

export interface GateResultRow {
  readonly gate: LedgerGateName;
  /** The query with its values filled in, for people. */
  readonly sql: string;
  readonly count: number;
  readonly needed: number;
  readonly comparison: ">=" | "=";
  readonly passed: boolean;
}

type Values = Readonly<Record<string, string | number>>;

interface Gate {
  /** Executed on the tables. */
  readonly sql: string;
  /** The same condition on one row of the YAML ledger. */
  readonly counts: (row: CheckRow, values: Values, all: readonly CheckRow[]) => boolean;
  readonly comparison: ">=" | "=";
  readonly needed: (question: GateQuestion) => number;
}

const OF_TASK = "SELECT COUNT(*) AS count FROM anvil_checks WHERE run_id = :run_id AND task_id = :task_id";
const OF_REVIEW = `${OF_TASK} AND phase = 'review' AND check_name LIKE :check_name AND round = :round`;

const isReview = (row: CheckRow, values: Values) =>
  row.phase === "review" && row.round === values["round"] && isLike(row.check_name, String(values["check_name"]));

/** LIKE ignores the case of ASCII letters. The patterns here end with `%` and have no other wildcard. */
const isLike = (text: string, pattern: string) => asciiLower(text).startsWith(asciiLower(pattern.slice(0, -1)));
const asciiLower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const approved: Gate = {
  sql: `${OF_REVIEW} AND verdict = 'approve'`,
  counts: (row, values) => isReview(row, values) && row.verdict === "approve",
  comparison: ">=",
  needed: () => APPROVALS_NEEDED,
};

const noBlocker: Gate = {
  sql: `${OF_REVIEW} AND verdict = 'blocker'`,
  counts: (row, values) => isReview(row, values) && row.verdict === "blocker",
  comparison: "=",
  needed: () => 0,
};

export const GATES: Readonly<Record<LedgerGateName, Gate>> = {
  "baseline-exists": {
    sql: `${OF_TASK} AND phase = 'baseline'`,
    counts: (row) => row.phase === "baseline",
    comparison: ">=",
    needed: () => 1,
  },
  "verification-sufficient": {
    sql: `${OF_TASK} AND phase = 'after' AND passed = 1 AND round = :round`,
    counts: (row, values) => row.phase === "after" && row.passed === 1 && row.round === values["round"],
    comparison: ">=",
    needed: (question) => SIGNALS_NEEDED["size" in question ? question.size : "Large"],
  },
  "design-review-approved": approved,
  "design-review-no-blocker": noBlocker,
  "code-review-approved": approved,
  "code-review-no-blocker": noBlocker,
  "review-completion": {
    sql: `${OF_REVIEW} AND verdict IS NOT NULL`,
    counts: (row, values) => isReview(row, values) && row.verdict !== null,
    comparison: ">=",
    needed: () => REVIEWERS,
  },
  "no-failed-check": {
    sql: FAILED_AFTER_SQL,
    counts: (row, values, all) =>
      row.phase === "after" && row.passed === 0 && row.round === values["round"] && !isMarker(row) && !isExcused(row, all),
    comparison: "=",
    needed: () => 0,
  },
};

/** A failure is excused if the check failed on the base and never passed there. */
export function isExcused(row: CheckRow, all: readonly CheckRow[]): boolean {
  const results = baselinesOf(row, all).map(({ passed }) => passed);
  return results.includes(0) && !results.includes(1);
}

export function baselinesOf(row: CheckRow, all: readonly CheckRow[]): CheckRow[] {
  return all.filter(
    (other) =>
      other.phase === "baseline" && other.run_id === row.run_id && other.task_id === row.task_id && other.check_name === row.check_name,
  );
}

/** The values of the query's parameters. */
export function gateValues(question: GateQuestion): Values {
  const { run_id, task_id } = question;
  const scope = reviewScope(question);
  return {
    run_id,
    task_id,
    ...("round" in question ? { round: question.round } : {}),
    ...(scope === null ? {} : { check_name: `review-${scope}-%` }),
  };
}

function reviewScope(question: GateQuestion): ReviewScope | null {
  if (question.gate === "review-completion") return question.scope;
  if (question.gate.startsWith("design-review-")) return "design";
  return question.gate.startsWith("code-review-") ? "code" : null;
}

export function gateResult(question: GateQuestion, count: number): GateResultRow {
  const { sql, comparison, needed: neededFor } = GATES[question.gate];
  const needed = neededFor(question);
  const passed = comparison === ">=" ? count >= needed : count === needed;
  return { gate: question.gate, sql: filledSql(sql, gateValues(question)), count, needed, comparison, passed };
}

const PARAMETER = /:([a-z_]+)/g;

/** The query as a person can run it. */
export function filledSql(sql: string, values: Values): string {
  return sql.replaceAll(PARAMETER, (_, name: string) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
  });
}

/** The query with positional parameters. */
export function positionalSql(sql: string, values: Values): { readonly text: string; readonly parameters: readonly (string | number)[] } {
  const parameters: (string | number)[] = [];
  const text = sql.replaceAll(PARAMETER, (_, name: string) => {
    parameters.push(values[name] ?? "");
    return "?";
  });
  return { text, parameters };
}

/** The gates that decide a review round. All three must pass. */
export function reviewQuestions(scope: ReviewScope, round: { run_id: string; task_id: string; round: number }): readonly GateQuestion[] {
  return [
    { gate: "review-completion", scope, ...round },
    { gate: `${scope}-review-no-blocker`, ...round },
    { gate: `${scope}-review-approved`, ...round },
  ];
}

/** The gates that a task must pass after its verification. */
export function taskQuestions(task: { run_id: string; task_id: string; round: number; size: TaskSize }): readonly GateQuestion[] {
  const { size, ...round } = task;
  return [
    { gate: "verification-sufficient", ...round, size },
    { gate: "no-failed-check", ...round },
  ];
}
