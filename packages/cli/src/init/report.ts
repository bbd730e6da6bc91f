import type { DetectedGate, GateProposal } from "./detect.ts";
import type { WrittenFiles } from "./files.ts";
import { modeOf } from "./gates-yaml.ts";

export interface InitReport {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly base_branch: string;
  readonly projects: readonly string[];
  readonly gates: readonly {
    readonly name: string;
    readonly cmd: readonly string[];
    readonly cwd?: string;
    readonly modes: readonly string[];
  }[];
  /** Choices with reasons, then what was left out and what the person must do. */
  readonly reasons: readonly string[];
  readonly next: readonly string[];
}

const AGENTS =
  "agents: no provider was chosen; set runtime.default_provider in slipway/agents.yaml, or pass --agent-provider to `slipway run`.";

export function reportOf({ projects, gates, notes }: GateProposal, baseBranch: string, { written, kept }: WrittenFiles): InitReport {
  // Backups are not committed.
  const added = kept.length === 0 ? "slipway" : written.join(" ");
  return {
    written,
    kept,
    base_branch: baseBranch,
    projects,
    gates: gates.map((gate) => ({
      name: gate.name,
      cmd: gate.cmd,
      ...(gate.cwd === undefined ? {} : { cwd: gate.cwd }),
      modes: modesOf(gates, gate),
    })),
    reasons: [
      ...gates.map(({ name, why }) => `${name}: ${why}`),
      `base branch: ${baseBranch} is what features start from and merge to.`,
      AGENTS,
      ...notes,
    ],
    next: [`git add ${added} && git commit -m "Add Slipway configuration"`, "slipway doctor", "slipway run spec.md"],
  };
}

export function reportText(report: InitReport): string {
  const { projects, gates, written, kept, reasons, next, base_branch } = report;
  return [
    `Found: ${projects.length === 0 ? "no known project; uses your test command" : projects.join(", ")}.`,
    "",
    "Gates:",
    ...gates.map(
      ({ name, cmd, cwd, modes }) => `  ${name}: ${cmd.join(" ")}${cwd === undefined ? "" : ` (in ${cwd})`} [${modes.join(", ")}]`,
    ),
    "",
    "Why:",
    ...reasons.map((reason) => `  ${reason}`),
    "",
    "Written:",
    ...written.map((path) => `  ${path}`),
    ...kept.map((path) => `  ${path} (the former file)`),
    "",
    "Next:",
    ...next.map((command) => `  ${command}`),
    "",
    `\`slipway run\` reads the configuration from the last commit of ${base_branch}, not from your working tree: commit first.`,
    "",
  ].join("\n");
}

function modesOf(gates: readonly DetectedGate[], gate: DetectedGate): string[] {
  return (["fast", "full"] as const).filter((mode) => modeOf(gates, mode).includes(gate));
}
