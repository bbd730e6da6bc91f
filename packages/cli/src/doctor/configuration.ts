import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import { AGENTS_FILE, POLICY_FILE } from "@slipway/kernel/config/load";
import { parseAgents } from "@slipway/kernel/config/agents";
import { parsePolicy } from "@slipway/kernel/config/policy";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import { GATES_FILE, gatesSchema } from "@slipway/kernel/config/gates";
import { openRepositoryTrust, type RepositoryTrust } from "@slipway/kernel/repository-trust";
import type { Io } from "@slipway/protocols/surface/io";
import type { RepositoryView } from "@slipway/kernel/repository-view";
import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";
import { findingFromError } from "./error-texts.ts";

const COMMIT = 'git add slipway && git commit -m "Update Slipway configuration"';

type Parse = (file: string, bytes: Uint8Array) => unknown;

const FILES: readonly { readonly file: string; readonly parse: Parse; readonly required: boolean }[] = [
  { file: GATES_FILE, parse: (file, bytes) => parseYamlConfig(file, bytes, gatesSchema), required: true },
  { file: POLICY_FILE, parse: parsePolicy, required: true },
  { file: AGENTS_FILE, parse: parseAgents, required: false },
];

export async function checkConfiguration({ repository }: DoctorSubject): Promise<DoctorFinding[]> {
  const base = await baseOf(repository);
  const findings = base.problem === null ? [] : [base.problem];
  for (const { file, parse, required } of FILES) {
    const [here, committed] = await Promise.all([inWorkingTree(repository, file), repository.fileAt(base.revision, file)]);
    findings.push(judge(file, parse, required, here, committed, base.name));
  }
  return findings;
}

function judge(
  file: string,
  parse: Parse,
  required: boolean,
  here: Uint8Array | null,
  committed: Uint8Array | null,
  base: string,
): DoctorFinding {
  if (here === null && committed === null)
    return required ? problem(`${file} does not exist.`, "slipway init") : note(`${file} does not exist; the built-in roles are used.`);
  const invalid = [committed, here].flatMap((bytes) => (bytes === null ? [] : problemsIn(file, parse, bytes)))[0];
  if (invalid !== undefined) return invalid;
  if (committed === null) return problem(`${file} is not committed on ${base}; only the committed file counts.`, COMMIT);
  if (here === null)
    return note(`${file} is committed on ${base} but missing in your working tree. The committed file counts.`, `git restore ${file}`);
  if (Buffer.compare(here, committed) !== 0) return note(`${file} differs from the file committed on ${base}, which counts.`, COMMIT);
  return ok(`${file} is valid and committed on ${base}.`);
}

function problemsIn(file: string, parse: Parse, bytes: Uint8Array): DoctorFinding[] {
  try {
    parse(file, bytes);
    return [];
  } catch (error) {
    return [findingFromError(error)];
  }
}

interface Base {
  readonly name: string;
  readonly revision: string;
  readonly problem: DoctorFinding | null;
}

/** The branch that the policy names: HEAD's policy, as a run reads it, or the working tree's before its first commit. */
async function baseOf(repository: RepositoryView): Promise<Base> {
  const bytes = (await repository.fileAt("HEAD", POLICY_FILE)) ?? (await inWorkingTree(repository, POLICY_FILE));
  const head: Base = { name: "HEAD", revision: "HEAD", problem: null };
  if (bytes === null || problemsIn(POLICY_FILE, parsePolicy, bytes).length > 0) return head;
  const name = parsePolicy(POLICY_FILE, bytes).worktree.base_branch;
  const revision = `refs/heads/${name}`;
  if (await repository.hasCommit(revision)) return { name, revision, problem: null };
  return {
    ...head,
    problem: problem(
      `${POLICY_FILE} names the base branch "${name}", which does not exist.`,
      `git branch ${name}, or name another one in ${POLICY_FILE}.`,
    ),
  };
}

/** The configuration that the other checks use, and whether it is trusted. `checkConfiguration` reports its errors. */
export async function effectiveTrust(io: Pick<Io, "cwd" | "env">): Promise<RepositoryTrust | null> {
  return openRepositoryTrust(io).catch((error: unknown) => {
    if (error instanceof SlipwayError && error.code !== "repository_unsuitable") return null;
    throw error;
  });
}

async function inWorkingTree({ root }: Pick<RepositoryView, "root">, file: string): Promise<Uint8Array | null> {
  return readFile(join(root, file)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  });
}
