import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "@slipway/durable/errors";
import { SlipwayError } from "../../schema/errors.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { readPage, REPOSITORY_STREAM } from "../journal/repository.ts";
import { unfinishedOperations } from "./ledger.ts";
import { ACTOR_TYPES, type Actor, type Operation } from "./operation.ts";
import { openBench, type Bench } from "./testing/door.ts";

const system: Actor = { type: "system", id: "test" };
const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

async function open(options: Parameters<typeof openBench>[0] = {}): Promise<Bench> {
  const bench = await openBench(options);
  benches.push(bench);
  return bench;
}

const input = z.strictObject({ text: z.string() });
type Input = z.infer<typeof input>;
type Note = Operation<Input, unknown, { id: string; text: string }>;

/** Writes a row per execution, so that executions can be counted. */
function note(overrides: Partial<Note> = {}): Note {
  return {
    name: "note.add",
    roles: ["system", "person"],
    input,
    commit: async (tx, { text }, _effect, { operationId, at }) => {
      await tx
        .insertInto("signals")
        .values({ run_id: operationId, name: "note", value: text, sent_by: "test", at, consumed_at: null })
        .execute();
      return { id: operationId, text };
    },
    ...overrides,
  };
}

const notes = ({ db }: Bench) => db.selectFrom("signals").select(["run_id", "value"]).execute();
const events = async ({ db }: Bench) => (await readPage(db, REPOSITORY_STREAM)).events;
const refusal = (code: ErrorCode) => new SlipwayError(code, `refused with ${code}`, { paths: ["a"] });

describe("permissions", () => {
  test.each(ACTOR_TYPES.filter((type) => type !== "system" && type !== "person"))(
    "%s is denied what is not granted, before the input is checked",
    async (type) => {
      const bench = await open();
      const effect = vi.fn();
      const parse = vi.fn();
      const watched = z.unknown().transform((value) => (parse(), value as Input));
      const call = bench.door.perform(note({ effect, input: watched }), { type, id: "x" }, "op", { nonsense: 1 });
      await expect(call).rejects.toMatchObject({
        code: "forbidden_tool_for_role",
        details: { role: type, allowed_roles: ["system", "person"] },
      });
      expect(effect).not.toHaveBeenCalled();
      expect(parse).not.toHaveBeenCalled();
      expect([await notes(bench), await events(bench)]).toEqual([[], []]);
    },
  );

  test("an unknown role may call nothing, and an operation without roles is closed to all", async () => {
    const { door } = await open();
    const stranger = { type: "root", id: "x" } as unknown as Actor;
    await expect(door.perform(note(), stranger, "op", { text: "a" })).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    await expect(door.perform(note({ input: z.string() as never }), system, "op", { text: "a" })).rejects.toThrow("/: ");
    await expect(door.perform(note({ roles: [] }), system, "op", { text: "a" })).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  });
});

test("an invalid input lists every violation and changes nothing", async () => {
  const bench = await open();
  const call = bench.door.perform(note(), system, "op", { text: 1, extra: true });
  await expect(call).rejects.toMatchObject({
    code: "schema_validation_failed",
    message: expect.stringContaining("/text"),
    details: {
      violations: [
        expect.objectContaining({ pointer: "/text", rule: "type", expected: "a string" }),
        expect.objectContaining({ pointer: "/extra" }),
      ],
    },
  });
  expect([await notes(bench), await events(bench)]).toEqual([[], []]);
});

test.each(["", "x".repeat(513)])("an operation id that is empty or too long is refused", async (id) => {
  const { door } = await open();
  await expect(door.perform(note(), system, id, { text: "a" })).rejects.toMatchObject({ code: "schema_validation_failed" });
});

