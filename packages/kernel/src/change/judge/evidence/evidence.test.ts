import { createPublicKey, verify } from "node:crypto";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemIds } from "@slipway/durable/environment";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { consumeApproval, issueApproval } from "../../land/approvals/approvals.ts";
import { openApprovalKey, type ApprovalKey } from "../../land/approvals/key.ts";
import { openDatabase } from "../../../open-database.ts";
import type { Database } from "../../../record/database/open.ts";
import { isUniqueViolation } from "../../../record/database/testing/unique.ts";
import { nodeFileSystem } from "../../../host/files/file-system.ts";
import { recordFact } from "../../../record/facts/collect.ts";
import { recorded } from "../../../record/facts/testing/recorded.ts";
import { repositoryJournal } from "../../../record/journal/repository.ts";
import { objectStore } from "../../../record/objects/store.ts";
import { canaryCheck } from "../canary/record.ts";
import { evidenceOf, type EvidencedMerge } from "./bundle.ts";
import { checksOf, modePassed, recordCheck, type NewCheck } from "./checks.ts";
import { countChecks, missingModes, passedOn } from "./gate-queries.ts";
import { recordEgress } from "./egress.ts";
import { evidenceMarkdown } from "./markdown.ts";
import { evidenceStatement, openEnvelope, PREDICATE, signStatement } from "./statement.ts";
import { recordTelemetry, telemetryOf, totalsOf, type Telemetry } from "../../../budget/telemetry.ts";

let database: Database;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-evidence-"));
  database = await openDatabase({ path: join(folder, "slipway.db") });
});
afterEach(() => database.close());

const check = (overrides: Partial<NewCheck> = {}): NewCheck => ({
  id: `check_${Math.random()}`,
  run_id: "run_1",
  feature_id: "f1",
  name: "full",
  kind: "mode",
  tree: "t1",
  status: "pass",
  exit_code: null,
  counts: null,
  log_digest: null,
  at: 1_000,
  ...overrides,
});
const record = (overrides: Partial<NewCheck> = {}) => recorded(database.db, (tx) => recordCheck(tx, check(overrides)));
const spent = (overrides: Partial<Telemetry> = {}): Telemetry => ({
  id: `t_${Math.random()}`,
  run_id: "run_1",
  feature_id: "f1",
  role: "builder",
  provider: "replay",
  model: null,
  input_tokens: 100,
  output_tokens: 10,
  cost_usd: 0.25,
  duration_ms: 1_500,
  calls: 2,
  transcript_digest: null,
  at: 1_000,
  ...overrides,
});

const passed = (tree = "t1", feature_id = "f1") => modePassed(database.db, { feature_id, mode: "full", tree });

describe("checks", () => {
  test("are stored as observed, once each", async () => {
    await record({ id: "c1", exit_code: 1, status: "fail", counts: { tests: { passed: 3 } }, log_digest: "d" });
    expect(await checksOf(database.db, { feature_id: "f1" })).toMatchObject([
      { id: "c1", exit_code: 1, status: "fail", counts: { tests: { passed: 3 } }, log_digest: "d", produced_by: "harness" },
    ]);
    await expect(record({ id: "c1" })).rejects.toSatisfy(isUniqueViolation);
    expect(await checksOf(database.db, { feature_id: "f1", tree: "t2" })).toEqual([]);
  });

  test("a mode has passed only on this tree, by its newest run, for this feature", async () => {
    expect(await passed()).toBe(false);
    await record();
    expect([await passed(), await passed("t2"), await passed("t1", "f2")]).toEqual([true, false, false]);
    await record({ name: "fast", status: "fail", at: 2_000 });
    await record({ name: "full", kind: "full:step", status: "fail", at: 2_000 });
    expect(await passed()).toBe(true);
    await record({ status: "fail", at: 3_000 });
    expect(await passed()).toBe(false);
    await record({ at: 4_000 });
    expect(await passed()).toBe(true);
  });

  test("passedOn: never without a pass on that tree, never with an equally new or newer failure", () => {
    const seen = fc.record({
      name: fc.constantFrom("fast", "full"),
      kind: fc.constantFrom("mode", "step"),
      tree: fc.constantFrom("t1", "t2"),
      status: fc.constantFrom("pass" as const, "fail" as const),
      at: fc.nat(3),
      counts: fc.constantFrom(null, { profile: "ours" }, { profile: "another" }),
    });
    fc.assert(
      fc.property(fc.array(seen), fc.constantFrom("ours", undefined), (checks, profile) => {
        const relevant = checks.filter(
          ({ name, kind, tree, counts }) =>
            name === "full" && kind === "mode" && tree === "t1" && (profile === undefined || counts?.profile !== "another"),
        );
        const lastPass = Math.max(-1, ...relevant.filter(({ status }) => status === "pass").map(({ at }) => at));
        const lastFail = Math.max(-1, ...relevant.filter(({ status }) => status === "fail").map(({ at }) => at));
        expect(passedOn(checks, { mode: "full", tree: "t1", profile })).toBe(lastPass > lastFail);
        if (profile === undefined)
          expect(missingModes(checks, { modes: ["full"], tree: "t1" })).toEqual(lastPass > lastFail ? [] : ["full"]);
        expect(countChecks(checks).passed + countChecks(checks).failed).toBe(checks.length);
      }),
    );
  });
});

