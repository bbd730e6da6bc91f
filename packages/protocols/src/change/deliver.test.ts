import { rmSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, describe, expect, test } from "vitest";
import { releaseKind } from "../factory/release/schema.ts";
import { NOT_ASKED, openYard, type Yard } from "../factory/release/testing/yard.ts";

let yard: Yard;
afterEach(() => yard.close());

const TWO = [{ ref: "MM-twice@1.0.0" }, { ref: "MM-quad@1.0.0", built_with: ["MM-twice@1.0.0"] }];
const BOTH = ["MM-quad@1.0.0", "MM-twice@1.0.0"];
const manifest = async () => (await yard.services.documents.list(releaseKind))[0]!;
const branch = async () => (await manifest()).release_id.toLowerCase();
const merged = { status: "completed", value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } };
const notMerged = (reason: unknown) => ({ status: "completed", value: { status: "release_not_merged", reason } });

describe("a release lands", () => {
  test("in as many patches as the policy's limits require, in the configured folder, also with glob areas", async () => {
    const policy = NOT_ASKED.replace("enforce_allowed_areas: true", "enforce_allowed_areas: true, max_files: 4").replace(
      "repo_prefix",
      "glob",
    );
    yard = await openYard(TWO, { "slipway/policy.yaml": `${policy}release: { folder: packages/made }\n` });
    expect(await yard.release(...BOTH)).toMatchObject(merged);
    expect(yard.git("ls-tree", "-r", "--name-only", "main", "packages/made").split("\n")).toContain(
      "packages/made/MM-quad/1.0.0/ship.json",
    );
    const { landing } = await manifest();
    expect(landing).toMatchObject({ status: "merged", folder: "packages/made", commit: yard.git("rev-parse", "main").trim() });
    expect(landing).toMatchObject({ approved_by: expect.stringContaining("require_user_approval is false") });
  });

  test("under the lock that the policy requires for its folder, and releases it afterwards", async () => {
    const policy = NOT_ASKED.replace("lease_ttl_seconds", "path_resources: { modules: events }\n  lease_ttl_seconds");
    yard = await openYard(TWO, { "slipway/policy.yaml": policy });
    expect(await yard.release(...BOTH)).toMatchObject(merged);
    expect((await yard.kernel.features.index())?.locks).toMatchObject({ events: null });
  });

  test("beside earlier releases: unchanged files stay, files changed by hand are restored", async () => {
    yard = await openYard(TWO, {
      "slipway/policy.yaml": NOT_ASKED,
      "modules/MM-twice/1.0.0/examples.md": "edited\n",
      "modules/mine.ts": "",
    });
    await yard.release(...BOTH);
    const changed = yard.git("show", "--name-status", "--format=", "main^2").trim().split("\n");
    expect(changed.filter((line) => !line.startsWith("A"))).toEqual(["M\tmodules/MM-twice/1.0.0/examples.md"]);
    expect(yard.git("ls-tree", "--name-only", "main", "modules/mine.ts").trim()).toBe("modules/mine.ts");
  });

  test("on a base that changed the same files, after a person answered retry", async () => {
    yard = await openYard(TWO);
    await yard.release(...BOTH);
    await yard.approve();
    yard.write("modules/package.json", "{}\n");
    yard.git("add", "--all");
    yard.git("commit", "--quiet", "--message=theirs");
    await yard.drive();
    expect(await yard.question()).toMatchObject({ kind: "conflict", title: `${await branch()} conflicts with main` });
    await yard.answer({ decision: "rebuild" });
    await yard.drive();
    expect(await yard.question()).toMatchObject({ kind: "blocked", title: expect.stringContaining("was not merged") });
    await yard.answer({ decision: "retry" });
    await yard.drive();
    expect((await yard.question()).body).toContain("modules/package.json");
    expect(await yard.kernel.features.plan(await branch())).toMatchObject({ plan_version: 2, revision_of: 1 });
    await yard.approve();
    expect(await yard.drive()).toMatchObject(merged);
    expect(JSON.parse(yard.git("show", "main:modules/package.json"))).toMatchObject({ type: "module" });
  });
});

describe("a release does not land", () => {
  test("if its plan breaks a rule, until a person fixes it or gives it up", async () => {
    const policy = NOT_ASKED.replace("protected_areas: [slipway]", "protected_areas: [slipway, modules]");
    yard = await openYard(TWO, { "slipway/policy.yaml": policy });
    await yard.release(...BOTH);
    expect(await yard.question()).toMatchObject({
      title: `${await branch()} is blocked in planning`,
      body: expect.stringContaining("modules"),
    });
    await yard.answer({ decision: "give_up", comment: "another folder first" });
    expect(await yard.drive()).toMatchObject(notMerged("another folder first"));
    expect((await manifest()).landing).toEqual({ status: "not_merged", branch: await branch(), reason: "another folder first" });
  });

  test("if something is in its place, or if it was sent back and given up", async () => {
    yard = await openYard(TWO);
    const keep = yard.services.documents.keep.bind(yard.services.documents);
    Object.assign(yard.services.documents, {
      keep: async (...given: Parameters<typeof keep>) => {
        const kept = (await keep(...given)) as { release_id: string };
        yard.write(`.worktrees/${kept.release_id.toLowerCase()}/mine.txt`, "somebody's\n");
        return kept;
      },
    });
    await yard.release(...BOTH);
    expect((await yard.question()).title).toContain(`${await branch()} cannot continue`);
    rmSync(join(yard.root, ".worktrees"), { recursive: true });
    await yard.answer({ decision: "retry" });
    await yard.drive();
    await yard.answer({ decision: "changes", comment: "without MM-quad" });
    await yard.drive();
    expect((await yard.question()).title).toBe(`${await branch()} was not merged: without MM-quad`);
    await yard.answer({ decision: "give_up" });
    expect(await yard.drive()).toMatchObject(notMerged("not merged: without MM-quad"));
  });

  test("if it is deleted while it waits", async () => {
    yard = await openYard(TWO, { "slipway/policy.yaml": POLICY });
    await yard.release(...BOTH);
    const call = { actor: { type: "system", id: "test" } as const, operationId: "delete" };
    await yard.kernel.features.delete(call, { feature_id: await branch(), force: true });
    expect(await yard.drive()).toMatchObject(notMerged(`${await branch()} was deleted`));
  });

  test("if a person gives it up after an unexpected error; shipped modules stay shipped", async () => {
    yard = await openYard(TWO, { "slipway/policy.yaml": NOT_ASKED });
    const { features } = yard.kernel;
    Object.assign(features, { restart: null, applyPatch: () => Promise.reject(new TypeError("the disk is on fire")) });
    await yard.release(...BOTH);
    expect((await yard.question()).body).toContain("the disk is on fire");
    await yard.answer({ decision: "give_up", comment: "not today" });
    expect(await yard.drive()).toMatchObject(notMerged("not today"));
    expect((await yard.kernel.features.standing(await branch())).status).toBe("failed");
    expect((await manifest()).landing).toMatchObject({ status: "not_merged" });
    expect((await yard.services.codeIndex.find("MM-quad@1.0.0"))?.status).toBe("SHIPPED");
  });
});
