import { spawn } from "node:child_process";
import { once } from "node:events";
import { SlipwayError } from "../../schema/errors.ts";
import { systemHost, type HostIdentity } from "@slipway/durable/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { repositoryJournal } from "../journal/repository.ts";
import type { Operation } from "../operations/operation.ts";
import { openBench, type Bench } from "../operations/testing/door.ts";
import { createDoor } from "../operations/door.ts";
import { liveRunOn } from "./holder.ts";
import { openRunLease, type RunLease } from "./lease.ts";

const TTL = 1_000;
let bench: Bench;
let dead: Set<number>;

beforeEach(async () => {
  bench = await openBench();
  dead = new Set();
});
afterEach(() => bench.close());

const host = (pid: number): HostIdentity => ({ host: "box/boot", pid, startedAt: "1", isDead: (other) => dead.has(other.pid) });
const supervisor = (pid: number, identity = host(pid)) =>
  openRunLease({ database: bench, clock: bench.clock, journal: repositoryJournal(bench.objects), host: identity, ttlMs: TTL });
const epoch = async () => (await bench.db.selectFrom("run_lease").select("epoch").executeTakeFirst())?.epoch;

describe("one supervisor per repository", () => {
  test("[FEA-177] a second one is refused, with the holder, its run and the expiry", async () => {
    await supervisor(1).take("run-1");
    await expect(supervisor(2).take("run-2")).rejects.toMatchObject({
      code: "run_lease_held",
      message: "Run run-1 is supervised by process 1 on box; a repository has only one supervisor.",
      details: { run_id: "run-1", pid: 1, host: "box/boot", process: "1 on box/boot", expires_at: 2_000, retryable: true },
    });
    expect(await epoch()).toBe(1);
  });

  test("one that does not know its run yet says so, and names it later", async () => {
    const first = supervisor(1);
    await first.take(null);
    await expect(supervisor(2).take(null)).rejects.toThrow("A starting run");
    await first.serve("run-1");
    await expect(supervisor(2).take(null)).rejects.toMatchObject({ details: { run_id: "run-1" } });
  });

  test("there is one even in the same process", async () => {
    await supervisor(1).take("run-1");
    await expect(supervisor(1).take("run-1")).rejects.toMatchObject({ code: "run_lease_held" });
  });

  test("[FEA-178] a renewed lease lasts longer than one term; a released one is free at once", async () => {
    const first = supervisor(1);
    await first.take("run-1");
    bench.clock.time += TTL - 1;
    await first.renew();
    bench.clock.time += TTL - 1;
    await expect(supervisor(2).take("run-2")).rejects.toMatchObject({ code: "run_lease_held" });
    await first.release();
    await supervisor(2).take("run-2");
    expect(await epoch()).toBe(2);
  });

  test("[FEA-178] an expired lease can be taken over, which raises the epoch and is recorded; the former holder cannot renew", async () => {
    const first = supervisor(1);
    await first.take("run-1");
    bench.clock.time += TTL;
    await supervisor(2).take("run-2");
    expect(await epoch()).toBe(2);
    const [event] = await bench.db.selectFrom("events").selectAll().where("kind", "=", "run_lease").execute();
    expect(JSON.parse(String(event?.payload))).toEqual({ epoch: 2, from: { host: "box/boot", pid: 1, run_id: "run-1" } });
    await expect(first.renew()).rejects.toMatchObject({ code: "lease_lost" });
    await expect(first.serve("run-1")).rejects.toMatchObject({ code: "lease_lost" });
    await first.release();
    await expect(supervisor(3).take("run-3")).rejects.toMatchObject({ details: { run_id: "run-2" } });
  });

  test("a holder whose process is known to have ended is replaced at once", async () => {
    await supervisor(1).take("run-1");
    dead.add(1);
    await supervisor(2).take("run-2");
    expect(await epoch()).toBe(2);
  });

  test("so is a process that was really killed", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdout.write('up'); setInterval(() => {}, 1000)"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    const own = systemHost();
    await supervisor(0, { ...own, pid: Number(child.pid), startedAt: "" }).take("run-1");
    await expect(supervisor(0, own).take("run-2")).rejects.toMatchObject({ details: { pid: child.pid } });
    child.kill("SIGKILL");
    await once(child, "exit");
    await supervisor(0, own).take("run-2");
    expect(await epoch()).toBe(2);
  });
});

