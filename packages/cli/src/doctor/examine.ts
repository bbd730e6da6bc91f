import { openRepositoryView, type RepositoryView } from "@slipway/kernel/repository-view";
import type { Io } from "@slipway/protocols/surface/io";
import { checkApprovalKey } from "./approval-key.ts";
import { checkAgents } from "./agents.ts";
import { note, type DoctorCheck, type DoctorFinding, type DoctorSubject, type DoctorRow } from "./check.ts";
import { checkConfiguration, effectiveTrust } from "./configuration.ts";
import { checkDatabase } from "./database.ts";
import { checkDisk } from "./disk.ts";
import { checkGates } from "./gates.ts";
import { checkGit, checkRepository } from "./git.ts";
import { findingFromError } from "./error-texts.ts";
import { checkNode } from "./node.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkTrust } from "./trust.ts";
import { checkWorktrees } from "./worktrees.ts";

const OF_THE_MACHINE: readonly DoctorCheck<Io>[] = [
  { name: "node", look: () => checkNode() },
  { name: "git", look: checkGit },
  { name: "sandbox", look: () => checkSandbox() },
];

const OF_THE_REPOSITORY: readonly DoctorCheck<DoctorSubject>[] = [
  { name: "repository", look: checkRepository },
  { name: "disk", look: checkDisk },
  { name: "configuration", look: checkConfiguration },
  { name: "trust", look: checkTrust },
  { name: "gates", look: checkGates },
  { name: "worktrees", look: checkWorktrees },
  { name: "agents", look: checkAgents },
  { name: "database", look: checkDatabase },
  { name: "approval key", look: checkApprovalKey },
];

export interface DoctorTables {
  readonly machine: readonly DoctorCheck<Io>[];
  readonly repository: readonly DoctorCheck<DoctorSubject>[];
}

/** Runs every check, even if others fail. */
export async function examine(
  io: Io,
  tables: DoctorTables = { machine: OF_THE_MACHINE, repository: OF_THE_REPOSITORY },
): Promise<DoctorRow[]> {
  const machine = await Promise.all(tables.machine.map((check) => rowsOf(check, io)));
  const opened = await openOwn(io).then(
    (repository) => ({ repository }),
    (error: unknown) => ({ error }),
  );
  if ("error" in opened) {
    const [first, ...others] = tables.repository;
    const skipped = others.map(({ name }) => ({ name, ...note("Not checked, because the repository cannot be used.") }));
    return [...machine.flat(), { name: first?.name ?? "repository", ...findingFromError(opened.error) }, ...skipped];
  }
  let trust: ReturnType<typeof effectiveTrust> | undefined;
  const effective = () => (trust ??= effectiveTrust(io));
  const subject: DoctorSubject = {
    io,
    repository: opened.repository,
    configuration: async () => (await effective())?.configuration ?? null,
    trusted: async () => (await effective())?.trusted() ?? false,
  };
  const repository = await Promise.all(tables.repository.map((check) => rowsOf(check, subject)));
  return [...machine, ...repository].flat();
}

async function openOwn(io: Io): Promise<RepositoryView> {
  const repository = await openRepositoryView(io);
  await repository.assertOwn(io.env);
  return repository;
}

async function rowsOf<Subject>({ name, look }: DoctorCheck<Subject>, subject: Subject): Promise<DoctorRow[]> {
  const findings = await Promise.resolve(subject)
    .then(look)
    .catch((error: unknown): readonly DoctorFinding[] => [findingFromError(error)]);
  return findings.map((finding) => ({ name, ...finding }));
}