test("telemetry is stored and summed", async () => {
  await database.db.transaction().execute(async (tx) => {
    await recordTelemetry(tx, spent({ at: 2_000, model: "m" }));
    await recordTelemetry(tx, spent({ at: 1_000 }));
    await recordTelemetry(tx, spent({ feature_id: "f2" }));
  });
  const rows = await telemetryOf(database.db, { feature_id: "f1" });
  expect(rows.map(({ at }) => at)).toEqual([1_000, 2_000]);
  expect(totalsOf(rows)).toEqual({ invocations: 2, calls: 4, input_tokens: 200, output_tokens: 20, cost_usd: 0.5, duration_ms: 3_000 });
  expect(totalsOf([])).toMatchObject({ invocations: 0, cost_usd: 0 });
});

const feature = { id: "f1", run_id: "run_1", status: "merged", tree: "t1" };

async function approvedMerge(key: ApprovalKey): Promise<EvidencedMerge> {
  const candidate = { feature: "f1", change: "c".repeat(64), tree: "t1", base: "b1", policyHash: "p1", repository: "r1", message: "m1" };
  const token = issueApproval(key, systemIds, { ...candidate, by: { type: "person", id: "ada" }, at: 5_000, expiresAt: 9_000 });
  const approval = await recorded(database.db, (tx) => consumeApproval(tx, key, token, candidate, 6_000));
  return {
    commit: "a".repeat(40),
    tree: "t1",
    base_branch: "main",
    base_before: "b1",
    strategy: "squash",
    change: candidate.change,
    approval_id: approval.id,
  };
}

async function openKey(name = "config"): Promise<ApprovalKey> {
  mkdirSync(join(folder, "repository"), { recursive: true });
  return openApprovalKey({ configHome: join(folder, name), repositoryRoot: join(folder, "repository") });
}

