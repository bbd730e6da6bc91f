import { generateKeyPairSync, sign } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { preAuthentication } from "@slipway/kernel/change/land/approvals/pae";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runUntilApproval, slipway } from "./cli.ts";
import { replacing } from "./patches.ts";
import { connect, type Caller } from "./server.ts";
import { openSite, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";

let site: Site;
let system: Caller;
/** A token from the database, as a thief of the database would have it. */
let token: string;

beforeAll(async () => {
  site = await openSite({ files: { "src/c.txt": "one\n" } });
  await runUntilApproval(site.yard);
  expect((await slipway(site.yard, ["approve", "letters"])).code).toBe(0);
  const [row] = site.yard.sql("SELECT answer FROM questions WHERE status = 'answered'") as { answer: string }[];
  token = (JSON.parse(row?.answer ?? "{}") as { token: string }).token;
  expect(token).toMatch(/^[\w-]{20,}\.[\w-]{20,}$/);
  system = await connect(site.yard, "system");
});
afterAll(async () => {
  await system.close();
  await site.close();
});

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
  const { stdout } = await slipway(site.yard, ["approve", feature, "--json"]);
  const { token: approval } = JSON.parse(stdout) as { token: string };
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
