import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Pack } from "@slipway/agents/pack";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { issueApproval } from "@slipway/kernel/approvals/approvals";
import { openApprovalKey } from "@slipway/kernel/approvals/key";
import { loadConfiguration } from "@slipway/kernel/config/load";
import { openRepository } from "@slipway/kernel/git/repository";
import { openKernel, type Kernel } from "@slipway/kernel/kernel";
import { layoutOf } from "@slipway/kernel/layout";
import type { InboxQuestion } from "@slipway/kernel/questions/question";
import { acquireWithin, heldLocks } from "@slipway/kernel/locks/store";
import { openRecords } from "@slipway/kernel/records";
import { unsandboxed } from "@slipway/kernel/sandbox/unsandboxed";
import type { Commission, Reply } from "../../desk.ts";
import { features, type FeatureResult, type FeaturesInput } from "../protocol.ts";

export const PERSON = { type: "person", id: "kim" } as const;

const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: [sh, check.sh] }]
      full: [{ name: check, cmd: [sh, check.sh] }]
`;

const POLICY = `version: 1
commit_policy: { allow_commit: false, allow_merge: false }
patch_policy: { enforce_plan: true, enforce_allowed_areas: true }
locks: { resources: [openapi, events, db_migrations], lease_ttl_seconds: 60, default_wait_timeout_seconds: 0.1, acquire_backoff: { initial_seconds: 0.01, max_seconds: 0.05 } }
protected_areas: [slipway]
required_modes: [fast, full]
required_merge_mode: full
config_precedence: [policy_hard_constraints, gates_profile_defaults, plan_verification_overrides]
path_rules: { matching: repo_prefix }
merge_policy: { allowed_strategies: [merge_commit, squash, rebase] }
worktree: { base_branch: main }
implementation: { workspace: nx }
testing: { framework: vitest }
supervisor: { max_iterations_per_phase: 2 }
`;

/** Fails as long as a source file says BUG: enough of a gate to send work back. */
const FILES = {
  "check.sh": "if grep -rn BUG src; then exit 1; fi\n",
  "src/a.txt": "one\n",
  "src/b.txt": "one\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY,
};

export interface Asked {
  readonly role: string;
  readonly attempt: string;
  readonly pack: Pack;
}

/** What the scripted worker of a role answers to each of its invocations, in order; the last answer is repeated. */
export type Script = Readonly<Record<string, readonly unknown[]>>;

export interface Workshop {
  readonly root: string;
  readonly kernel: Kernel;
  readonly engine: Engine;
  readonly asked: Asked[];
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  start(feature?: string): Promise<string>;
  drive(runId: string): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  open(): Promise<InboxQuestion[]>;
  answer(question: InboxQuestion, value: unknown): Promise<void>;
  approve(question: InboxQuestion): Promise<string>;
  locks(): Promise<{ resource: string; holder: string }[]>;
  takeLock(resource: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

/** A real repository, database, engine and gate; only the agents are scripted. */
export async function openWorkshop(script: Script): Promise<Workshop> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-workshop-")));
  const root = join(home, "repository");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: root, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");

  const repository = await openRepository(root);
  const records = await openRecords({ layout: layoutOf(root) });
  const approvalKey = await openApprovalKey({ configHome: join(home, "config"), repositoryRoot: root });
  const configuration = await loadConfiguration(async (path) => (path.endsWith("agents.yaml") ? null : readFileSync(join(root, path))));
  const hostEnv = { PATH: process.env["PATH"], API_TOKEN: "a-very-secret-value" };
  const kernel = openKernel({
    records,
    repository,
    configuration,
    approvalKey,
    hostEnv,
    sandbox: async () => unsandboxed({ reason: "scripted test", by: PERSON.id }),
  });
  const asked: Asked[] = [];
  const turns = new Map<string, number>();
  const desk = {
    async invoke<T>({ role, attempt, pack, schema }: Commission<T>): Promise<Reply<T>> {
      asked.push({ role, attempt, pack });
      const turn = turns.get(role) ?? 0;
      turns.set(role, turn + 1);
      const answers = script[role] ?? [];
      return answerOf(answers[Math.min(turn, answers.length - 1)], schema.parse.bind(schema));
    },
  };
  const { database, objects, clock, ids, inbox } = records;
  const engine = await openEngine({
    sqlite: database.sqlite,
    blobs: objects,
    clock,
    ids,
    inbox,
    workflows: [features],
    kernel: { kernel, desk },
  });

  return {
    root,
    kernel,
    engine,
    asked,
    git,
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    async start(feature = "letters") {
      const spec_digest = await objects.put(Buffer.from(`# ${feature}\n\nChange the letters.\n`));
      const input: FeaturesInput = { max_active_features: 5, specs: [{ feature_id: feature, spec_source: `${feature}.md`, spec_digest }] };
      return engine.start("features", input);
    },
    drive: (runId) => engine.drive(runId),
    open: () => inbox.listOpen(),
    async answer(question, value) {
      await inbox.answer({ id: question.id, value, by: PERSON });
    },
    async approve(question) {
      const { feature_id, change, tree, base, policy_hash } = question.context as Record<string, string>;
      const request = {
        feature: feature_id ?? "",
        change: change ?? "",
        tree: tree ?? "",
        base: base ?? "",
        policyHash: policy_hash ?? "",
        by: PERSON,
        at: clock.now(),
      };
      const token = issueApproval(approvalKey, ids, { ...request, at: Math.floor(request.at) });
      await inbox.answer({ id: question.id, value: { decision: "approve", token }, by: PERSON });
      return token;
    },
    locks: async () => (await heldLocks(database.db)).map(({ resource, holder }) => ({ resource, holder })),
    async takeLock(resource, holder) {
      const request = { resources: [resource], holder, ttlMs: 60_000, allowed: [resource], leaseId: () => "lease" };
      await database.db.transaction().execute((tx) => acquireWithin(tx, request, clock.now()));
    },
    async close() {
      await engine.close();
      await records.close();
    },
  };
}

/** A failure is scripted as the error that the desk would have returned or thrown. */
function answerOf<T>(answer: unknown, parse: (value: unknown) => T): Reply<T> {
  if (answer instanceof Error) throw answer;
  if (typeof answer === "object" && answer !== null && "failure" in answer) return answer as unknown as Reply<T>;
  return { ok: true, value: parse(answer) };
}

export function planFor(feature = "letters", changes: Record<string, unknown> = {}) {
  return {
    type: "PLAN_SUBMISSION",
    plan: {
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
    },
  };
}

/** A diff that turns one line of a file into another. */
export function patchOf(path: string, from: string, to: string) {
  return {
    type: "PATCH",
    summary: `${from} to ${to}`,
    unified_diff: `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`,
  };
}

export function newFile(path: string, text: string) {
  return {
    type: "PATCH",
    summary: `new ${path}`,
    unified_diff: `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`,
  };
}

export const NOTHING_MISSING = { type: "NOTE", text: "every criterion is covered" };

export function resultOf(outcome: { status: string; value?: unknown }): FeatureResult | undefined {
  return outcome.status === "completed" ? (outcome.value as FeatureResult[])[0] : undefined;
}
