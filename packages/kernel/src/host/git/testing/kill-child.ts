/** The child process of kill.test.ts: makes features and merges them one after the other until it is killed or done. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { buildMerge, landMerge } from "../merge.ts";
import { reconcile } from "../reconcile.ts";
import { openRepository, type Repository } from "../repository.ts";
import { anchor } from "../anchor.ts";
import { ensureWorktree } from "../worktree.ts";

const [root = "", first = "0", end = "Infinity"] = process.argv.slice(2);
const identity = { name: "Slipway", email: "slipway@localhost" };
const at = Date.UTC(2026, 0, 1);

async function feature(repo: Repository, number: number): Promise<void> {
  const id = `f${number}`;
  const path = join(root, ".worktrees", id);
  const plan = join(root, ".slipway", `${id}.json`);
  if (!existsSync(plan)) {
    const { baseCommit } = await ensureWorktree(repo, { featureId: id, branch: id, baseRef: "main", path });
    for (let file = 0; file < 3; file++) writeFileSync(join(path, `${id}-${file}.txt`), `${id} ${file}\n`);
    writeFileSync(join(path, "shared.txt"), `last was ${id}\n`);
    const { tree } = await anchor(repo, path, { run: "kill", step: id, message: id, at });
    const built = await buildMerge(repo, {
      baseCommit,
      baseNow: baseCommit,
      tree,
      strategy: "merge_commit",
      message: id,
      author: identity,
      committer: identity,
      at,
    });
    // Like the journal: record what will land before anything moves.
    mkdirSync(join(root, ".slipway"), { recursive: true });
    writeFileSync(
      `${plan}.tmp`,
      JSON.stringify({
        baseBranch: "main",
        expected: baseCommit,
        commit: built.commit,
        featureBranch: id,
        featureCommit: built.featureCommit,
      }),
    );
    renameSync(`${plan}.tmp`, plan);
  }
  await landMerge(repo, JSON.parse(readFileSync(plan, "utf8")));
}

/** The test kills git at random: such failures are retried after a reconcile, other failures three times. */
async function persistently(what: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1, faults = 0; faults < 3; attempt++) {
    try {
      if (attempt > 1) for (const line of await reconcile(await openRepository(root))) console.log(`reconciled ${line}`);
      return await work();
    } catch (error) {
      const text = error instanceof SlipwayError ? `${error.code} ${error.message} ${JSON.stringify(error.details)}` : String(error);
      // Of several processes of one git command the killed one may not be ours to see: git names its signal.
      if (!/it was killed|SIGKILL|died of signal 9|"killed":true/.test(text)) faults++;
      console.log(`failed ${what} ${attempt} ${text}`);
    }
  }
  process.exit(9);
}

console.log("ready");
await persistently("reconcile", async () => {
  for (const line of await reconcile(await openRepository(root))) console.log(`reconciled ${line}`);
});
for (let number = Number(first); number < Number(end); number++) {
  await persistently(String(number), async () => feature(await openRepository(root), number));
  console.log(`done ${number}`);
}
