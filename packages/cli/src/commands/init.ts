import { jsonLine } from "@slipway/protocols/surface/escape";
import { SlipwayError } from "../errors.ts";
import { loadConfiguration } from "@slipway/kernel/config/load";
import { trustInFiles } from "@slipway/kernel/repository-trust";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { AGENTS_YAML } from "../init/agents-yaml.ts";
import { assertTested, inFull, noBranch, withTestCommand } from "../init/choose.ts";
import type { Choices } from "../init/ask.ts";
import { detect } from "../init/detect.ts";
import { assertReplaceable, writeFiles } from "../init/files.ts";
import { gatesYaml } from "../init/gates-yaml.ts";
import { machineOf } from "../init/machine.ts";
import { policyYaml } from "../init/policy-yaml.ts";
import { reportOf, reportText } from "../init/report.ts";
import { repositoryTree } from "../init/repository-tree.ts";
import { keepTrust } from "../trust/ask.ts";

const FILES = ["slipway/gates.yaml", "slipway/policy.yaml", "slipway/agents.yaml"];

export const run: RunCommand = async (args, io) => {
  const asks = io.interactive && !args.flag("yes") && !args.flag("json");
  if (!asks && !args.flag("yes")) throw notATerminal();
  const repository = await openRepositoryView({ cwd: io.cwd, env: io.env, allowUnborn: true });
  assertReplaceable(repository.root, FILES, args.flag("force"));

  const machine = machineOf(io, repository.root);
  const found = detect(await repositoryTree(repository), machine);
  const test = args.text("test");
  const proposal = test === undefined ? found : withTestCommand(found, test, machine);
  const { headRef, branches } = await repository.describe();
  const branch = headRef?.replace("refs/heads/", "") ?? null;
  const names = branches.map(({ name }) => name);
  const chosen = asks ? await ask({ proposal, machine, branch, branches: names }) : { proposal, baseBranch: checkedOut(branch, names) };
  assertTested(chosen.proposal);

  const final = inFull(chosen.proposal, machine.homeFolder);
  const files = {
    "slipway/gates.yaml": gatesYaml(final.gates),
    "slipway/policy.yaml": policyYaml(final, chosen.baseBranch),
    "slipway/agents.yaml": AGENTS_YAML,
  };
  await assertValid(files);
  const report = reportOf(final, chosen.baseBranch, await writeFiles(repository.root, files));
  // The person has just chosen it. Any other file in the folder makes it another configuration, which they are asked about.
  await keepTrust(await trustInFiles(io, files), io);
  io.out(args.flag("json") ? jsonLine(report) : reportText(report));
  return EXIT.done;
};

async function ask(offered: Parameters<typeof import("../init/ask.ts").askPerson>[0]): Promise<Choices> {
  const { askPerson } = await import("../init/ask.ts");
  return askPerson(offered);
}

/** Unusual file names must not produce an invalid file. */
async function assertValid(files: Readonly<Record<string, string>>): Promise<void> {
  await loadConfiguration(async (path) => Buffer.from(files[path] ?? ""));
}

function checkedOut(branch: string | null, branches: readonly string[]): string {
  if (branch !== null) return branch;
  throw noBranch(branches);
}

function notATerminal(): SlipwayError {
  return new SlipwayError("invalid_cli_args", "slipway init asks questions, and without a terminal (or with --json) it cannot ask.", {
    suggested_next_actions: ["Take the defaults: `slipway init --yes`."],
  });
}
