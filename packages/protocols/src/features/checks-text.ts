import { MODES, type GatesConfig } from "@slipway/kernel/config/gates";
import type { Plan } from "@slipway/kernel/change/plan/schema";

const WHEN: Readonly<Record<(typeof MODES)[number], string>> = {
  fast: "after every patch",
  full: "when QA is done",
  merge: "on exactly what is merged",
};

/** The commands of the gates. One that runs a file below slipway/ stays hidden: it may hold tests that nobody is to write for. */
export function checksText(gates: GatesConfig, plan: Plan | null): string {
  const name = plan?.gate_profile ?? (Object.hasOwn(gates.profiles, "default") ? "default" : (Object.keys(gates.profiles)[0] ?? ""));
  const modes = gates.profiles[name]?.modes;
  const lines = MODES.flatMap((mode) => {
    const steps = modes?.[mode] ?? [];
    const shown = steps.map(({ name: step, cmd }) => (cmd.some((part) => part.includes("slipway/")) ? step : `${step}: ${cmd.join(" ")}`));
    return steps.length === 0 ? [] : [`${WHEN[mode]}: ${shown.join("; ")}`];
  });
  const { coverage_line_min: lineMin, coverage_branch_min: branchMin } = gates.thresholds ?? {};
  return [
    ...lines,
    ...(lineMin === undefined ? [] : [`coverage of lines: at least ${lineMin * 100} %`]),
    ...(branchMin === undefined ? [] : [`coverage of branches: at least ${branchMin * 100} %`]),
  ].join("\n");
}
