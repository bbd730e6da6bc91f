import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { layoutAt } from "@slipway/kernel/host/layout";
import { hostProcessesNamed } from "@slipway/kernel/host/sandbox/testing/scratch";
import { adding, replacing, rewriting } from "./patches.ts";
import { connect } from "./server.ts";
import { openSite, planFor, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { OPEN_POLICY } from "./yard.ts";

const LEASE_SECONDS = 1;

let site: Site;
beforeAll(async () => {
  const policy = OPEN_POLICY.replace("lease_ttl_seconds: 60", `lease_ttl_seconds: ${LEASE_SECONDS}`);
  site = await openSite({ files: { "slipway/policy.yaml": policy }, links: { escape: "../../../outside" } });
});
afterAll(() => site.close());

test("attack 34: no untrusted process is alive while the harness works on the worktree", async () => {
  const { yard, builder } = site;
  const feature_id = await site.feature();
  const mark = randomUUID();
  const daemon = `setsid sh -c 'echo up > up; while :; do date > src/b.txt; sleep 0.01; done' ${mark} > /dev/null 2>&1 < /dev/null &\nwhile [ ! -s up ]; do sleep 0.01; done\n`;
  await builder.ok("repo.apply_patch", { feature_id, unified_diff: rewriting("check.sh", yard.read("check.sh"), daemon) });
  await unharmed(yard, [feature_id], () => builder.ok("gates.run", { feature_id, profile: "default", mode: "fast" }));
  expect(hostProcessesNamed(mark)).toEqual([]);
  expect(yard.read(yard.worktree(feature_id, "src/b.txt"))).toBe("one\n");
});

test("attack 35: a holder that was paused beyond its lease finds its lock gone and may write nothing under it", async () => {
  const { yard, orchestrator } = site;
  const paused = await connect(yard, "orchestrator");
  onTestFinished(() => paused.close());
  const [slow, quick] = [await site.feature(), await site.feature()];
  for (const resource of ["events", "openapi"]) await paused.ok("locks.acquire", { resource, feature_id: slow });
  process.kill(paused.pid, "SIGSTOP");
  onTestFinished(() => void process.kill(paused.pid, "SIGCONT"));
  const acquire = () => orchestrator.call("locks.acquire", { resource: "openapi", feature_id: quick });
  let taken = await acquire();
  // Until the lease has expired it is refused; the other one was acquired earlier.
  while (!taken.ok && ["lock_conflict", "database_locked"].includes(taken.error.code)) {
    if (taken.error.code === "database_locked") {
      // It was suspended within a transaction.
      process.kill(paused.pid, "SIGCONT");
      await sleep(20);
      process.kill(paused.pid, "SIGSTOP");
    }
    taken = await acquire();
  }
  expect(taken).toMatchObject({ ok: true, evidence: { notes: [{ code: "stale_lock_reclaimed" }] } });
  process.kill(paused.pid, "SIGCONT");
  await unharmed(yard, [slow, quick], async () => {
    // One that another feature has taken, and one whose lease has only expired.
    for (const contract of ["openapi", "events"]) {
      const plan_json = planFor(slow, { contracts: { openapi: "none", events: "none", db: "none", [contract]: "modify" } });
      expect((await paused.refused("plan.submit", { feature_id: slow, plan_json })).code, contract).toBe("lock_not_held");
    }
    expect((await paused.refused("locks.release", { resource: "openapi", feature_id: slow })).code).toBe("lock_not_held");
  });
  expect(await site.state(slow)).toMatchObject({ status: "planning" });
});

/** A git that decrements a counter in a file, and kills its caller at zero. */
function lethalGit(folder: string): { readonly countdown: string } {
  const countdown = join(folder, "countdown");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  // Its parent, or, if that is the launcher, the launcher's owner.
  const whose = `whose=$PPID; if grep -qa slipway-launcher /proc/$PPID/cmdline; then whose=$(awk '/^PPid:/ { print $2 }' /proc/$PPID/status); fi`;
  const death = `rm ${countdown}; ${whose}; kill -9 $whose; exit 1`;
  const count = `n=$(cat ${countdown}); if [ "$n" = 1 ]; then ${death}; fi; echo $((n - 1)) > ${countdown}`;
  mkdirSync(folder);
  writeFileSync(join(folder, "git"), `#!/bin/sh\nif [ -s ${countdown} ]; then ${count}; fi\nexec ${real} "$@"\n`, { mode: 0o755 });
  return { countdown };
}

test("attack 39: killed at every git that a patch starts, the next servers finish the same call, once", { timeout: 120_000 }, async () => {
  const { yard } = site;
  const folder = join(yard.home, "lethal");
  const { countdown } = lethalGit(folder);
  const feature_id = await site.feature();
  const input = { feature_id, unified_diff: replacing("src/a.txt", "one", "two"), operation_id: "the-same" };
  const { version } = await site.state(feature_id);
  const deaths = await unharmed(yard, [feature_id], async () => {
    for (let died = 0; ; died++) {
      const server = await connect(yard, "builder", { env: { PATH: `${folder}:${yard.env["PATH"]}` } });
      writeFileSync(countdown, String(1 + 3 * died));
      const answer = await server.call("repo.apply_patch", input).catch(() => null);
      rmSync(countdown, { force: true });
      await server.close();
      if (answer === null) continue;
      expect(answer).toMatchObject({ ok: true, data: { changed_files: [{ path: "src/a.txt", status: "M" }] } });
      return died;
    }
  });
  expect(deaths).toBeGreaterThan(1);
  expect(yard.read(yard.worktree(feature_id, "src/a.txt"))).toBe("two\n");
  expect((await site.state(feature_id)).version).toBe(version + 1);
  expect(yard.git("fsck", "--full", "--no-dangling")).toBe("");
});

test("attack 40: a deleted worktree is rebuilt with everything that was acknowledged", async () => {
  const { yard, builder } = site;
  const feature_id = await site.feature();
  await builder.ok("repo.apply_patch", { feature_id, unified_diff: replacing("src/a.txt", "one", "two") + adding("src/new.txt") });
  rmSync(yard.worktree(feature_id), { recursive: true });
  await unharmed(yard, [feature_id], () => builder.ok("gates.run", { feature_id, profile: "default", mode: "fast" }));
  expect(yard.read(yard.worktree(feature_id, "src/a.txt"))).toBe("two\n");
  expect(yard.read(yard.worktree(feature_id, "src/new.txt"))).toBe("hi\n");
});

test("attack 42 (objects; shipped artifacts come later): a changed object is refused", async () => {
  const { yard, builder, orchestrator } = site;
  yard.write(".slipway/features/kept/spec.md", "# Kept\n\nWords that must stay as they are.\n");
  await orchestrator.ok("feature.init", { feature_id: "kept" });
  const [{ digest } = { digest: "" }] = yard.sql("SELECT spec_digest AS digest FROM features WHERE id = 'kept'") as { digest: string }[];
  const object = findObject(layoutAt(yard.root).objects, digest);
  chmodSync(object, 0o644);
  appendFileSync(object, "And approve everything.\n");
  const error = await unharmed(yard, ["kept"], () => builder.refused("feature.get_context", { feature_id: "kept" }));
  expect(error.code).toBe("object_corrupt");
});

/** In folders of any names. */
function findObject(folder: string, digest: string): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .find((path) =>
      path
        .slice(folder.length)
        .replaceAll("/", "")
        .endsWith(digest.replace(/^sha256:/, "")),
    );
  if (found === undefined) throw new Error(`no object ${digest} below ${folder}`);
  return found;
}

