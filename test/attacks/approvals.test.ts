import { generateKeyPairSync, sign } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { preAuthentication } from "@slipway/kernel/change/land/approvals/pae";
import { openApproval, sealApproval } from "@slipway/kernel/change/land/approvals/token";
import { trustNow } from "@slipway/kernel/config/trust/testing/trust-anything";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runUntilApproval, slipway } from "./cli.ts";
import { replacing } from "./patches.ts";
import { connect, type Caller } from "./server.ts";
import { openSite, type Site } from "./site.ts";
import type { Yard } from "./yard.ts";
import { unharmed } from "./surroundings.ts";

const HOUR_MS = 3_600_000;

let site: Site;
let system: Caller;
/** A token from the database, as a thief of the database would have it. */
let token: string;

beforeAll(async () => {
  site = await openSite({ files: { "src/c.txt": "one\n", "src/d.txt": "one\n", "src/e.txt": "one\n" } });
  await runUntilApproval(site.yard);
  expect((await slipway(site.yard, ["approve", "letters"])).code).toBe(0);
  token = tokenOf(site.yard);
  expect(token).toMatch(/^[\w-]{20,}\.[\w-]{20,}$/);
  system = await connect(site.yard, "system");
});
afterAll(async () => {
  await system.close();
  await site.close();
});

function tokenOf({ sql }: Yard): string {
  const [row] = sql("SELECT answer FROM questions WHERE status = 'answered' ORDER BY rowid DESC") as { answer: string }[];
  return (JSON.parse(row?.answer ?? "{}") as { token: string }).token;
}

/** Plans, builds and tests by tools alone. */
async function readyToMerge(path: string): Promise<string> {
  const { builder, orchestrator } = site;
  const feature_id = await site.feature({ files: { create: [], modify: [path], delete: [] } });
  await builder.ok("repo.apply_patch", { feature_id, unified_diff: replacing(path, "one", "two") });
  for (const [mode, status] of [
    ["fast", "qa"],
    ["full", "ready_to_merge"],
  ]) {
    await builder.ok("gates.run", { feature_id, profile: "default", mode });
    const { version } = await site.state(feature_id);
    await orchestrator.ok("feature.state_patch", {
      feature_id,
      expected_version: version,
      patch: { status, status_reason: `${mode} passed` },
    });
  }
  return feature_id;
}

const toMerge = (feature_id: string, user_approval_token: string) => ({
  feature_id,
  commit_message: "m",
  merge_strategy: "squash",
  user_approval_token,
});
/** The token for exactly the merge that `toMerge` asks for. */
async function approved(feature: string): Promise<string> {
  expect((await merge(feature, "")).code).toBe("user_approval_required");
  const { stdout } = await slipway(site.yard, ["approve", feature, "--json"]);
  const given = JSON.parse(stdout) as { token: string; message: string; strategy: string };
  expect(given).toMatchObject({ message: "m", strategy: "squash" });
  return given.token;
}

const merge = (feature: string, approval: string) => site.orchestrator.refused("feature.ready_to_merge", toMerge(feature, approval));

test("attack 47: an approval that is missing, forged or given for another feature merges nothing", async () => {
  const feature = await readyToMerge("src/b.txt");
  const [payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  const retargeted = Buffer.from(JSON.stringify({ ...claims, feature })).toString("base64url");
  for (const forged of ["", "yes", token, `${retargeted}.${signature}`, `${payload}.${payload}`]) {
    const error = await unharmed(site.yard, [feature], () => merge(feature, forged));
    expect(error.code).toBe("user_approval_required");
  }
  expect(await site.state(feature)).toMatchObject({ status: "ready_to_merge" });
});

test("B16: an approval past its end merges nothing, and the person is asked again", { timeout: 180_000 }, async () => {
  const { yard } = site;
  const key = await openApprovalKey({ configHome: join(yard.home, "config"), repositoryRoot: yard.root });
  const given = openApproval(key, token);
  if (typeof given === "string") throw new Error(given);
  // Signed 73 hours ago, for the 72 hours of the default policy.
  const [at, expiresAt] = [given.at - 73 * HOUR_MS, given.expiresAt - 73 * HOUR_MS];
  const ended = sealApproval(key, { ...given, at, expiresAt });
  // The run takes the answer that was sent to it.
  yard.sql(`UPDATE signals SET value = replace(value, '${token}', '${ended}')`);
  const { code, stdout, stderr } = await slipway(yard, ["merge", "letters"]);
  expect(code, stdout + stderr).toBe(23);
  expect(yard.git("show", "main:src/a.txt")).toBe("one\n");
  const inbox = (await slipway(yard, ["inbox"])).stdout;
  expect(inbox).toMatch(/Your last approval is no longer valid: it was valid until /);
  expect((await slipway(yard, ["approve", "letters"])).code).toBe(0);
  token = tokenOf(yard);
});

/** Everything that agents' roles can read: through tools, and as files of their worktrees and of the projections. */
async function everythingReadable(): Promise<string> {
  const answers = [];
  for (const caller of [site.builder, site.orchestrator, system]) {
    for (const feature_id of ["letters", "bystander"]) {
      for (const tool of [
        "feature.get_context",
        "feature.state_get",
        "plan.get",
        "repo.status",
        "repo.diff",
        "repo.diff_bundle",
        "evidence.latest",
        "qa.test_index_get",
        "report.feature_summary",
      ])
        answers.push(JSON.stringify(await caller.call(tool, { feature_id })));
      answers.push(JSON.stringify(await caller.call("repo.search", { feature_id, query: token.slice(0, 40) })));
    }
    for (const tool of ["feature.discover_specs", "gates.list", "collisions.scan", "report.dashboard"])
      answers.push(JSON.stringify(await caller.call(tool, {})));
  }
  const folders = [".worktrees", ".slipway/features", ".slipway/runs"].map((folder) => join(site.yard.root, folder));
  return [...answers, ...folders.filter((folder) => existsSync(folder)).flatMap(textsIn)].join("\n");
}

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
}

