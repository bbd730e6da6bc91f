import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { issueApproval } from "../land/approvals/approvals.ts";
import { openApprovalKey } from "../land/approvals/key.ts";
import { loadConfiguration } from "../../config/load.ts";
import { openRepository, type Repository } from "../../host/git/repository.ts";
import { openKernel, type Kernel } from "../../kernel.ts";
import { layoutAt } from "../../host/layout.ts";
import type { DoorEvent } from "../../record/operations/door.ts";
import { openRecords } from "../../open-records.ts";
import type { Records } from "../../record/storage.ts";
import type { Sandbox } from "../../host/sandbox/contract.ts";
import { unsandboxed } from "../../host/sandbox/unsandboxed.ts";

export const PERSON = { type: "person", id: "kim" } as const;

/** One step per mode: `check.sh` of the repository. */
export const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: [sh, check.sh] }]
      full: [{ name: check, cmd: [sh, check.sh] }]
`;

/** Everything required, short waits, two attempts a phase. Its gates are scripts, which run no planted test: no canary. */
export const POLICY = `version: 1
commit_policy: { allow_commit: false, allow_merge: false }
patch_policy: { enforce_plan: true, enforce_allowed_areas: true }
locks:
  resources: [openapi, events, db_migrations]
  lease_ttl_seconds: 60
  default_wait_timeout_seconds: 0.1
  acquire_backoff: { initial_seconds: 0.01, max_seconds: 0.05 }
protected_areas: [slipway]
required_modes: [fast, full]
required_merge_mode: full
config_precedence: [policy_hard_constraints, gates_profile_defaults, plan_verification_overrides]
path_rules: { matching: repo_prefix }
merge_policy: { allowed_strategies: [merge_commit, squash, rebase] }
gates: { canary: off }
worktree: { base_branch: main, root: .worktrees }
implementation: { workspace: nx }
testing: { framework: vitest }
supervisor: { max_iterations_per_phase: 2 }
`;

/** For `WorkshopOptions.policy`, if a test counts gates or has none that pass: agents are called without a trial on the base. */
export const WITHOUT_TRIAL = { "gates: {": "gates: { try_on_base: false," } as const;

/** Fails while a source file says BUG, which is enough to send work back. Leaves a file behind, as gates do. */
const CHECK = "echo left behind > leftover.txt\nif grep -rn BUG src; then exit 1; fi\n";

const FILES = {
  "check.sh": CHECK,
  "src/a.txt": "one\n",
  "src/b.txt": "one\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY,
};

/** The facts that an approval names. */
export type ApprovedFacts = Readonly<
  Record<"feature_id" | "change" | "tree" | "base" | "policy_hash" | "repository" | "message_digest", string>
>;

export interface ScratchKernel {
  readonly root: string;
  readonly kernel: Kernel;
  readonly records: Records;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** A person's signed approval of exactly these facts. */
  sign(facts: ApprovedFacts, expiresAt?: number): string;
  /** Makes gates find no sandbox, or one again. */
  breakSandbox(error: Error | null): void;
  close(): Promise<void>;
}

export interface ScratchOptions {
  readonly observe?: (event: DoorEvent) => void;
  /** Replaces the system's. */
  readonly clock?: Clock;
  /** Replaces none. */
  readonly sandbox?: Sandbox;
  /** Wraps the one that is opened. */
  readonly wrapRepository?: (opened: Repository) => Repository;
  /** Additional variables of the host. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Prevents git from packing a large repository in the background while it is copied. */
const SETTINGS = ["user.name=kim", "user.email=kim@localhost", "gc.auto=0"].flatMap((setting) => ["-c", setting]);

const gitIn = (cwd: string, args: readonly string[]) => execFileSync("git", [...SETTINGS, ...args], { cwd, encoding: "utf8" });

const templates = new Map<string, string>();

/** A repository with these files in one commit. Created once, then copied: git is slower than the copy. */
function templateOf(files: Readonly<Record<string, string>>): string {
  const key = JSON.stringify(files);
  const known = templates.get(key);
  if (known !== undefined) return known;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-kernel-template-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  gitIn(root, ["init", "--quiet", "--initial-branch=main"]);
  gitIn(root, ["add", "--all"]);
  gitIn(root, ["commit", "--quiet", "--message=start"]);
  templates.set(key, root);
  return root;
}

/** A real repository and kernel; gates really run, without a sandbox. `files` are added to, or replace, the default ones. */
export async function openScratchKernel(
  files: Readonly<Record<string, string>> = {},
  { observe, clock, sandbox, wrapRepository = (opened) => opened, env = {} }: ScratchOptions = {},
): Promise<ScratchKernel> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-kernel-")));
  const root = join(home, "repository");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]) => gitIn(root, args);
  cpSync(templateOf({ ...FILES, ...files }), root, { recursive: true, preserveTimestamps: true });

  const records = await openRecords({ layout: layoutAt(root), ...(observe && { observe }), ...(clock && { clock }) });
  const approvalKey = await openApprovalKey({ configHome: join(home, "config"), repositoryRoot: root });
  let broken: Error | null = null;
  const kernel = openKernel({
    records,
    repository: wrapRepository(await openRepository(root, { env: { PATH: process.env["PATH"], HOME: home } })),
    configuration: await loadConfiguration(async (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path)) : null)),
    approvalKey,
    hostEnv: { PATH: process.env["PATH"], XDG_STATE_HOME: join(home, "state"), API_TOKEN: "a-very-secret-value", ...env },
    async sandbox() {
      if (broken !== null) throw broken;
      return sandbox ?? unsandboxed({ reason: "scripted test", by: PERSON.id });
    },
  });
  return {
    breakSandbox(error) {
      broken = error;
    },
    root,
    kernel,
    records,
    git,
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    sign(
      { feature_id: feature, change, tree, base, policy_hash: policyHash, repository, message_digest: message },
      expiresAt = records.clock.now() + 3_600_000,
    ) {
      return issueApproval(approvalKey, records.ids, {
        feature,
        change,
        tree,
        base,
        policyHash,
        repository,
        message,
        by: PERSON,
        at: Math.floor(records.clock.now()),
        expiresAt,
      });
    },
    close: () => records.close(),
  };
}

export function scratchPlan(feature: string, changes: Record<string, unknown> = {}) {
  return {
    feature_id: feature,
    plan_version: 1,
    summary: "change the letters",
    allowed_areas: ["src"],
    forbidden_areas: [],
    base_ref: "main",
    files: { create: ["src/new.txt"], modify: ["src/a.txt"], delete: [] },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: ["the letters are changed"],
    ...changes,
  };
}

/** A diff that replaces the only line of a file. */
export function replaceLine(path: string, from: string, to: string): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
}

export function addFile(path: string, text: string): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;
}