describe("the bundle", () => {
  test("as Markdown, before and after the merge", async () => {
    await record({ name: "unit", kind: "full:step", exit_code: 0, log_digest: "0123456789abcdef", at: 0 });
    await record({ name: "lint", kind: "full:step", status: "fail", exit_code: 2 });
    const before = evidenceMarkdown(await evidenceOf({ database }, { ...feature, status: "qa" }, null));
    expect(before).toContain("Not merged.");
    expect(before).toContain("1 passed, 1 failed");
    expect(before).toContain("| unit | full:step | pass | 0 | `t1` | `0123456789ab` | 1970-01-01T00:00:00.000Z |");
    expect(before).toContain("None.");
    expect(before).toContain("Run: no events.");
    const key = await openKey();
    const journal = repositoryJournal(objectStore(nodeFileSystem, join(folder, "objects")));
    await database.db.transaction().execute(async (tx) => {
      await recordTelemetry(tx, spent());
      await recordTelemetry(tx, spent({ model: "a-model" }));
      await journal.append(tx, { kind: "operation", name: "x", at: 1, payload: {} });
    });
    const after = evidenceMarkdown(await evidenceOf({ database }, feature, await approvedMerge(key)));
    expect(after).toContain("Merged into main as `aaaa");
    expect(after).toContain("approved by ada at 1970-01-01T00:00:05.000Z");
    expect(after).toContain("| builder | replay | a-model | 100 | 10 | 0.2500 | 1.5 |");
    expect(after).toContain("Repository: 4 events, head");
    const unapproved = await evidenceOf({ database }, feature, { ...(await approvedMerge(key)), approval_id: "approval_none" });
    expect(evidenceMarkdown(unapproved)).toContain("without a recorded approval");
  });

  test("as Markdown says what planted failures showed of each gate, and where the policy has none", async () => {
    const bundle = async () => evidenceMarkdown(await evidenceOf({ database }, feature, null));
    await record({ id: "gate", at: 1 });
    expect(await bundle()).not.toContain("## Planted failures");
    const planted = [
      { kind: "test", path: "test/net.test.ts", near: null, framework: "vitest", fate: "green", step: null, why: "" },
    ] as const;
    const counts = { profile: "default", key: "k", planted, runs: 1, ms: 5, gate_ms: 5, collects: null, waived_by: null, comment: null };
    await record(canaryCheck("gate", "full", { ...counts, planted: [...planted], outcome: "not_proven", unknown: [] }));
    expect(await bundle()).toMatch(/## Planted failures\n\n- full on `t1`: [^\n]*test\/net\.test\.ts/);
    expect(await bundle()).not.toContain("turned it off");
    await record({ id: "other", name: "fast", counts: { canary: "off" } });
    expect(await bundle()).toContain("- The policy turned it off (gates.canary) for some gates");
  });

  test("says what agents sent from their sandbox, summed by role and host, and with a changed row says nothing", async () => {
    const call = { run_id: "run_1", feature_id: "f1", role: "builder", invocation: "i1", at: 1 };
    const sent = (id: string, host: string, refused: readonly string[], feature_id = "f1") =>
      recorded(database.db, (tx) =>
        recordEgress(tx, { ...call, id, feature_id, hosts: [{ host, connections: 1, bytes_out: 10, bytes_in: 2, refused }] }),
      );
    expect(evidenceMarkdown(await evidenceOf({ database }, feature, null))).not.toContain("## Network");
    await sent("e1", "model.example:443", []);
    await sent("e2", "model.example:443", ["its TLS hello is for |other|"]);
    await sent("e3", "*exfil*:80", ["not named"]);
    await sent("e4", "of.another:443", [], "f2");
    const bundle = await evidenceOf({ database }, feature, await approvedMerge(await openKey()));
    const summed = { host: "model.example:443", connections: 2, bytes_out: 20, bytes_in: 4, refused: ["its TLS hello is for |other|"] };
    const other = { host: "*exfil*:80", connections: 1, bytes_out: 10, bytes_in: 2, refused: ["not named"] };
    const egress = [summed, other].map((one) => ({ role: "builder", ...one }));
    expect(bundle.egress).toEqual(egress);
    expect(evidenceStatement(bundle).predicate["egress"]).toEqual(egress);
    const text = evidenceMarkdown(bundle);
    expect(text).toContain(String.raw`| builder | model.example:443 | 2 | 20 | 4 | its TLS hello is for \|other\| |`);
    expect(text).toContain(String.raw`| builder | \*exfil\*:80 |`);
    await database.db.updateTable("egress").set({ hosts: "[]" }).where("id", "=", "e3").execute();
    const tampered = { code: "evidence_tampered", details: { table: "egress", key: "e3" } };
    await expect(evidenceOf({ database }, feature, null)).rejects.toMatchObject(tampered);
    await database.db.deleteFrom("egress").where("id", "=", "e3").execute();
    await expect(evidenceOf({ database }, feature, null)).rejects.toMatchObject(tampered);
  });

  test("as Markdown says of a deleted feature who deleted it, and of its successor that there was one", async () => {
    const shown = async (more: object) => evidenceMarkdown(await evidenceOf({ database }, { ...feature, ...more }, null));
    const deleted = await shown({ deleted: { at: 0, by: "ada" } });
    expect(deleted).toContain("Deleted at 1970-01-01T00:00:00.000Z by ada. `slipway restore f1 --list` shows");
    expect(await shown({ earlier: ["f1@1"] })).toContain("Deleted features had this name before: `slipway evidence f1@1`.");
    expect(await shown({})).not.toMatch(/Deleted|restore/);
  });

  test("of a merged change is not about another feature that was deleted", async () => {
    const former = {
      label: "f0 (deleted)",
      id: "f0",
      run_id: "run_0",
      status: "merged",
      tree: "t0",
      base_branch: "main",
      base_commit: "b0",
    };
    const row = { ...former, merge: null, deleted_at: 1, deleted_by: "ada" } as const;
    await recorded(database.db, async (tx) => {
      await tx
        .insertInto("deleted_features")
        .values({ ...row, status: "merged" })
        .execute();
      recordFact(tx, "deleted_features", row.label, row);
    });
    const merge = await approvedMerge(await openKey());
    expect((await evidenceOf({ database }, feature, merge)).merge).toEqual(merge);
    await database.db.updateTable("deleted_features").set({ tree: "t9" }).execute();
    const deleted = { ...feature, id: "f0" };
    await expect(evidenceOf({ database }, deleted, merge, row.label)).rejects.toMatchObject({
      code: "evidence_tampered",
      details: { table: "deleted_features" },
    });
  });

  test("shows text from outside without rendering it", async () => {
    await record({ name: "<img src=x onerror=alert(1)>|`rm`\n# [link](http://x)\u202Etxt", tree: "`<b>" });
    const text = evidenceMarkdown(await evidenceOf({ database }, { ...feature, id: "*f1*", run_id: "run`1" }, null));
    const rows = evidenceMarkdown(await evidenceOf({ database }, feature, null));
    expect(rows).not.toMatch(/(?<!\\)<img/);
    expect(rows).not.toContain("\n# [");
    expect(rows).not.toContain("\u202E");
    expect(rows).toContain(String.raw`\<img src=x onerror=alert\(1\)\>\|'rm' \# \[link\]\(http://x\) txt`);
    expect(text).toContain(String.raw`# Evidence for \*f1\*`);
    expect(text).toContain("run `run'1`");
  });

  test("as an in-toto statement in a DSSE envelope that verifies with the public key", async () => {
    const key = await openKey();
    await record({ name: "unit", exit_code: 0, counts: { tests: 3 } });
    const bundle = await evidenceOf({ database }, feature, await approvedMerge(key));
    const envelope = signStatement(key, evidenceStatement(bundle));
    const payload = Buffer.from(envelope.payload, "base64");
    const signed = Buffer.concat([Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `), payload]);
    expect(verify(null, signed, createPublicKey(key.publicKey), Buffer.from(envelope.signatures[0]!.sig, "base64"))).toBe(true);
    expect(JSON.parse(payload.toString())).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      subject: [
        { name: "commit", digest: { gitCommit: "a".repeat(40) } },
        { name: "tree", digest: { gitTree: "t1" } },
      ],
      predicateType: PREDICATE,
      predicate: {
        feature: "f1",
        run: "run_1",
        change: { digest: { sha256: "c".repeat(64) }, base: "b1", branch: "main", strategy: "squash" },
        approval: { by: "ada", at: 5_000 },
        checks: [{ name: "unit", status: "pass", exit_code: 0, counts: { tests: 3 }, produced_by: "harness" }],
        agents: { invocations: 0 },
      },
    });
    expect(openEnvelope(key, envelope).predicate["feature"]).toBe("f1");
  });

  test("refuses a changed statement, another signer, and a malformed envelope", async () => {
    const key = await openKey();
    const envelope = signStatement(key, evidenceStatement(await evidenceOf({ database }, feature, await approvedMerge(key))));
    const other = await openKey("other");
    const changed = {
      ...envelope,
      payload: Buffer.from(Buffer.from(envelope.payload, "base64").toString().replace("f1", "f2")).toString("base64"),
    };
    for (const [signer, given] of [
      [key, changed],
      [other, envelope],
      [{ ...other, id: key.id }, envelope],
      [key, { payload: "x" }],
      [key, null],
    ] as const) {
      expect(() => openEnvelope(signer, given)).toThrowError(expect.objectContaining({ code: "approval_invalid" }));
    }
  });

  test("refuses a statement about an unmerged feature", async () => {
    const bundle = await evidenceOf({ database }, feature, null);
    expect(() => evidenceStatement(bundle)).toThrowError(expect.objectContaining({ code: "merge_failed" }));
  });
});
