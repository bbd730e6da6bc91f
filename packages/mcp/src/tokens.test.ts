import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sealApproval } from "@slipway/kernel/change/land/approvals/token";
import { openApprovalKey, openSigningKey } from "@slipway/kernel/change/land/approvals/key";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { sampleTools } from "@slipway/kernel/tools/testing/sample-tools";
import { describe, expect, test } from "vitest";
import { openAuthenticator } from "./identify.ts";
import { openBench } from "./testing/bench.ts";
import { openToken, openTokenKey, repositoryName, sealToken, type Claims } from "./tokens.ts";

const CLAIMS: Claims = {
  id: "token_1",
  role: "builder",
  actor_id: "b1",
  feature: "search",
  run: null,
  repository: repositoryName("/repo"),
  issued_at: 1_000,
  expires_at: 2_000,
};
const HERE = { repository: CLAIMS.repository, now: 1_500 };
const unauthenticated = expect.objectContaining({ code: "unauthenticated" });

describe("a token", () => {
  test("[FEA-179] contains the role, name, feature, run and expiry it was issued with", async () => {
    const { place } = await openBench(sampleTools());
    const key = await openTokenKey(place.root, place.env);
    expect(openToken(key, sealToken(key, CLAIMS), HERE)).toEqual(CLAIMS);
  });

  test("[FEA-179] with any changed character is refused", async () => {
    const { place } = await openBench(sampleTools());
    const key = await openTokenKey(place.root, place.env);
    const token = sealToken(key, CLAIMS);
    const accepted = Array.from(token, (character, index) => {
      const changed = token.slice(0, index) + (character === "A" ? "Q" : "A") + token.slice(index + 1);
      try {
        return JSON.stringify(openToken(key, changed, HERE)) === JSON.stringify(CLAIMS) ? null : changed;
      } catch (error) {
        expect(error).toEqual(unauthenticated);
        return null;
      }
    });
    expect(accepted.filter((changed) => changed !== null)).toEqual([]);
  });

  test.each<[string, Partial<typeof HERE>, Partial<Claims>]>([
    ["has expired", { now: 2_000 }, {}],
    ["is for another repository", {}, { repository: repositoryName("/elsewhere") }],
    ["is of another release", {}, { role: "root" as "builder" }],
  ])("[FEA-179] that %s is refused", async (_name, here, claims) => {
    const { place } = await openBench(sampleTools());
    const key = await openTokenKey(place.root, place.env);
    expect(() => openToken(key, sealToken(key, { ...CLAIMS, ...claims }), { ...HERE, ...here })).toThrow(unauthenticated);
  });

  test("signed with another key, or replaced by an approval, is refused", async () => {
    const { place } = await openBench(sampleTools());
    const key = await openTokenKey(place.root, place.env);
    const approvalKey = await openApprovalKey({ configHome: place.env["XDG_CONFIG_HOME"] ?? "", repositoryRoot: place.root });
    const named = { feature: "f", change: "c", tree: "t", base: "b", policyHash: "p", repository: "r", message: "m" };
    const approval = { id: "a", ...named, by: "kim", at: 1, expiresAt: 2 };
    expect(() => openToken(key, sealToken(approvalKey, CLAIMS), HERE)).toThrow(unauthenticated);
    expect(() => openToken(key, sealApproval(key, approval), HERE)).toThrow(unauthenticated);
    expect(() => openToken(key, `slp_${sealApproval(key, approval)}`, HERE)).toThrow(unauthenticated);
  });
});

describe("a token of a run", () => {
  async function withRun(status: "running" | "completed") {
    const bench = await openBench(sampleTools());
    const { db } = bench.opened.records.database;
    await db
      .insertInto("runs")
      .values({
        run_id: "run-1",
        root_run_id: "run-1",
        parent_run_id: null,
        workflow: "features",
        version: "1",
        input_digest: "x",
        status,
        created_at: 1,
        finished_at: null,
        pruned_at: null,
        epoch: 0,
        lease_engine: null,
        lease_host: null,
        lease_pid: null,
        lease_process_start: null,
        lease_until: null,
        crashes: 0,
        crash_mark: 0,
        request: null,
        request_reason: null,
        request_by: null,
      })
      .execute();
    return bench;
  }

  test("[FEA-179] is valid until its run ends, and not for another run", async () => {
    const bench = await withRun("running");
    expect(await bench.authenticate(bench.token({ run: "run-1" }))).toMatchObject({ role: "orchestrator", actorId: "kim" });
    expect(await bench.authenticate(bench.token({ run: "run-1", feature: "search" }))).toMatchObject({ feature: "search" });
    await expect(bench.authenticate(bench.token({ run: "run-2" }))).rejects.toEqual(unauthenticated);
  });

  test("[FEA-179] is invalid once the run has ended", async () => {
    const bench = await withRun("completed");
    await expect(bench.authenticate(bench.token({ run: "run-1" }))).rejects.toEqual(unauthenticated);
  });

  test("[FEA-179] a server for one run accepts only tokens of that run", async () => {
    const bench = await withRun("running");
    const authenticate = await openAuthenticator(bench.opened, bench.place.env, "run-1");
    expect(await authenticate(bench.token({ run: "run-1" }))).toMatchObject({ role: "orchestrator" });
    await expect(authenticate(bench.token())).rejects.toEqual(unauthenticated);
    await expect(authenticate(undefined)).rejects.toEqual(unauthenticated);
  });

  test("[FEA-179] is refused when its feature belongs to another run", async () => {
    const bench = await withRun("running");
    const kernel = await bench.opened.kernel();
    const actor = { type: "system", id: "test" } as const;
    const spec_digest = await bench.opened.records.objects.put(Buffer.from("# Search\n"));
    await kernel.features.init(
      { actor, operationId: "init" },
      { feature_id: "search", run_id: "other/feature:search", spec_source: "x.md", spec_digest },
    );
    await kernel.features.init(
      { actor, operationId: "init-2" },
      { feature_id: "own", run_id: "run-1/feature:own", spec_source: "x.md", spec_digest },
    );
    expect(await bench.authenticate(bench.token({ run: "run-1", feature: "own" }))).toMatchObject({ feature: "own" });
    await expect(bench.authenticate(bench.token({ run: "run-1", feature: "search" }))).rejects.toEqual(unauthenticated);
  });
});

test("[FEA-180] the key is outside the repository, readable only by its owner, and refused inside", async () => {
  const { place } = await openBench(sampleTools());
  await openTokenKey(place.root, place.env);
  const path = join(place.env["XDG_CONFIG_HOME"] ?? "", "slipway", "keys", "mcp-token.pem");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(openSigningKey({ configHome: place.root, repositoryRoot: place.root }, "mcp-token.pem")).rejects.toThrow(
    "inside the repository",
  );
});

test("[FEA-180] the server stores neither a token nor its key, and logs are redacted", async () => {
  const bench = await openBench(sampleTools());
  const token = bench.token();
  await bench.authenticate(token);
  const key = readFileSync(join(bench.place.env["XDG_CONFIG_HOME"] ?? "", "slipway", "keys", "mcp-token.pem"), "utf8").split("\n")[1] ?? "";
  const kept = readdirSync(bench.place.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"));
  expect(kept.filter((text) => text.includes(token) || text.includes(key))).toEqual([]);
  const redact = createRedactor({ secrets: [] });
  expect(redact.value({ log: `Authorization ${token} sent` })).toEqual({ log: expect.not.stringContaining(token.slice(0, 60)) });
});
