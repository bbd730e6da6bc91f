import { SlipwayError } from "../errors.ts";
import { DETECTORS, type DetectedGate, type GateProposal } from "./detect.ts";
import type { InitMachine } from "./target.ts";
import { toolchainFolders } from "./toolchains.ts";
import { commandLine } from "./words.ts";

export const isTested = ({ gates }: GateProposal): boolean => gates.some(({ kind }) => kind === "test");

/** The given test command replaces every detected test. */
export function withTestCommand(proposal: GateProposal, text: string, machine: InitMachine): GateProposal {
  const { cmd, env } = commandLine(text);
  const gate: DetectedGate = { kind: "test", name: "test", project: "given", cmd, env, why: `\`${text}\` was given as the test command.` };
  const folders = toolchainFolders(machine.locate(String(cmd[0])), machine.homeFolder);
  return {
    ...proposal,
    gates: [...proposal.gates.filter(({ kind }) => kind !== "test"), gate],
    readOnly: [...new Set([...proposal.readOnly, ...folders])],
  };
}

export function withGates(proposal: GateProposal, names: readonly string[]): GateProposal {
  return { ...proposal, gates: proposal.gates.filter(({ name }) => names.includes(name)) };
}

/** Gates are never guessed: without tests nothing is written. */
export function assertTested(proposal: GateProposal): void {
  if (isTested(proposal)) return;
  const { projects, notes } = proposal;
  const missing =
    projects.length === 0 ? `No project was recognised (looked for ${languages()})` : `No tests were found for ${projects.join(", ")}`;
  throw new SlipwayError("config_missing", [`${missing}, and a gate is never guessed. Nothing was written.`, ...notes].join("\n  "), {
    projects,
    notes,
    suggested_next_actions: ['Give the test command: `slipway init --yes --test "make test"`.'],
  });
}

export function noBranch(branches: readonly string[]): SlipwayError {
  const message = "No branch is checked out (detached HEAD), so the base branch is not known. Nothing was written.";
  const next = `Check out the branch that features should merge to: \`git switch ${branches[0] ?? "-c main"}\`.`;
  return new SlipwayError("repository_unsuitable", message, { suggested_next_actions: [next] });
}

function languages(): string {
  return DETECTORS.map(({ title }) => title).join(", ");
}

/** gates.yaml has no shell expansion, and a gate's HOME is empty, so `~` is expanded here. */
export function inFull(proposal: GateProposal, homeFolder: string): GateProposal {
  let personal = false;
  const full = (text: string) =>
    text.replace(/^(|[^=\s]+=)~\//, (_, before: string) => {
      personal = true;
      return `${before}${homeFolder}/`;
    });
  const gates = proposal.gates.map(({ cmd, env = {}, ...gate }) => ({
    ...gate,
    cmd: cmd.map(full),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, full(value)])),
  }));
  const note = `slipway/gates.yaml names folders below ${homeFolder}; another user must change them.`;
  return { ...proposal, gates, notes: [...proposal.notes, ...(personal ? [note] : [])] };
}