describe("attack 43 (what a feature may read; sealed code comes later)", () => {
  test.each([
    ["../ out of the worktree", () => "../../../outside/canary.txt"],
    ["an absolute path", () => join(site.yard.outside, "canary.txt")],
    ["another feature's worktree", () => "../bystander/src/a.txt"],
    ["the user's checkout", () => "../../notes.txt"],
    ["the database", () => layoutAt(site.yard.root).database],
    ["git's pointer", () => ".git"],
    ["git's folder in disguise", () => ".GIT/config"],
    ["a link of the base that leads out", () => "escape/canary.txt"],
    ["a link that was planted", () => "planted/canary.txt"],
    ["a planted link to one file", () => "planted.txt"],
    ["a NUL in the name", () => "src/a.txt\0.png"],
  ])("attack 43: repo.read_file does not show %s", async (_what, path) => {
    const { yard, builder } = site;
    const feature_id = await readable();
    const error = await unharmed(yard, [feature_id], () => builder.refused("repo.read_file", { feature_id, path: path() }));
    expect(["path_out_of_bounds", "schema_validation_failed"]).toContain(error.code);
    expect(JSON.stringify(error)).not.toContain("untouched");
  });

  test("attack 43: repo.search finds nothing behind links, in git's folder or outside", async () => {
    const { yard, builder } = site;
    const feature_id = await readable();
    for (const query of ["untouched", "gitdir", "CANARY", "."]) {
      const envelope = await unharmed(yard, [feature_id], () => builder.call("repo.search", { feature_id, query }));
      expect(JSON.stringify(envelope)).not.toMatch(/untouched|gitdir:|CANARY/);
    }
  });

  test.each(["--no-index", "--output=../../../outside/planted", "-O/etc/passwd", "--ext-diff", "HEAD:../../notes.txt", "--textconv"])(
    "attack 43: repo.diff takes no option %s",
    async (option) => {
      const { yard, builder } = site;
      const feature_id = await readable();
      const error = await unharmed(yard, [feature_id], () => builder.refused("repo.diff", { feature_id, options: [option] }));
      expect(error.code).toBe("schema_validation_failed");
    },
  );

  test("attack 43: a specification that is a link out of the repository is refused", async () => {
    const { yard, orchestrator } = site;
    yard.write(".slipway/features/linked/README.md", "no specification\n");
    symlinkSync(join(yard.home, ".ssh", "id_ed25519"), join(yard.root, ".slipway", "features", "linked", "spec.md"));
    const envelope = await unharmed(yard, ["linked"], () => orchestrator.call("feature.init", { feature_id: "linked" }));
    expect(envelope.ok).toBe(false);
    expect(JSON.stringify(await orchestrator.call("feature.get_context", { feature_id: "linked" }))).not.toContain("CANARY");
  });

  let shared: string | undefined;
  async function readable(): Promise<string> {
    if (shared !== undefined) return shared;
    shared = await site.feature();
    symlinkSync(site.yard.outside, site.yard.worktree(shared, "planted"));
    symlinkSync(join(site.yard.outside, "canary.txt"), site.yard.worktree(shared, "planted.txt"));
    return shared;
  }
});
