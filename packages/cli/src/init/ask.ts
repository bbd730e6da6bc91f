import type { Readable, Writable } from "node:stream";
import { isCancel, multiselect, select, text } from "../terminal/prompts.ts";
import { SlipwayError } from "../errors.ts";
import { isTested, noBranch, withGates, withTestCommand } from "./choose.ts";
import type { GateProposal } from "./detect.ts";
import type { InitMachine } from "./target.ts";
import { commandLine } from "./words.ts";

export interface Choices {
  readonly proposal: GateProposal;
  readonly baseBranch: string;
}

export interface Terminal {
  readonly input?: Readable;
  readonly output?: Writable;
}

interface Offered {
  readonly proposal: GateProposal;
  readonly machine: InitMachine;
  /** Null when no branch is checked out. */
  readonly branch: string | null;
  readonly branches: readonly string[];
}

/** At most three questions, each with the default of `--yes`. */
export async function askPerson({ proposal, machine, branch, branches }: Offered, terminal: Terminal = {}): Promise<Choices> {
  const tested = isTested(proposal) ? proposal : withTestCommand(proposal, await askTest(proposal, terminal), machine);
  const names = tested.gates.map(({ name }) => name);
  const chosen = names.length < 2 ? names : await askGates(tested, terminal);
  const options = [...new Set([...(branch === null ? [] : [branch]), ...branches])];
  const [only, ...others] = options;
  if (only === undefined) throw noBranch([]);
  const baseBranch = others.length === 0 ? only : await askBranch(options, terminal);
  return { proposal: withGates(tested, chosen), baseBranch };
}

async function askTest({ projects }: GateProposal, terminal: Terminal): Promise<string> {
  const message = `No tests were found${projects.length === 0 ? "" : ` for ${projects.join(", ")}`}. Which command runs them?`;
  return answered(await text({ ...terminal, message, placeholder: "make test", validate: problemWith }));
}

function problemWith(value: string | undefined): string | undefined {
  try {
    commandLine(value ?? "");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function askGates({ gates }: GateProposal, terminal: Terminal): Promise<string[]> {
  const chosen = await multiselect({
    ...terminal,
    message: "Which of these must pass before a change may merge?",
    options: gates.map(({ name, cmd, why }) => ({ value: name, label: `${name}: ${cmd.join(" ")}`, hint: why })),
    initialValues: gates.map(({ name }) => name),
    required: true,
  });
  return answered(chosen);
}

async function askBranch(branches: readonly string[], terminal: Terminal): Promise<string> {
  const options = branches.map((value) => ({ value, label: value }));
  return answered(await select({ ...terminal, message: "Which branch do features start from and merge to?", options }));
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  throw new SlipwayError("run_cancelled", "You stopped before the end. Nothing was written.", {
    suggested_next_actions: ["Run `slipway init` again."],
  });
}
