import type { DetectedGate } from "./detect.ts";
import { comment, list, quoted } from "./yaml-text.ts";

const HEAD = `# What has to pass before a change may merge. Written by \`slipway init\`; it is yours to edit.
# \`slipway run\` reads this file from the last commit of the base branch, so commit what you change.
#
# A gate runs without network and without a shell, in a fresh checkout: files that git ignores are not there,
# unless policy.yaml shares them. HOME is an empty folder; /tmp is empty, too, and may be written.
# A step may also have \`cwd\`, \`env\` and \`timeout_seconds\`.
`;

const ABOUT: Record<Mode, string> = {
  fast: "After every change by the builder: the quickest useful checks.",
  full: "Before a person is asked, and again on exactly what would merge: everything.",
};

type Mode = "fast" | "full";

export function gatesYaml(gates: readonly DetectedGate[]): string {
  const modes = (["fast", "full"] as const).flatMap((mode) => [
    `      # ${ABOUT[mode]}`,
    `      ${mode}:`,
    ...modeOf(gates, mode).flatMap((gate) => [...(mode === "full" ? [`        # ${comment(gate.why)}`] : []), ...stepLines(gate)]),
  ]);
  return [HEAD, "version: 1", "profiles:", "  default:", "    modes:", ...modes, ""].join("\n");
}

/** Tests are always in full; in fast only if nothing quicker detects broken code. */
export function modeOf(gates: readonly DetectedGate[], mode: Mode): readonly DetectedGate[] {
  if (mode === "full") return gates;
  const compiled = new Set(gates.filter(({ kind }) => kind === "compile" || kind === "typecheck").map(({ project }) => project));
  return gates.filter(({ kind, project }) => kind !== "test" || !compiled.has(project));
}

function stepLines(gate: DetectedGate): string[] {
  const env = Object.entries(gate.env ?? {}).map(([name, value]) => `${name}: ${quoted(value)}`);
  return [
    `        - name: ${quoted(gate.name)}`,
    `          cmd: ${list(gate.cmd)}`,
    ...(gate.cwd === undefined ? [] : [`          cwd: ${quoted(gate.cwd)}`]),
    ...(env.length === 0 ? [] : [`          env: { ${env.join(", ")} }`]),
  ];
}
