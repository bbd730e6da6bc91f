import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { refusalOf } from "@slipway/kernel/host/file-views/testing/yard";
import { openArtifacts } from "./artifacts.ts";
import { refOf, type ArtifactEnvelope } from "./envelope.ts";
import { storePaths } from "./layout.ts";
import { openStoreBench, wish, type StoreBench } from "./testing/store-bench.ts";

let bench: StoreBench;
beforeEach(async () => void (bench = await openStoreBench()));
afterEach(() => bench.close());

const fileOf = ({ artifact_id, version }: ArtifactEnvelope, name: string) =>
  join(bench.store, storePaths.artifact("core", artifact_id, version), name);
const rows = async () => (await bench.db.selectFrom("artifacts").select("artifact_id").execute()).length;

const PASS = { kind: "code", result: "PASS", fingerprint: "a".repeat(64), lockedFingerprint: "a".repeat(64) } as const;
const ship = (artifact_id: string, evidence: typeof PASS | { kind: "other"; validatorsPassed: boolean } = PASS) =>
  bench.artifacts.change(bench.call(), { artifact_id, ground: { to: "SHIPPED", amendmentsApplied: true, evidence } });

test("[FAC-098] an artifact is stored with its envelope and its body, and its files show it", async () => {
  const envelope = await bench.create({ body: { "src/index.ts": "one\n", "notes.md": "two\n" } });
  expect(JSON.parse(readFileSync(fileOf(envelope, "envelope.json"), "utf8"))).toEqual(envelope);
  expect(readFileSync(fileOf(envelope, "body/src/index.ts"), "utf8")).toBe("one\n");
  expect(await bench.artifacts.read(refOf(envelope), "notes.md")).toBe("two\n");
  expect((await bench.artifacts.get(envelope.artifact_id)).envelope).toEqual(envelope);
});

test("missing or edited files are rewritten from the record, and counted", async () => {
  const envelope = await bench.create({ body: { "notes.md": "two\n" } });
  rmSync(fileOf(envelope, "envelope.json"));
  writeFileSync(fileOf(envelope, "body/notes.md"), "");
  expect(await bench.artifacts.renew(envelope.artifact_id)).toBe(2);
  expect(await bench.artifacts.renew(envelope.artifact_id)).toBe(0);
  expect(JSON.parse(readFileSync(fileOf(envelope, "envelope.json"), "utf8"))).toEqual(envelope);
  expect(readFileSync(fileOf(envelope, "body/notes.md"), "utf8")).toBe("two\n");
});

describe("the texts of a body", () => {
  const LONG = "long ".repeat(20_000);
  const create = () => bench.create({ body: { "short.md": "short\n", "same.md": "short\n", "long.md": LONG } });

  test("short ones are rows, each once, and long ones objects; both are read back unchanged", async () => {
    const ref = refOf(await create());
    await create();
    const texts = await bench.db.selectFrom("artifact_texts").select("text").execute();
    expect(texts).toEqual([{ text: "short\n" }]);
    expect(readdirSync(join(bench.folder, "objects"), { recursive: true }).filter((name) => String(name).length > 60)).toHaveLength(1);
    for (const [path, text] of [
      ["short.md", "short\n"],
      ["same.md", "short\n"],
      ["long.md", LONG],
    ] as const) {
      expect(await bench.artifacts.read(ref, path)).toBe(text);
    }
  });

  test("one that an earlier release stored as an object is found", async () => {
    const ref = refOf(await create());
    await bench.objects.put(Buffer.from("short\n"));
    await bench.db.deleteFrom("artifact_texts").execute();
    expect(await bench.artifacts.read(ref, "short.md")).toBe("short\n");
  });

  test("one that was changed by hand is refused", async () => {
    const ref = refOf(await create());
    await bench.db.updateTable("artifact_texts").set({ text: "other\n" }).execute();
    await expect(bench.artifacts.read(ref, "short.md")).rejects.toMatchObject({ code: "database_corrupt" });
  });
});

test("artifacts without synced files are noted in the transaction that creates or changes them, with their predecessors", async () => {
  const { db, door, objects, store: folder } = bench;
  const noted: string[] = [];
  const pending = async (_tx: unknown, kind: string, id: string) => void noted.push(`${kind} ${id}`);
  const artifacts = openArtifacts({ db, door, objects, fs: nodeFileSystem, folder, pending });
  const envelope = await artifacts.create(bench.call(), wish());
  const later = await artifacts.create(bench.call(), wish({ follows: envelope.artifact_id }));
  expect(noted).toEqual([envelope, envelope, later].map(({ artifact_id }) => `artifact ${artifact_id}`));
  const kept = JSON.parse(readFileSync(fileOf(envelope, "envelope.json"), "utf8")) as ArtifactEnvelope;
  expect(kept.outputs).toEqual([{ ref: refOf(later), purpose: "later version" }]);
});

