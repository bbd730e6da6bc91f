import { readFileSync } from "node:fs";
import { openSqlite } from "@slipway/durable/sqlite";
import { verifyAll } from "@slipway/kernel/record/journal/verify";
import { layoutAt } from "@slipway/kernel/host/layout";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { objectStore } from "@slipway/kernel/record/objects/store";
import { orphans, workingIn } from "./orphans.ts";
import { git, userState, type Ended, type Flow } from "./flow.ts";
import { query } from "./query.ts";

/** Every violated invariant after the flow has ended. */
export async function violations(flow: Flow, last: Ended, expectedTree: string): Promise<string[]> {
  const left = await nothingLeft(flow, 1 + flow.specs.length);
  return [
    ...ended(last),
    ...mergedOnce(flow, expectedTree),
    ...untouched(flow),
    ...ranOnce(flow),
    ...paidOnce(flow),
    ...reachable(flow),
    ...(await journalWhole(flow)),
    ...left,
  ];
}

function ended({ code, stdout, stderr }: Ended): string[] {
  const completed = code === 0 && stdout.includes('"status":"completed"') && stdout.includes('"merged"');
  return completed ? [] : [`the run did not end merged: exit ${code} ${stdout} ${stderr}`];
}

function mergedOnce({ folder, specs }: Flow, expectedTree: string): string[] {
  const merges = git(folder, ["log", "--first-parent", "--format=%T", "main"]).trim().split("\n");
  const rows = query(folder, "SELECT tree, commit_sha FROM merges");
  const problems: string[] = [];
  if (merges.length !== 1 + specs.length)
    problems.push(`main has ${merges.length} commits on its first-parent line instead of ${1 + specs.length}`);
  if (merges[0] !== expectedTree) problems.push(`main holds tree ${merges[0]}, an undisturbed run gives ${expectedTree}`);
  if (rows.length !== specs.length || !rows.some((row) => row["tree"] === expectedTree))
    problems.push(`merge rows: ${JSON.stringify(rows)}`);
  if (query(folder, "SELECT id FROM approvals").length !== specs.length) problems.push("not every approval was used exactly once");
  return problems;
}

export function untouched({ folder, before }: Flow): string[] {
  const after = userState(folder);
  return JSON.stringify(after) === JSON.stringify(before) ? [] : [`the user's checkout changed: ${JSON.stringify({ before, after })}`];
}

/** A recorded step never begins again, in any process. */
export function ranOnce({ log }: Flow): string[] {
  const recorded = new Set<string>();
  const again: string[] = [];
  for (const line of readFileSync(log, "utf8").trim().split("\n")) {
    const [kind, ...rest] = line.split(" ");
    const step = rest.join(" ");
    if (kind === "step") recorded.add(step);
    if (kind === "begin" && recorded.has(step)) again.push(`recorded step ran again: ${step}`);
  }
  return recorded.size > 5 ? again : ["the log names hardly any step"];
}

/** No received answer was requested again, no call has an open reservation, and the telemetry equals what was settled. */
export function paidOnce({ folder }: Flow): string[] {
  const twice = query(
    folder,
    "SELECT invocation, repair, count(*) AS times FROM reservations WHERE status = 'settled' GROUP BY invocation, repair, prompt_digest HAVING count(*) > 1",
  );
  const open = query(folder, "SELECT id FROM reservations WHERE status = 'reserved'");
  const sums = (table: string, where: string) =>
    JSON.stringify(query(folder, `SELECT sum(calls) AS calls, round(sum(cost_usd), 6) AS cost FROM ${table} ${where}`));
  const [settled, told] = [sums("reservations", "WHERE status IN ('settled', 'failed')"), sums("telemetry", "")];
  return [
    ...twice.map((row) => `an answer was paid for again: ${JSON.stringify(row)}`),
    ...open.map((row) => `a call is still reserved: ${JSON.stringify(row)}`),
    ...(settled === told ? [] : [`settled ${settled}, telemetry ${told}`]),
  ];
}

/** Every acknowledged tree is reachable from a ref, and git fsck finds no error. */
function reachable({ folder }: Flow): string[] {
  const trees = query(
    folder,
    "SELECT DISTINCT json_extract(payload, '$.value.value.tree') AS tree FROM events WHERE kind = 'step' AND (name LIKE 'patch:%' OR name LIKE 'qa-patch:%') AND json_extract(payload, '$.value.ok') = 1",
  );
  const kept = new Set(git(folder, ["for-each-ref", "--format=%(tree)", "refs/slipway", "refs/heads"]).trim().split("\n"));
  const lost = trees.map(({ tree }) => String(tree)).filter((tree) => !kept.has(tree));
  const fsck = fsckProblems(folder);
  return [
    ...(trees.length >= 3 ? [] : [`only ${trees.length} patches were applied`]),
    ...lost.map((tree) => `tree ${tree} is not reachable`),
    ...fsck,
  ];
}

export function fsckProblems(folder: string): string[] {
  const report = git(folder, ["fsck", "--full", "--no-dangling"]).trim();
  return report === "" ? [] : [`git fsck: ${report}`];
}

/**
 * Only the features' own worktrees exist; no lock, no waiting call, no process in the repository, no sandbox of a dead process. To be
 * awaited before anything else is examined: a git that is about to end may still write.
 */
export async function nothingLeft({ folder }: Flow, trees: number): Promise<string[]> {
  const processes = [...(await workingIn(folder)), ...(await orphans())];
  const worktrees = git(folder, ["worktree", "list", "--porcelain"]).match(/^worktree .*/gm) ?? [];
  const held = query(folder, "SELECT resource FROM locks WHERE holder IS NOT NULL");
  return [
    ...processes,
    ...(worktrees.length === trees ? [] : [`worktrees: ${worktrees.join(", ")}`]),
    ...held.map((row) => `a lock is left: ${JSON.stringify(row)}`),
  ];
}

export async function journalWhole({ folder }: Flow, streams = 3): Promise<string[]> {
  const layout = layoutAt(folder);
  const sqlite = openSqlite(layout.database);
  const verdicts = await verifyAll(sqlite, { blobs: objectStore(nodeFileSystem, layout.objects) });
  await sqlite.close();
  const broken = [...verdicts].filter(([, verdict]) => !verdict.ok);
  return [
    ...(verdicts.size >= streams ? [] : [`only ${verdicts.size} streams`]),
    ...broken.map(([stream, verdict]) => `journal ${stream}: ${JSON.stringify(verdict)}`),
  ];
}
