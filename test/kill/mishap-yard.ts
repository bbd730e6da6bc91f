import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GATES, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { readSpecs } from "@slipway/kernel/change/plan/specs/read";
import { openQuestionsOf } from "@slipway/runtime/choose";
import { giveApproval } from "slipway/give-approval";
import { openSession, type Hooks, type Session } from "@slipway/runtime/session";
import { beginNamed } from "./begin-run.ts";
import { query } from "./query.ts";
import { quietIo } from "./orders.ts";

/** Each feature has its own changed file and its own added file. */
export const FEATURES = { letters: "a", words: "b" } as const;
export type FeatureId = keyof typeof FEATURES;
export const IDS = Object.keys(FEATURES) as FeatureId[];

/** A repository where one feature waits for its approval and another is approved. Its user is on another branch. */
export interface Yard {
  readonly folder: string;
  readonly home: string;
  readonly env: Record<string, string>;
  readonly runId: string;
  /** Digests of the changes approved so far. */
  readonly approved: Set<string>;
  /** Texts that a person has committed on the base. */
  readonly onBase: Set<string>;
}

const USER_FILES = { "README.md": "my own words\n", "notes.txt": "untracked\n", "staged.txt": "staged\n" };

const FILES: Readonly<Record<string, string>> = {
  "README.md": "words\n",
  "check.sh": "if grep -rn BUG src; then exit 1; fi\n",
  "src/a.txt": "one\n",
  "src/b.txt": "one\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY,
  "slipway/agents.yaml": "version: 1\nroles: {}\nruntime:\n  default_provider: replay\n",
  ...Object.fromEntries(IDS.map((id) => [`${id}.spec.md`, `# ${id}\n\nThe file src/${FEATURES[id]}.txt says two.\n`])),
};

/** Made once per process, then restored at the same path for each sequence, because the records contain absolute paths. */
export async function prepareYard(): Promise<{ fresh(): Yard; remove(): void }> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "slipway-mishaps-")));
  const [folder, home, kept] = [join(place, "now", "repository"), join(place, "now", "home"), join(place, "kept")];
  for (const [path, text] of Object.entries(FILES)) put(join(folder, path), text);
  recordAnswers(join(home, "cassette"));
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "files");
  git(folder, "commit", "-q", "--allow-empty", "-m", "one more");
  git(folder, "switch", "-q", "-c", "mine");
  for (const [path, text] of Object.entries(USER_FILES)) put(join(folder, path), text);
  git(folder, "add", "staged.txt");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  const approved = new Set<string>();
  const yard = { folder, home, env, runId: "", approved, onBase: new Set<string>() };
  const runId = await inSession(yard, async (session) => {
    const paths = IDS.map((id) => `${id}.spec.md`);
    const started = await beginNamed("features", session, await readSpecs(folder, paths), { cwd: folder, env });
    await session.drive(started);
    return started;
  });
  await inSession({ ...yard, runId }, (session) => approve({ ...yard, runId }, session, "words"));
  execFileSync("cp", ["--archive", join(place, "now"), kept]);
  const signed = [...approved];
  return {
    fresh() {
      rmSync(join(place, "now"), { recursive: true, force: true });
      execFileSync("cp", ["--archive", kept, join(place, "now")]);
      return { ...yard, runId, approved: new Set(signed), onBase: new Set<string>() };
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

export async function inSession<T>(yard: Yard, work: (session: Session) => Promise<T>, hooks: Hooks = {}): Promise<T> {
  const session = await openSession({
    io: quietIo(yard.folder, yard.env),
    askTrust: trustAnything,
    agents: { provider: "replay", cassette: join(yard.home, "cassette") },
    unsandboxedReason: "the gates of this suite are a grep",
    ...hooks,
  });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** False if nothing was signed: there is no question, or the worktree was edited. */
export async function approve(yard: Yard, session: Session, id: FeatureId): Promise<boolean> {
  const questions = await openQuestionsOf(session.records, yard.runId);
  const question = questions.find(({ kind, context }) => kind === "approval" && context["feature_id"] === id);
  if (question === undefined) return false;
  const { policyHash } = session.kernel.configuration;
  const { signed } = await giveApproval(session.records, question, quietIo(yard.folder, yard.env), { policyHash });
  if (signed) yard.approved.add(String(question.context["change"]));
  return signed;
}

export function worktreeOf({ folder }: Yard, id: FeatureId): string {
  return String(query(folder, `SELECT worktree FROM features WHERE id = '${id}'`)[0]?.["worktree"]);
}

const IDENTITY = ["-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "commit.gpgSign=false", "-c", "gc.auto=0"];

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", [...IDENTITY, ...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

export function userState({ folder }: Yard): string {
  const files = Object.keys(USER_FILES).map((name) => readFileSync(join(folder, name), "utf8"));
  return JSON.stringify([git(folder, "symbolic-ref", "HEAD"), git(folder, "status", "--porcelain", "--untracked-files=all"), files]);
}

function recordAnswers(cassette: string): void {
  put(join(cassette, "cassette.json"), JSON.stringify({ version: 1, created: "2026-11-18", description: "mishaps" }));
  for (const id of IDS) {
    const [path, added] = [`src/${FEATURES[id]}.txt`, `src/new-${FEATURES[id]}.txt`];
    const record = (role: string, attempt: string, output: unknown) =>
      put(
        join(cassette, role, `${id}.${attempt}.json`),
        JSON.stringify({
          role,
          subject: id,
          attempt,
          prompt_digest: null,
          output,
          usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 },
        }),
      );
    record("planner", "1", {
      type: "PLAN_SUBMISSION",
      plan: {
        feature_id: id,
        plan_version: 1,
        summary: "change the letters",
        allowed_areas: ["src"],
        forbidden_areas: [],
        base_ref: "main",
        files: { create: [added], modify: [path], delete: [] },
        contracts: { openapi: "none", events: "none", db: "none" },
        acceptance_criteria: ["the letters are changed"],
      },
    });
    for (const attempt of ["1", "2.1", "3.1", "4.1"]) {
      record("builder", attempt, {
        type: "PATCH",
        summary: "two",
        unified_diff: `${diffOf(path, false, "@@ -1 +1 @@\n-one\n")}${diffOf(added, true, "@@ -0,0 +1 @@\n")}`,
      });
      record("qa", attempt, { type: "NOTE", text: "covered", updates: [hunk(path), hunk(added)] });
    }
  }
}

function hunk(path: string) {
  return { path, hunks: [{ start_line: 1, end_line: 1 }], status: "passed" };
}

function diffOf(path: string, isNew: boolean, lines: string): string {
  const head = isNew ? "new file mode 100644\n--- /dev/null\n" : `--- a/${path}\n`;
  return `diff --git a/${path} b/${path}\n${head}+++ b/${path}\n${lines}+two\n`;
}

export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