test("the change, the journal event and the answer are one transaction", async () => {
  const bench = await open();
  const operation = note({ event: ({ text }, { id }) => ({ text, id }) });
  expect(await bench.door.perform(operation, system, "op-1", { text: "a" })).toEqual({ id: "op-1", text: "a" });
  const [event] = await events(bench);
  expect(event).toMatchObject({ seq: 1, kind: "operation", name: "note.add", key: "op-1", at: 1_000 });
  expect(JSON.parse(event?.payload ?? "")).toEqual({
    actor: system,
    event: { text: "a", id: "op-1" },
    input: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

describe("a repeated call", () => {
  test.each([
    ["without an effect", {}],
    ["with an effect", { effect: async () => "done" }],
  ])("[FEA-174] %s is answered from the ledger, also after a restart", async (_name, overrides) => {
    const first = await open();
    const answer = await first.door.perform(note(overrides), system, "op", { text: "a" });
    expect(await first.door.perform(note(overrides), system, "op", { text: "a" })).toEqual(answer);
    const second = await open({ folder: first.folder });
    const commit = vi.fn();
    const effect = vi.fn();
    expect(
      await second.door.perform(note({ ...overrides, commit, ...("effect" in overrides && { effect }) }), system, "op", { text: "a" }),
    ).toEqual(answer);
    expect(commit).not.toHaveBeenCalled();
    expect(effect).not.toHaveBeenCalled();
    expect([(await notes(second)).length, (await events(second)).length]).toEqual([1, 1]);
  });

  test.each<[string, Partial<Note>, unknown, Actor]>([
    ["another operation", { name: "note.remove" }, { text: "a" }, system],
    ["another input", {}, { text: "b" }, system],
    ["another role", {}, { text: "a" }, { type: "person", id: "p" }],
    ["another input, with an effect", { effect: async () => 1 }, { text: "b" }, system],
  ])("with %s is a conflict, and changes nothing", async (_name, overrides, value, actor) => {
    const bench = await open();
    await bench.door.perform(note(), system, "op", { text: "a" });
    await expect(bench.door.perform(note(overrides), actor, "op", value)).rejects.toMatchObject({
      code: "operation_conflict",
      details: { operation_id: "op" },
    });
    expect(await notes(bench)).toEqual([{ run_id: "op", value: "a" }]);
    expect(await unfinishedOperations(bench.db)).toEqual([]);
  });

  test("with the same input in another order of properties is the same call", async () => {
    const { door } = await open();
    const wide: Operation<{ a: number; b?: number | undefined }, unknown, number> = {
      name: "wide",
      roles: ["system"],
      input: z.object({ a: z.number(), b: z.number().optional() }),
      commit: vi.fn(async () => 1),
    };
    await door.perform(wide, system, "op", { a: 1, b: 2 });
    await door.perform(wide, system, "op", { b: 2, a: 1 });
    expect(wide.commit).toHaveBeenCalledTimes(1);
  });

  test("undefined is null, the first time as well", async () => {
    const { door } = await open();
    const silent: Operation<Input, unknown, undefined> = { name: "silent", roles: ["system"], input, commit: async () => undefined };
    expect(await door.perform(silent, system, "op", { text: "a" })).toBeNull();
    expect(await door.perform(silent, system, "op", { text: "a" })).toBeNull();
  });

  test("returns a long answer from the object store", async () => {
    const bench = await open();
    const long = "é".repeat(50_000);
    const operation = note({ commit: async () => ({ id: "x", text: long }), event: () => ({ $blob: "0".repeat(64), bytes: 1 }) });
    expect((await bench.door.perform(operation, system, "op", { text: "a" })).text).toBe(long);
    const { response } = await bench.db.selectFrom("operations").select("response").executeTakeFirstOrThrow();
    expect(response).toMatch(/^\{"\$blob":"[0-9a-f]{64}"/);
    expect((await bench.door.perform(operation, system, "op", { text: "a" })).text).toBe(long);
  });

  test("returns an answer that resembles a reference unchanged", async () => {
    const { door } = await open();
    const answer = { $blob: "0".repeat(64), bytes: 1 };
    const tricky: Operation<Input, unknown, typeof answer> = { name: "tricky", roles: ["system"], input, commit: async () => answer };
    await door.perform(tricky, system, "op", { text: "a" });
    expect(await door.perform(tricky, system, "op", { text: "a" })).toEqual(answer);
  });
});

describe("a failing call", () => {
  test.each([
    [
      "in the transaction",
      (error: Error): Partial<Note> => ({ commit: async (tx, i, e, c) => (await note().commit(tx, i, e, c), Promise.reject(error)) }),
    ],
    ["in the effect", (error: Error): Partial<Note> => ({ effect: () => Promise.reject(error) })],
    [
      "in the transaction after an effect",
      (error: Error): Partial<Note> => ({ effect: async () => 1, commit: () => Promise.reject(error) }),
    ],
  ])("that is an answer (%s) is recorded, returned again, and changes nothing", async (_name, failing) => {
    const bench = await open();
    const call = () => bench.door.perform(note(failing(refusal("policy_violation"))), system, "op", { text: "a" });
    await expect(call()).rejects.toMatchObject({
      code: "policy_violation",
      message: "refused with policy_violation",
      details: { paths: ["a"] },
    });
    expect([await notes(bench), await events(bench)]).toEqual([[], []]);
    await expect(bench.door.perform(note(), system, "op", { text: "a" })).rejects.toMatchObject({
      code: "policy_violation",
      details: { paths: ["a"] },
    });
    expect(await notes(bench)).toEqual([]);
    expect(await unfinishedOperations(bench.db)).toEqual([]);
  });

  test.each([
    ["that is retryable", refusal("version_conflict")],
    ["of the machine", refusal("disk_full")],
    ["of the disk", refusal("io_error")],
    ["of a database that may not be written", refusal("database_read_only")],
    ["of a damaged database", refusal("database_corrupt")],
    ["of a database of a newer Slipway", refusal("database_newer")],
    ["of a missing object", refusal("object_missing")],
    ["of a damaged object", refusal("object_corrupt")],
    ["by a lost lease", refusal("lease_lost")],
    ["that waits for a person's decision about their edits", refusal("worktree_edited")],
    ["by Slipway's own mistake", refusal("internal_error")],
    ["by a stop", refusal("run_cancelled")],
    ["by a bug", new TypeError("x is not a function")],
  ])("%s is not final: the same call may succeed later", async (_name, error) => {
    const bench = await open();
    for (const failing of [
      { commit: () => Promise.reject(error) },
      { effect: () => Promise.reject(error) },
      { effect: async () => 1, commit: () => Promise.reject(error) },
    ]) {
      await expect(bench.door.perform(note(failing), system, "op", { text: "a" })).rejects.toThrow(error.message);
    }
    expect([await notes(bench), await events(bench)]).toEqual([[], []]);
    const redriven: boolean[] = [];
    const effect: NonNullable<Note["effect"]> = async (_input, call) => redriven.push(call.redriven);
    expect(await bench.door.perform(note({ effect }), system, "op", { text: "a" })).toEqual({ id: "op", text: "a" });
    expect(redriven).toEqual([true]);
    expect([(await notes(bench)).length, (await events(bench)).length]).toEqual([1, 1]);
  });

  test("an answer that is not JSON is a refusal, and the change is rolled back", async () => {
    const bench = await open();
    const operation = note({
      commit: async (tx, i, e, c) => ({ ...(await note().commit(tx, i, e, c)), text: Symbol("no") as unknown as string }),
    });
    await expect(bench.door.perform(operation, system, "op", { text: "a" })).rejects.toMatchObject({ code: "payload_not_json" });
    expect(await notes(bench)).toEqual([]);
  });

  test.each([
    ["without an effect", {}],
    ["with an effect", { effect: async () => 1 }],
  ])("without disk space (%s) leaves nothing, and the same call succeeds after space is freed", async (_name, overrides) => {
    const bench = await open();
    const text = "x".repeat(500_000);
    const limit = (pages: string) => bench.sqlite.exclusive((database) => database.exec(`PRAGMA max_page_count = ${pages}`));
    // SQLite does not shrink below the current file size.
    await limit("1");
    const call = () => bench.door.perform(note({ ...overrides, event: () => ({ short: true }) }), system, "op", { text });
    await expect(call()).rejects.toMatchObject({ code: "disk_full", details: { file: bench.sqlite.path } });
    expect([await notes(bench), await events(bench)]).toEqual([[], []]);
    await limit("1000000");
    expect((await call()).id).toBe("op");
    expect([(await notes(bench)).length, (await events(bench)).length]).toEqual([1, 1]);
  });

  test("an operation that began with an effect can be ended by a release without one", async () => {
    const bench = await open();
    await expect(
      bench.door.perform(note({ effect: () => Promise.reject(refusal("disk_full")) }), system, "op", { text: "a" }),
    ).rejects.toThrow();
    const redriven: boolean[] = [];
    const commit: Note["commit"] = async (tx, given, effect, call) => (
      redriven.push(call.redriven),
      note().commit(tx, given, effect, call)
    );
    expect(await bench.door.perform(note({ commit }), system, "op", { text: "a" })).toEqual({ id: "op", text: "a" });
    expect(await bench.door.perform(note({ commit }), system, "another", { text: "a" })).toEqual({ id: "another", text: "a" });
    expect(redriven).toEqual([true, false]);
    expect(await unfinishedOperations(bench.db)).toEqual([]);
  });

  test("in a process that may no longer write, an effect is not even begun", async () => {
    const bench = await open({ fence: () => Promise.reject(refusal("lease_lost")) });
    const effect = vi.fn(async () => 1);
    await expect(bench.door.perform(note({ effect }), system, "op", { text: "a" })).rejects.toMatchObject({ code: "lease_lost" });
    expect(effect).not.toHaveBeenCalled();
    expect(await unfinishedOperations(bench.db)).toEqual([]);
  });
});

describe("simultaneous calls with one id", () => {
  test.each([
    ["without an effect", {}],
    ["with an effect", { effect: async () => new Promise((resolve) => setTimeout(resolve, 20)) }],
  ])("[FEA-175] %s execute once and get the same answer; another input is a conflict", async (_name, overrides) => {
    const bench = await open();
    const other = bench.another();
    const calls = [bench.door, bench.door, other, other].map((door) => door.perform(note(overrides), system, "op", { text: "a" }));
    const conflict = bench.door.perform(note(overrides), system, "op", { text: "b" });
    const elsewhere = bench.door.perform(note({ ...overrides, name: "note.remove" }), system, "op", { text: "a" });
    await expect(conflict).rejects.toMatchObject({ code: "operation_conflict" });
    await expect(elsewhere).rejects.toMatchObject({ code: "operation_conflict" });
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ id: "op", text: "a" })));
    expect([(await notes(bench)).length, (await events(bench)).length]).toEqual([1, 1]);
  });

  test("from several processes execute once", async () => {
    const bench = await open();
    const children = await Promise.all([child(bench.folder, "op"), child(bench.folder, "op"), child(bench.folder, "op")]);
    expect(new Set(children.map(({ answer }) => answer)).size).toBe(1);
    expect(readFileSync(join(bench.folder, "effects"), "utf8").trim().split("\n")).toHaveLength(1);
    expect(await events(bench)).toHaveLength(1);
  });

  test("an operation of a killed process is driven again, and knows that it was begun", async () => {
    const bench = await open();
    const { process: hanging } = startChild(bench.folder, "op", "hang");
    await once(hanging.stdout, "data");
    expect(await unfinishedOperations(bench.db)).toMatchObject([{ id: "op", status: "started" }]);
    hanging.kill("SIGKILL");
    await once(hanging, "exit");
    const { answer } = await child(bench.folder, "op");
    expect(JSON.parse(answer)).toMatchObject({ value: 7, effect: "effect of 7" });
    expect(readFileSync(join(bench.folder, "effects"), "utf8")).toMatch(/^\d+ false\n\d+ true\n$/);
    expect(await events(bench)).toHaveLength(1);
    expect(await unfinishedOperations(bench.db)).toEqual([]);
  });
});

describe("an attempt whose owner's state is unknown", () => {
  const foreign = JSON.stringify({ host: "elsewhere", pid: 1, startedAt: "1" });

  async function begunElsewhere(options: Parameters<typeof openBench>[0] = {}): Promise<Bench> {
    const bench = await open(options);
    await expect(
      bench.door.perform(note({ effect: () => Promise.reject(refusal("disk_full")) }), system, "op", { text: "a" }),
    ).rejects.toThrow();
    await bench.db.updateTable("operations").set({ owner: foreign, claim: "claim_foreign" }).execute();
    return bench;
  }

  test("is waited for, then reported as still running", async () => {
    const sleeps: number[] = [];
    const bench: Bench = await begunElsewhere({ waitMs: 1_000, sleep: async (ms) => void ((bench.clock.time += ms), sleeps.push(ms)) });
    const call = bench.door.perform(note({ effect: async () => 1 }), system, "op", { text: "a" });
    await expect(call).rejects.toMatchObject({ code: "operation_in_progress", details: { retryable: true, owner: foreign } });
    expect(sleeps.slice(0, 6)).toEqual([10, 20, 40, 80, 160, 250]);
  });

  test("is taken over after a minute, and may then no longer write", async () => {
    const bench = await begunElsewhere();
    bench.clock.time += 60_000;
    // While our own effect runs, a third process takes it over.
    const effect = async () => void (await bench.db.updateTable("operations").set({ claim: "claim_other" }).execute());
    await expect(bench.door.perform(note({ effect }), system, "op", { text: "a" })).rejects.toMatchObject({ code: "lease_lost" });
    expect(await notes(bench)).toEqual([]);
    expect(await events(bench)).toEqual([]);
  });

  test("does not wait for its own process if that no longer drives it", async () => {
    const bench = await open({ waitMs: 0 });
    let left: { owner: string | null; claim: string | null } | undefined;
    const effect = async () => {
      left = await bench.db.selectFrom("operations").select(["owner", "claim"]).executeTakeFirstOrThrow();
      throw refusal("disk_full");
    };
    await expect(bench.door.perform(note({ effect }), system, "op", { text: "a" })).rejects.toThrow();
    // As when the disk was too full to give the claim back.
    await bench.db
      .updateTable("operations")
      .set({ ...left })
      .execute();
    expect(await bench.door.perform(note({ effect: async () => 1 }), system, "op", { text: "a" })).toEqual({ id: "op", text: "a" });
  });
});

test("events can be observed", async () => {
  const phases: string[] = [];
  const { door } = await open({ observe: ({ phase }) => phases.push(phase) });
  await door.perform(note({ effect: async () => 1 }), system, "a", { text: "a" });
  await door.perform(note({ effect: async () => 1 }), system, "a", { text: "a" });
  await door.perform(note(), system, "b", { text: "a" });
  await expect(
    door.perform(note({ effect: () => Promise.reject(refusal("policy_violation")) }), system, "c", { text: "a" }),
  ).rejects.toThrow();
  await expect(
    door.perform(note({ commit: () => Promise.reject(refusal("policy_violation")) }), system, "d", { text: "a" }),
  ).rejects.toThrow();
  expect(phases).toEqual(["started", "effect_done", "committed", "replayed", "committed", "started", "failed", "failed"]);
});

function startChild(folder: string, operationId: string, behaviour = "") {
  const script = new URL("./testing/child.ts", import.meta.url).pathname;
  const process_ = spawn(process.execPath, ["--conditions=slipway-source", script, folder, operationId, behaviour], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { process: process_ };
}

async function child(folder: string, operationId: string): Promise<{ answer: string }> {
  const { process: started } = startChild(folder, operationId);
  let output = "";
  started.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(started, "close")) as [number];
  expect(code).toBe(0);
  return { answer: output.trim().split("\n").at(-1) ?? "" };
}

test("a call that syncs in the background is on disk when it resolves, and is performed once", async () => {
  const { door, db, folder } = await open();
  expect(await door.syncedInBackground.perform(note(), system, "op-background", { text: "a" })).toEqual({ id: "op-background", text: "a" });
  expect(await door.syncedInBackground.perform(note(), system, "op-background", { text: "a" })).toEqual({ id: "op-background", text: "a" });
  await door.flush();
  expect(await db.selectFrom("signals").select("value").execute()).toEqual([{ value: "a" }]);
  const late = note({ commit: () => Promise.reject(new SlipwayError("policy_violation", "no")) });
  await expect(door.syncedInBackground.perform(late, system, "op-refused", { text: "b" })).rejects.toMatchObject({
    code: "policy_violation",
  });
  expect(readFileSync(join(folder, "slipway.db-wal")).length).toBeGreaterThan(0);
});