let landed: Promise<unknown> | undefined;
const land = () => (landed ??= slipway(site.yard, ["merge", "letters"]));

test("attack 48: the approval's token reaches no agent, before and after its use", async () => {
  const [payload = "", signature = ""] = token.split(".");
  for (const wait of [() => undefined, land]) {
    await wait();
    const readable = await everythingReadable();
    expect(readable).toContain("letters");
    expect(readable.includes(payload)).toBe(false);
    expect(readable.includes(signature)).toBe(false);
  }
});

test("attack 47: a used approval is void", async () => {
  expect(await land()).toMatchObject({ code: 0 });
  expect(site.yard.git("show", "main:src/a.txt")).toBe("two\n");
  const error = await unharmed(site.yard, ["letters"], () => merge("letters", token));
  expect(["user_approval_required", "invalid_status_transition"]).toContain(error.code);
  expect(site.yard.sql("SELECT id FROM approvals")).toHaveLength(1);
});

test("attack 47: a signature with another key merges nothing, even if every claim is right", async () => {
  await land();
  const feature = await readyToMerge("src/c.txt");
  const approval = await approved(feature);
  const [payload = "", signature = ""] = approval.split(".");
  const signed = preAuthentication("application/vnd.slipway.approval+json", Buffer.from(payload, "base64url"));
  const stranger = sign(null, signed, generateKeyPairSync("ed25519").privateKey);
  const changed = Buffer.from(signature, "base64url").map((byte, index) => (index === 0 ? byte ^ 1 : byte));
  for (const forged of [stranger, Buffer.from(changed), Buffer.alloc(64)]) {
    const error = await unharmed(site.yard, [feature], () => merge(feature, `${payload}.${forged.toString("base64url")}`));
    expect(error.code).toBe("user_approval_required");
  }
  expect(site.yard.git("show", "main:src/c.txt")).toBe("one\n");
  await site.orchestrator.ok("feature.ready_to_merge", toMerge(feature, approval));
  expect(site.yard.git("show", "main:src/c.txt")).toBe("two\n");
});

test("B16: an approval given in one clone merges in no clone or copy of it, before and after its use", async () => {
  const feature = await readyToMerge("src/d.txt");
  const approval = await approved(feature);
  const { root, home } = site.yard;
  site.yard.sql("PRAGMA wal_checkpoint(TRUNCATE)");
  const copy = join(home, "copy");
  const clone = join(home, "clone");
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  site.yard.git("clone", "--quiet", root, clone);
  cpSync(join(root, ".git", "slipway"), join(clone, ".git", "slipway"), { recursive: true });
  const refusedIn = async (place: string) => {
    const there = await connect({ ...site.yard, root: place }, "orchestrator");
    const error = await there.refused("feature.ready_to_merge", toMerge(feature, approval));
    await there.close();
    expect(error).toMatchObject({ code: "user_approval_required", message: expect.stringContaining("another clone or copy") });
  };
  for (const place of [copy, clone]) await trustNow(place, site.yard.env);
  for (const place of [copy, clone]) await refusedIn(place);
  await site.orchestrator.ok("feature.ready_to_merge", toMerge(feature, approval));
  expect(site.yard.git("show", "main:src/d.txt")).toBe("two\n");
  for (const place of [copy, clone]) await refusedIn(place);
  for (const place of [copy, clone]) expect(readFileSync(join(place, "src", "d.txt"), "utf8")).toBe("one\n");
});

test("B20: a client's commit message cannot have Slipway's trailers, and one that was not approved merges nothing", async () => {
  const feature = await readyToMerge("src/e.txt");
  const forged = ["Approved-by: the CEO", "slipway-feature: something_else", "APPROVED-BY : me", "  Squashed-from: 1"];
  for (const trailer of forged) {
    const input = { ...toMerge(feature, ""), commit_message: `Letters\n\n${trailer}` };
    expect((await site.orchestrator.refused("feature.ready_to_merge", input)).code).toBe("schema_validation_failed");
  }
  const approval = await approved(feature);
  for (const other of [{ commit_message: "another" }, { merge_strategy: "rebase" }]) {
    const error = await unharmed(site.yard, [feature], () =>
      site.orchestrator.refused("feature.ready_to_merge", { ...toMerge(feature, approval), ...other }),
    );
    expect(error).toMatchObject({
      code: "user_approval_required",
      message: expect.stringContaining("commit message or the merge strategy"),
    });
  }
  await site.orchestrator.ok("feature.ready_to_merge", toMerge(feature, approval));
  const trailers = site.yard.git("log", "-1", "--format=%(trailers:only)", feature).trim().split("\n");
  expect(trailers).toEqual([`Slipway-Feature: ${feature}`, expect.stringMatching(/^Slipway-Change: [0-9a-f]{64}$/), "Approved-by: kim"]);
});