describe("[FAC-098] nothing is stored", () => {
  test.each([
    ["an envelope that is not valid", { context_pack_ref: "none" }],
    ["an invalid version", { version: "1.0" }],
    ["an unknown type", { artifact_type: "PICTURE" as never }],
    ["a pillar that is a path", { pillar: "../core" }],
    ["a body that leaves its folder", { body: { "../envelope.json": "{}" } }],
    ["an unknown predecessor", { follows: "IMPL-00000000" }],
    ["[FAC-101] an id chosen by the agent", { artifact_id: "IMPL-0a1b2c3d" } as never],
  ])("for %s", async (_, parts) => {
    await refusalOf(() => bench.create(parts));
    expect(await rows()).toBe(0);
    expect(existsSync(bench.store)).toBe(false);
  });

  test("when the disk fails before the row is written", async () => {
    rmSync(join(bench.folder, "objects"), { recursive: true, force: true });
    await bench.db.schema.dropTable("artifacts").execute();
    await expect(bench.create()).rejects.toThrow();
    expect(existsSync(bench.store)).toBe(false);
  });
});

test("the same call twice is one artifact, and files lost in between are rewritten", async () => {
  const call = bench.call();
  const first = await bench.artifacts.create(call, wish());
  rmSync(bench.store, { recursive: true });
  expect(await bench.artifacts.create(call, wish())).toEqual(first);
  expect(await rows()).toBe(1);
  expect(existsSync(fileOf(first, "envelope.json"))).toBe(true);
});

test("an id in use is not assigned again", async () => {
  const uuids = ["0a1b2c3d-0", "0a1b2c3d-1", "ffffffff-2"];
  const other = await openStoreBench(() => uuids.shift() ?? "ffffffff-3");
  expect((await other.create()).artifact_id).toBe("IMPL-0a1b2c3d");
  expect((await other.create()).artifact_id).toBe("IMPL-ffffffff");
  await expect(other.create()).rejects.toThrow(/No free artifact id/);
  await other.close();
});

describe("[FAC-102] a new version", () => {
  test("is a new artifact with its own id, linked both ways, and the first keeps its id", async () => {
    const first = await bench.adjudicated("APPROVE");
    const next = await bench.create({ follows: refOf(first) });
    expect(next.version).toBe("1.0.1");
    expect(next.artifact_id).not.toBe(first.artifact_id);
    expect(next.inputs[0]?.ref).toBe(refOf(first));
    const { envelope, lineage } = await bench.artifacts.get(first.artifact_id);
    expect(envelope.outputs[0]?.ref).toBe(refOf(next));
    expect((await bench.artifacts.get(next.artifact_id)).lineage).toBe(lineage);
    expect((await ship(first.artifact_id)).artifact_id).toBe(first.artifact_id);
  });

  test("[FAC-103] is higher than all of its lineage", async () => {
    const first = await bench.create();
    await bench.create({ follows: refOf(first), version: "2.0.0" });
    expect((await refusalOf(() => bench.create({ follows: refOf(first), version: "1.5.0" }))).code).toBe("version_conflict");
    expect((await bench.create({ follows: refOf(first) })).version).toBe("2.0.1");
  });

  test("[FAC-108] after a failed challenge is a draft beside the challenged one, which does not change", async () => {
    const first = await bench.create();
    const about = { inputs: [{ ref: refOf(first), purpose: "judged" }] };
    const challenge = await bench.create({ artifact_type: "CHALLENGE", ...about });
    const { artifact_id } = first;
    await bench.artifacts.change(bench.call(), { artifact_id, ground: { to: "CHALLENGED", challenge: refOf(challenge) } });
    const revised = await bench.create({ follows: refOf(first) });
    expect(revised.status).toBe("DRAFT");
    expect(revised.inputs.map(({ ref }) => ref)).toContain(refOf(first));
    expect((await bench.artifacts.get(artifact_id)).envelope.status).toBe("CHALLENGED");
  });
});

