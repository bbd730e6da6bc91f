import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Configuration } from "@slipway/kernel/config/load";
import { stepEnvironment } from "@slipway/kernel/change/judge/gates/environment";
import { sandboxEnvironment, visibleRoots, type SandboxPlan } from "@slipway/kernel/host/sandbox/arguments";
import { missingCommand } from "@slipway/kernel/host/sandbox/command";
import { DEFAULT_LIMITS } from "@slipway/kernel/host/sandbox/contract";
import { probeSandbox } from "@slipway/kernel/host/sandbox/probe";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import type { Toolchain } from "@slipway/kernel/host/toolchain/resolve";
import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";
import { isTrusted, NOT_TRUSTED } from "./trust.ts";
import { shownSecrets } from "@slipway/kernel/config/shown-paths";
import { expandHome } from "@slipway/kernel/config/home";

interface Step {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly where: string;
}

/** Checks that every program of gates.yaml can start, as the sandbox sees the machine. Runs nothing. */
export async function checkGates(subject: DoctorSubject): Promise<DoctorFinding[]> {
  const configuration = await subject.configuration();
  if (configuration === null) return [note("Not checked, because the configuration cannot be used.")];
  if (!(await isTrusted(subject))) return [NOT_TRUSTED];
  const hidden = missingFolders(subject, configuration);
  const steps = stepsOf(configuration);
  const first = [...Map.groupBy(steps, ({ program, cwd }) => `${program}\0${cwd}`).values()].flatMap((alike) => alike.slice(0, 1));
  const toolchain = await toolchainIn(subject, configuration);
  const missing = (await Promise.all(first.map((step) => checkStep(step, subject, configuration, toolchain)))).flat();
  const notes = (toolchain?.notes ?? []).map((text) => note(text, "Install it, or start Slipway with it on your PATH."));
  const wanted = [...notes, ...canaryNotes(configuration)];
  if (hidden.length + missing.length > 0) return [...hidden, ...missing, ...wanted];
  const programs = new Set(steps.map(({ program }) => program));
  return [ok(`Every command of slipway/gates.yaml is found: ${[...programs].join(", ")}.`), ...wanted];
}

function canaryNotes({ policy }: Configuration): DoctorFinding[] {
  if (policy.gates.canary !== "off") return [];
  return [
    note("No gate is run with a planted failure, because of gates.canary in slipway/policy.yaml: a gate that cannot fail is not noticed."),
  ];
}

/** Undefined without a sandbox; then the sandbox's view is not checked. */
async function toolchainIn({ io, repository }: DoctorSubject, configuration: Configuration): Promise<Toolchain | undefined> {
  const sandbox = await openSandbox().catch(() => null);
  if (sandbox === null) return undefined;
  return repository.toolchain(configuration, io.env, sandbox);
}

function stepsOf({ gates }: Configuration): Step[] {
  return Object.entries(gates.profiles).flatMap(([profile, { modes }]) =>
    Object.entries(modes).flatMap(([mode, steps]) =>
      (steps ?? []).map(({ name, cmd, cwd = ".", env = {} }) => ({
        program: String(cmd[0]),
        cwd,
        env,
        where: `${profile}.${mode}.${name}`,
      })),
    ),
  );
}

async function checkStep(
  { program, cwd, env, where }: Step,
  { io, repository }: DoctorSubject,
  { policy }: Configuration,
  toolchain: Toolchain | undefined,
): Promise<DoctorFinding[]> {
  const { root } = repository;
  const { host } = await probeSandbox();
  const own = stepEnvironment(io.env, policy.execution.env_allowlist, env, toolchain);
  const named = policy.sandbox.read_only.map((path) => expandHome(path, io.env)).filter((path) => existsSync(path));
  const readOnly = [...named, ...(toolchain?.shownFor(own["PATH"] ?? "") ?? [])];
  const shared = policy.sandbox.shared_paths.map((path) => ({ from: join(root, path), to: join(root, path) }));
  const plan: SandboxPlan = {
    worktree: root,
    cwd: resolve(root, cwd),
    command: [program],
    env: own,
    network: false,
    readOnly: readOnly.flatMap((path) => [path, realpathSync(path)]),
    shared,
    outputs: [],
    layer: null,
    git: "directory",
    folders: [],
    home: null,
    gateway: null,
    veil: null,
    limits: DEFAULT_LIMITS,
  };
  const path = host === null ? (own["PATH"] ?? "") : String(sandboxEnvironment(plan, host)["PATH"]);
  const missing = missingCommand([program], { cwd: plan.cwd, path, visible: host === null ? null : visibleRoots(plan, host) });
  if (missing !== null) {
    const fix = missing.message.includes("does not show")
      ? `Add its folder to sandbox.read_only in slipway/policy.yaml.`
      : `Install ${program}, or correct the step in slipway/gates.yaml.`;
    return [problem(`The gate ${where} cannot start: ${missing.message}`, fix)];
  }
  return program.includes("/") ? inCheckout(program, plan, where, repository, policy.sandbox.shared_paths) : [];
}

/** A program in the repository must also exist in a fresh checkout. */
async function inCheckout(
  program: string,
  { cwd }: SandboxPlan,
  where: string,
  repository: DoctorSubject["repository"],
  shared: readonly string[],
): Promise<DoctorFinding[]> {
  const path = relative(repository.root, resolve(cwd, program));
  if (path.startsWith("..") || shared.some((folder) => path === folder || path.startsWith(`${folder}/`))) return [];
  if (await repository.isTracked(path)) return [];
  return [
    problem(
      `The gate ${where} starts ${path}, which git does not track: it is missing in a fresh checkout.`,
      `Commit it, or add its folder to sandbox.shared_paths in slipway/policy.yaml.`,
    ),
  ];
}

function missingFolders({ io, repository }: DoctorSubject, { policy }: Configuration): DoctorFinding[] {
  const { shared_paths, read_only } = policy.sandbox;
  return [
    ...shownSecrets(policy, repository.root, io.env)
      .filter(({ reason }) => reason !== "your approval key")
      .map(({ path, reason }) =>
        problem(
          `${path} is shown to gates by slipway/policy.yaml, and gives them access to ${reason}.`,
          "Name the folder of the toolchain itself in slipway/policy.yaml instead.",
        ),
      ),
    ...shared_paths
      .filter((path) => !existsSync(join(repository.root, path)))
      .map((path) => problem(`${path} is shared with gates by slipway/policy.yaml, but does not exist.`, mendFor(path))),
    ...read_only
      .filter((path) => !existsSync(expandHome(path, io.env)))
      .map((path) =>
        problem(
          `${path} is shown to gates by slipway/policy.yaml, but does not exist.`,
          "Remove it from sandbox.read_only in slipway/policy.yaml.",
        ),
      ),
  ];
}

function mendFor(path: string): string {
  return /(?:^|\/)node_modules$/.test(path)
    ? "Install the packages in your checkout (npm ci, or your package manager's command)."
    : `Make ${path}, or remove it from sandbox.shared_paths.`;
}
