import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { checkedVersion } from "../database/version.ts";
import { layoutOf, type Layout } from "../layout.ts";

/**
 * What `status` shows. Plain SQL on a read-only connection and no imports beyond it: the command must answer
 * in the time a bare Node takes to start, and must work while a run is live.
 */
export interface Glance {
  readonly repository: string;
  readonly features: readonly FeatureGlance[];
  readonly runs: readonly RunGlance[];
  readonly questions: readonly QuestionGlance[];
}

export interface FeatureGlance {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  readonly run: string;
  readonly gates: Readonly<Record<string, string>>;
  readonly tree: string;
  readonly merged_as: string | null;
  readonly cost_usd: number;
  readonly locks: readonly string[];
  readonly updated_at: number;
}

export interface RunGlance {
  readonly id: string;
  readonly protocol: string;
  readonly status: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly owner_pid: number | null;
}

export interface QuestionGlance {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly feature: string | null;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly asked_at: number;
}

/** The repository root is found by its folders alone: starting git would cost more than everything else here. */
export function findLayout(start: string): Layout {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".slipway", "slipway.db"))) return layoutOf(folder);
    if (existsSync(join(folder, ".git"))) return layoutOf(mainWorktreeOf(folder));
    if (folder === dirname(folder)) break;
  }
  throw new SlipwayError("not_a_repository", `${start} is not inside a git repository.`, {
    suggested_next_actions: ["Change to your project's folder, or make one with `git init`."],
  });
}

/** In a linked worktree `.git` is a file that names the repository it belongs to. */
function mainWorktreeOf(folder: string): string {
  const git = join(folder, ".git");
  if (statSync(git).isDirectory()) return folder;
  return /^gitdir: (.+)\/\.git\/worktrees\/[^/]+\s*$/.exec(readFileSync(git, "utf8"))?.[1] ?? folder;
}

export async function glance(layout: Layout): Promise<Glance> {
  const empty = { repository: layout.root, features: [], runs: [], questions: [] };
  if (!existsSync(layout.database)) return empty;
  const sqlite = openSqlite(layout.database, { readOnly: true });
  try {
    await checkedVersion(sqlite);
    return { ...empty, ...(await sqlite.exclusive(() => read(sqlite))) };
  } finally {
    await sqlite.close();
  }
}

function read(sqlite: Sqlite) {
  const tables = new Set(rows(sqlite, "SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name));
  const from = (table: string, sql: string) => (tables.has(table) ? rows(sqlite, sql) : []);
  const locks = from("locks", "SELECT resource, holder FROM locks WHERE holder IS NOT NULL");
  return {
    features: from("features", FEATURES).map((row) => ({
      ...featureGlance(row),
      locks: locks.filter(({ holder }) => holder === row["id"]).map(({ resource }) => String(resource)),
    })),
    runs: from("runs", RUNS).map((row) => row as unknown as RunGlance),
    questions: from("questions", QUESTIONS).map(questionGlance),
  };
}

const FEATURES = `
  SELECT f.id, f.status, f.status_reason AS reason, f.run_id AS run, f.gates, f.tree, f.updated_at, m.commit_sha AS merged_as,
         (SELECT coalesce(sum(t.cost_usd), 0) FROM telemetry t WHERE t.feature_id = f.id) AS cost_usd
  FROM features f LEFT JOIN merges m ON m.feature_id = f.id ORDER BY f.id`;

const RUNS = `
  SELECT run_id AS id, workflow AS protocol, status, created_at, finished_at, lease_pid AS owner_pid
  FROM runs WHERE parent_run_id IS NULL ORDER BY created_at DESC, run_id LIMIT 20`;

const QUESTIONS = `
  SELECT id, kind, title, json_extract(context, '$.feature_id') AS feature, options, asked_at
  FROM questions WHERE status = 'open' ORDER BY asked_at, id`;

function featureGlance(row: Record<string, unknown>): FeatureGlance {
  return { ...(row as unknown as FeatureGlance), gates: JSON.parse(String(row["gates"])) as Record<string, string> };
}

function questionGlance(row: Record<string, unknown>): QuestionGlance {
  return { ...(row as unknown as QuestionGlance), options: JSON.parse(String(row["options"])) as QuestionGlance["options"] };
}

function rows(sqlite: Sqlite, sql: string): Record<string, unknown>[] {
  return sqlite.prepare(sql).all();
}