describe("[FAC-105]", () => {
  test.each([
    ["another type", "PROPOSAL", true],
    ["another target", "CHALLENGE", false],
  ] as const)("a challenge of %s changes nothing", async (_, artifact_type, isAbout) => {
    const [target, other] = [await bench.create(), await bench.create()];
    const judgement = await bench.create({ artifact_type, inputs: [{ ref: refOf(isAbout ? target : other), purpose: "judged" }] });
    const ground = { to: "CHALLENGED" as const, challenge: refOf(judgement) };
    const refusal = await refusalOf(() => bench.artifacts.change(bench.call(), { artifact_id: target.artifact_id, ground }));
    expect(refusal.message).toMatch(/is no challenge of it/);
    expect((await bench.artifacts.get(target.artifact_id)).envelope.status).toBe("DRAFT");
  });

  test.each([{}, { "adjudication.json": "{}" }, { "adjudication.json": "no JSON" }])(
    "an adjudication with body %j decides nothing",
    async (body) => {
      const target = await bench.adjudicated("APPROVE");
      const next = await bench.create({ follows: refOf(target) });
      const about = { inputs: [{ ref: refOf(next), purpose: "judged" }] };
      const challenge = await bench.create({ artifact_type: "CHALLENGE", ...about });
      const { artifact_id } = next;
      await bench.artifacts.change(bench.call(), { artifact_id, ground: { to: "CHALLENGED", challenge: refOf(challenge) } });
      const adjudication = await bench.create({ artifact_type: "ADJUDICATION", ...about, body });
      const ground = { to: "ADJUDICATED" as const, adjudication: refOf(adjudication) };
      expect((await refusalOf(() => bench.artifacts.change(bench.call(), { artifact_id, ground }))).message).toMatch(
        /no adjudication\.json/,
      );
    },
  );
});

describe("shipping", () => {
  test("[FAC-106] code needs its ship evidence, and nothing else replaces it", async () => {
    const { artifact_id } = await bench.adjudicated("APPROVE");
    expect((await refusalOf(() => ship(artifact_id, { kind: "other", validatorsPassed: true }))).message).toMatch(/is code/);
    expect((await ship(artifact_id)).status).toBe("SHIPPED");
    expect(await bench.artifacts.isShipped(artifact_id, "1.0.0")).toBe(true);
    expect(await bench.artifacts.isShipped(artifact_id, "1.0.1")).toBe(false);
  });

  test("related changes happen in the same transaction, or not at all", async () => {
    const { artifact_id } = await bench.adjudicated("APPROVE");
    const input = { artifact_id, ground: { to: "SHIPPED" as const, amendmentsApplied: true, evidence: PASS } };
    const full = () => Promise.reject(new Error("no room in the index"));
    await expect(bench.artifacts.change(bench.call(), input, full)).rejects.toThrow("no room");
    expect((await bench.artifacts.get(artifact_id)).envelope.status).toBe("ADJUDICATED");
    const seen: string[] = [];
    const call = bench.call();
    const index = async (_: unknown, { status }: ArtifactEnvelope) => void seen.push(status);
    for (let time = 0; time < 2; time++) await bench.artifacts.change(call, input, index);
    expect(seen).toEqual(["SHIPPED"]);
  });

  test("[FAC-107] a rejected one returns to draft without its decision, and a shipped one is deprecated for its successor", async () => {
    const rejected = await bench.adjudicated("REJECT");
    const { artifact_id } = rejected;
    await bench.artifacts.change(bench.call(), { artifact_id, ground: { to: "DRAFT", revisionsLeft: 1 } });
    expect(await bench.artifacts.get(artifact_id)).toMatchObject({ decision: null, envelope: { status: "DRAFT" } });
    const [old, next] = [await bench.adjudicated("APPROVE"), await bench.adjudicated("APPROVE")];
    await ship(old.artifact_id);
    const deprecate = () =>
      bench.artifacts.change(bench.call(), { artifact_id: old.artifact_id, ground: { to: "DEPRECATED", successor: refOf(next) } });
    expect((await refusalOf(deprecate)).message).toMatch(/is not shipped/);
    await ship(next.artifact_id);
    await deprecate();
    expect(JSON.parse(readFileSync(fileOf(old, "envelope.json"), "utf8")).status).toBe("DEPRECATED");
    await bench.create({ follows: refOf(old) });
    expect((await bench.artifacts.get(old.artifact_id)).envelope.outputs).toEqual([]);
  });
});

test("artifacts are found by their properties, and an unknown one is an error", async () => {
  const first = await bench.create();
  await bench.create({ artifact_type: "EXAMPLES" });
  expect(await bench.artifacts.query({ artifact_type: "IMPLEMENTATION", status: "DRAFT", lineage: first.artifact_id })).toEqual([first]);
  expect(await bench.artifacts.query({ limit: 1 })).toHaveLength(1);
  expect((await refusalOf(() => bench.artifacts.get("IMPL-0"))).code).toBe("input_path_not_found");
  expect((await refusalOf(() => bench.artifacts.get(`${first.artifact_id}@9.9.9`))).code).toBe("input_path_not_found");
  expect((await refusalOf(() => bench.artifacts.read(first.artifact_id, "none"))).code).toBe("input_path_not_found");
  expect(readdirSync(join(bench.store, "artifacts/core"))).toHaveLength(2);
});