describe("[FEA-178] writes of an earlier holder are refused inside the write", () => {
  const note = (effect?: () => Promise<void>): Operation<{ text: string }, void, string> => ({
    name: "note",
    roles: ["system"],
    input: z.strictObject({ text: z.string() }),
    ...(effect && { effect }),
    commit: async (_tx, { text }) => text,
  });
  const refusal = { code: "lease_lost" };
  const actor = { type: "system", id: "s" } as const;
  const doorOf = (lease: RunLease) =>
    createDoor({
      db: bench.db,
      clock: bench.clock,
      journal: repositoryJournal(bench.objects),
      blobs: bench.objects,
      fence: (tx) => lease.assertHeld(tx),
    });
  const written = async () => (await bench.db.selectFrom("operations").select("id").where("status", "!=", "started").execute()).length;

  async function overtake(): Promise<void> {
    bench.clock.time += TTL;
    await supervisor(2).take("run-2");
  }

  async function holder() {
    const lease = supervisor(1);
    await lease.take("run-1");
    return { lease, door: doorOf(lease) };
  }

  test("a change without an effect", async () => {
    const { door } = await holder();
    await door.perform(note(), actor, "before", { text: "mine" });
    await overtake();
    await expect(door.perform(note(), actor, "after", { text: "late" })).rejects.toMatchObject(refusal);
    expect(await written()).toBe(1);
  });

  test("an effect does not begin", async () => {
    const { door } = await holder();
    await overtake();
    let begun = false;
    await expect(
      door.perform(
        note(async () => void (begun = true)),
        actor,
        "after",
        { text: "late" },
      ),
    ).rejects.toMatchObject(refusal);
    expect(begun).toBe(false);
  });

  test("a running effect is not acknowledged; the new holder can complete it", async () => {
    const { door } = await holder();
    await expect(door.perform(note(overtake), actor, "op", { text: "t" })).rejects.toMatchObject(refusal);
    expect(await written()).toBe(0);
    expect(
      await bench.another().perform(
        note(async () => undefined),
        actor,
        "op",
        { text: "t" },
      ),
    ).toBe("t");
  });

  test("nor is its refusal", async () => {
    const { door } = await holder();
    const failing = async () => {
      await overtake();
      throw new SlipwayError("policy_violation", "no");
    };
    await expect(door.perform(note(failing), actor, "op", { text: "t" })).rejects.toMatchObject(refusal);
    expect(await written()).toBe(0);
  });

  test("after the release, unfinished work writes nothing either", async () => {
    const { lease, door } = await holder();
    await lease.release();
    await expect(door.perform(note(), actor, "after", { text: "late" })).rejects.toMatchObject(refusal);
  });

  test("a person's answer needs no lease", async () => {
    await holder();
    expect(await bench.door.perform(note(), actor, "answer", { text: "yes" })).toBe("yes");
  });
});

test("the process that works on a feature: the live holder of the run it belongs to", async () => {
  const row = {
    status: "planning",
    status_reason: "",
    version: 1,
    branch: "b",
    worktree: "w",
    base_branch: "main",
    base_commit: "c",
    tree: "t",
  } as const;
  const rest = { spec_source: "s", spec_digest: "d", gate_profile: "default", gates: "{}", created_at: 0, updated_at: 0 };
  for (const [id, run_id] of [
    ["mine", "run-1/feature:mine"],
    ["other", "run-0/feature:other"],
  ] as const)
    await bench.db
      .insertInto("features")
      .values({ id, run_id, ...row, ...rest })
      .execute();
  const onlooker = () => ({ now: bench.clock.time, host: host(9) });
  expect(await liveRunOn(bench.db, "mine", onlooker())).toBeNull();
  const lease = supervisor(1);
  await lease.take(null);
  expect(await liveRunOn(bench.db, "mine", onlooker())).toBeNull();
  await lease.serve("run-1");
  expect(await liveRunOn(bench.db, "mine", onlooker())).toMatchObject({ run_id: "run-1", pid: 1, expires_at: 2_000 });
  expect(await liveRunOn(bench.db, "other", onlooker())).toBeNull();
  expect(await liveRunOn(bench.db, "none", onlooker())).toBeNull();
  bench.clock.time += TTL;
  expect(await liveRunOn(bench.db, "mine", onlooker())).toBeNull();
});
