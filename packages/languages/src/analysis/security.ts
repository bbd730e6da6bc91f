export const SEVERITIES = ["low", "medium", "high", "critical"] as const;

export interface SecurityFinding {
  readonly rule: string;
  readonly severity: (typeof SEVERITIES)[number];
  readonly line: number;
  readonly message: string;
}
