import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { GATES, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { layoutAt } from "@slipway/kernel/host/layout";
import { FEATURES, planOf, RESOURCES } from "./calls.ts";
import { openClient, type Arguments, type Client } from "./client.ts";

const CHILD = join(import.meta.dirname, "..", "dist", "stress", "child.js");
const PROCESSES = 4;
const CALLS = 40;

/** Errors of a call that comes too late, is repeated or asks for another's lock. Any other error is a defect. */
const REFUSALS = new Set(["patch_apply_failed", "lock_conflict", "lock_not_held", "version_conflict", "policy_violation"]);

interface Logged {
  readonly operation_id: string;
  readonly tool: string;
  readonly args: Arguments;
  readonly code: string | null;
}

interface Yard {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly client: Client;
}

async function openYard(): Promise<Yard> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-stress-")));
  const root = join(home, "repository");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  const files: Record<string, string> = {
    "check.sh": "test ! -e src/BUG\n",
    "src/a.txt": "one\n",
    "slipway/gates.yaml": GATES,
    "slipway/policy.yaml": POLICY,
    ...Object.fromEntries(FEATURES.map((id) => [`.slipway/features/${id}/spec.md`, `# ${id}\n`])),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=k", "-c", "user.email=k@localhost", ...args], { cwd: root });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "check.sh", "src", "slipway");
  git("commit", "--quiet", "--message=start");
  const client = await openClient(root, env);
  for (const feature_id of FEATURES) {
    await succeed(client, "feature.init", { feature_id });
    await succeed(client, "plan.submit", { feature_id, plan_json: planOf(feature_id, 1) });
  }
  return { root, env, client };
}

async function succeed(client: Client, tool: string, args: Arguments): Promise<Record<string, unknown>> {
  const answer = await client.call(tool, args);
  expect(answer).toMatchObject({ ok: true });
  return (answer.ok ? answer.data : {}) as Record<string, unknown>;
}

/** Everything that the calls decided, without times and ids, which differ between runs. */
async function outcome({ root, client }: Yard): Promise<unknown> {
  const features = await Promise.all(
    FEATURES.map(async (feature_id) => {
      const { state } = (await succeed(client, "feature.state_get", { feature_id })) as { state: Record<string, unknown> };
      const { plan } = (await succeed(client, "plan.get", { feature_id })) as { plan: { plan_version: number } };
      const notes = rows(root, `SELECT text FROM notes WHERE feature_id = '${feature_id}' ORDER BY id`);
      const [row] = rows(root, `SELECT tree FROM features WHERE id = '${feature_id}'`);
      const { version, status, gates, locks, role_status } = state;
      return { feature_id, version, status, gates, locks, role_status, plan: plan.plan_version, notes, tree: row?.["tree"] };
    }),
  );
  const { version, active, blocked, merged, locks } = indexOf(root);
  return { features, index: { version, active, blocked, merged, locks } };
}

function rows(root: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(layoutAt(root).database, { timeout: 5_000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function indexOf(root: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, ".slipway", "features", "index.json"), "utf8")) as Record<string, unknown>;
}

test(
  "[FEA-149] [FEA-012] five features under calls from several processes: no update is lost, and only the accepted calls decide the result",
  { timeout: 240_000 },
  async () => {
    const yard = await openYard();
    const log = join(yard.root, "..", "calls");
    writeFileSync(log, "");
    const seed = Math.floor(Math.random() * 1e6);
    console.log(`stress seed ${seed}`);
    const ends = Array.from({ length: PROCESSES }, async (_, index) => {
      const orders = JSON.stringify({ root: yard.root, env: yard.env, log, seed: seed + index, calls: CALLS });
      const child = spawn(process.execPath, [CHILD, orders], { stdio: ["ignore", "inherit", "inherit"] });
      const [code] = (await once(child, "close")) as [number];
      return code;
    });
    expect(await Promise.all(ends)).toEqual(Array.from({ length: PROCESSES }, () => 0));

    const logged = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Logged);
    expect(logged).toHaveLength(PROCESSES * CALLS);
    expect(
      logged.filter(({ code, tool }) => code !== null && !REFUSALS.has(code) && !(tool === "gates.run" && code === "gate_failed")),
    ).toEqual([]);
    const accepted = logged.filter(({ code }) => code === null);
    expect(accepted.length).toBeGreaterThan(40);

    // Each accepted change exists.
    for (const feature_id of FEATURES) {
      const of = (tool: string) => accepted.filter((call) => call.tool === tool && call.args["feature_id"] === feature_id);
      const files = execFileSync("git", ["status", "--porcelain", "--untracked-files=all"], {
        cwd: join(yard.root, ".worktrees", feature_id),
        encoding: "utf8",
      });
      expect(files.split("\n").filter((line) => line.includes("src/")).length).toBe(of("repo.apply_patch").length);
      expect(rows(yard.root, `SELECT text FROM notes WHERE feature_id = '${feature_id}'`).length).toBe(of("feature.log_append").length);
      expect(rows(yard.root, `SELECT max(plan_version) AS v FROM plans WHERE feature_id = '${feature_id}'`)).toEqual([
        { v: 1 + of("plan.update").length },
      ]);
    }

    // The projections match the rows.
    for (const feature_id of FEATURES) {
      const { state } = (await succeed(yard.client, "feature.state_get", { feature_id })) as { state: Record<string, unknown> };
      const text = readFileSync(join(yard.root, ".slipway", "features", feature_id, "state.md"), "utf8");
      expect(parse(text.split("---\n")[1] ?? "")).toEqual(state);
    }
    const holders = rows(yard.root, "SELECT resource, holder FROM locks WHERE holder IS NOT NULL");
    const index = indexOf(yard.root)["locks"] as Record<string, string | null>;
    for (const resource of RESOURCES) expect(index[resource]).toBe(holders.find((row) => row["resource"] === resource)?.["holder"] ?? null);

    // The same accepted calls, one by one in the journal's order, give the same result.
    const order = rows(yard.root, "SELECT key FROM events WHERE kind = 'operation' ORDER BY stream, seq").map(({ key }) => String(key));
    const byId = new Map(accepted.map((call) => [`call:${call.operation_id}`, call]));
    const quiet = await openYard();
    for (const { tool, args } of order.flatMap((key) => byId.get(key) ?? [])) await succeed(quiet.client, tool, args);
    expect(await outcome(quiet)).toEqual(await outcome(yard));
    await Promise.all([yard.client.close(), quiet.client.close()]);
  },
);
