/** What a transformation may affect, from pure removal to a change across functions. */
export const RISK_LEVELS = [1, 2, 3, 4] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const CHECKS_OF_TRANSFORMS = ["compile", "unit_tests_target_function", "integration_tests_module", "full_test_suite"] as const;
export type TransformCheck = (typeof CHECKS_OF_TRANSFORMS)[number];

interface RiskRow {
  readonly name: "trivial" | "safe" | "moderate" | "structural";
  /** In the order in which they run. */
  readonly required: readonly TransformCheck[];
}

/** What a transformation must pass before it is accepted, by its risk. */
export const RISK: Readonly<Record<RiskLevel, RiskRow>> = {
  1: { name: "trivial", required: ["compile"] },
  2: { name: "safe", required: ["compile", "unit_tests_target_function"] },
  3: { name: "moderate", required: ["compile", "unit_tests_target_function", "integration_tests_module"] },
  4: { name: "structural", required: ["compile", "full_test_suite"] },
};
