/** What is measured over a run, or over several. Rates are from 0 to 1; null was not measured. */
export interface SuccessMetrics {
  readonly compilationRate: number | null;
  readonly testPassRate: number | null;
  readonly securityVulnerabilities: number | null;
  readonly costPer1KLOC: number | null;
  readonly timePer1KLOC: number | null;
  readonly escalationToStructurerModel: number | null;
  readonly escalationToArchitectModel: number | null;
  /** Mean time between failures, in hours. */
  readonly mtbf: number | null;
  readonly recoveryRate: number | null;
  readonly humanInterventionRate: number | null;
  readonly avgCyclomaticComplexity: number | null;
  readonly testCoverage: number | null;
}

interface Target {
  readonly category: "correctness" | "efficiency" | "reliability" | "quality";
  readonly metric: keyof SuccessMetrics;
  /** Null: tracked without a target. */
  readonly target: readonly ["=" | "<" | ">" | ">=", number] | null;
}

const TARGETS: readonly Target[] = [
  { category: "correctness", metric: "compilationRate", target: ["=", 1] },
  { category: "correctness", metric: "testPassRate", target: [">=", 0.95] },
  { category: "correctness", metric: "securityVulnerabilities", target: ["=", 0] },
  { category: "efficiency", metric: "costPer1KLOC", target: null },
  { category: "efficiency", metric: "timePer1KLOC", target: null },
  { category: "efficiency", metric: "escalationToStructurerModel", target: ["<", 0.1] },
  { category: "efficiency", metric: "escalationToArchitectModel", target: ["<", 0.01] },
  { category: "reliability", metric: "mtbf", target: null },
  { category: "reliability", metric: "recoveryRate", target: [">=", 0.95] },
  { category: "reliability", metric: "humanInterventionRate", target: ["<", 0.05] },
  { category: "quality", metric: "avgCyclomaticComplexity", target: ["<", 10] },
  { category: "quality", metric: "testCoverage", target: [">", 0.8] },
];

export interface MetricRow {
  readonly category: Target["category"];
  readonly metric: keyof SuccessMetrics;
  readonly value: number | null;
  /** `>= 0.95`; null without a target. */
  readonly target: string | null;
  /** Null without a target or a value. */
  readonly met: boolean | null;
}

export function metricsReport(metrics: SuccessMetrics): readonly MetricRow[] {
  return TARGETS.map(({ category, metric, target }) => {
    const value = metrics[metric];
    const met = target === null || value === null ? null : isMet(value, target);
    return { category, metric, value, target: target?.join(" ") ?? null, met };
  });
}

function isMet(value: number, [relation, limit]: NonNullable<Target["target"]>): boolean {
  switch (relation) {
    case "=":
      return value === limit;
    case "<":
      return value < limit;
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
  }
}
