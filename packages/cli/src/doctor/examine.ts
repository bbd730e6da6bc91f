import { openRepository } from "@slipway/kernel/host/git/repository";
import type { Io } from "@slipway/protocols/surface/io";
import { checkApprovalKey } from "./approval-key.ts";
import { checkAgents } from "./agents.ts";
import { note, type Check, type Finding, type Patient, type Row } from "./check.ts";
import { checkConfiguration, effectiveConfiguration } from "./configuration.ts";
import { checkDatabase } from "./database.ts";
import { checkDisk } from "./disk.ts";
import { checkGates } from "./gates.ts";
import { checkGit, checkRepository } from "./git.ts";
import { thrown } from "./in-words.ts";
import { checkNode } from "./node.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkWorktrees } from "./worktrees.ts";

const OF_THE_MACHINE: readonly Check<Io>[] = [
  { name: "node", look: () => checkNode() },
  { name: "git", look: checkGit },
  { name: "sandbox", look: () => checkSandbox() },
];

const OF_THE_REPOSITORY: readonly Check<Patient>[] = [
  { name: "repository", look: checkRepository },
  { name: "disk", look: checkDisk },
  { name: "configuration", look: checkConfiguration },
  { name: "gates", look: checkGates },
  { name: "worktrees", look: checkWorktrees },
  { name: "agents", look: checkAgents },
  { name: "database", look: checkDatabase },
  { name: "approval key", look: checkApprovalKey },
];

export interface Tables {
  readonly machine: readonly Check<Io>[];
  readonly repository: readonly Check<Patient>[];
}

/** Every check, whatever becomes of the others. */
export async function examine(io: Io, tables: Tables = { machine: OF_THE_MACHINE, repository: OF_THE_REPOSITORY }): Promise<Row[]> {
  const machine = await Promise.all(tables.machine.map((check) => rowsOf(check, io)));
  const opened = await openRepository(io.cwd, { env: io.env }).then(
    (repository) => ({ repository }),
    (error: unknown) => ({ error }),
  );
  if ("error" in opened) {
    const [first, ...others] = tables.repository;
    const skipped = others.map(({ name }) => ({ name, ...note("Not looked at, because the repository cannot be used.") }));
    return [...machine.flat(), { name: first?.name ?? "repository", ...thrown(opened.error) }, ...skipped];
  }
  let configuration: ReturnType<Patient["configuration"]> | undefined;
  const patient: Patient = {
    io,
    repository: opened.repository,
    configuration: () => (configuration ??= effectiveConfiguration(opened.repository)),
  };
  const repository = await Promise.all(tables.repository.map((check) => rowsOf(check, patient)));
  return [...machine, ...repository].flat();
}

async function rowsOf<Subject>({ name, look }: Check<Subject>, subject: Subject): Promise<Row[]> {
  const found = await Promise.resolve(subject)
    .then(look)
    .catch((error: unknown): readonly Finding[] => [thrown(error)]);
  return found.map((finding) => ({ name, ...finding }));
}
