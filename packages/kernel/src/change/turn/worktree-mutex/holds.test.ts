import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "@slipway/durable/environment";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../open-database.ts";
import type { Database } from "../../../record/database/open.ts";
import type { Owners } from "../../../record/operations/owners.ts";
import { openHolds, type HoldOptions } from "./holds.ts";

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "slipway-holds-"));
  database = await openDatabase({ path: join(folder, "slipway.db") });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const holds = (more: Partial<HoldOptions> = {}) => openHolds({ db: database.db, clock: systemClock, ...more });
const rows = () => database.db.selectFrom("worktree_holds").selectAll().execute();
const SELF = "this process";
const owners = (state: "alive" | "dead" | "unknown"): Owners => ({ self: SELF, stateOf: () => state });

function startChild(featureId: string) {
  const args = ["--conditions=slipway-source", join(import.meta.dirname, "testing", "child.ts"), join(folder, "slipway.db"), featureId];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    says: async () => (await lines.next()).value as string,
    letGo: () => child.stdin.write("go\n"),
    ended: once(child, "exit"),
  };
}

describe("within a process", () => {
  test("operations on one feature run in sequence, in order of arrival; other features do not wait", async () => {
    const withWorktree = holds();
    const log: string[] = [];
    const gate = Promise.withResolvers<void>();
    const step = (featureId: string, name: string, until?: Promise<void>) =>
      withWorktree({ featureId, operation: name }, async () => {
        log.push(`start ${name}`);
        await until;
        log.push(`end ${name}`);
      });
    const all = [step("a", "first", gate.promise), step("a", "second"), step("a", "third")];
    await step("b", "other");
    gate.resolve();
    await Promise.all(all);
    expect(log.filter((line) => !line.endsWith("other"))).toEqual([
      "start first",
      "end first",
      "start second",
      "end second",
      "start third",
      "end third",
    ]);
    expect(log.indexOf("end other")).toBeLessThan(log.indexOf("end first"));
    expect(await rows()).toEqual([]);
  });

  test("a failure goes to its caller, and the next operation runs", async () => {
    const withWorktree = holds();
    const failing = withWorktree({ featureId: "a", operation: "x" }, () => Promise.reject(new Error("no")));
    const next = withWorktree({ featureId: "a", operation: "y" }, async () => "done");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("done");
  });

  test("an aborted call stops waiting, and no other enters before the current one has ended", async () => {
    const withWorktree = holds();
    const stop = new AbortController();
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    const first = withWorktree({ featureId: "a", operation: "first" }, () => gate.promise.then(() => log.push("first")));
    const second = withWorktree({ featureId: "a", operation: "second", signal: stop.signal }, async () => log.push("second"));
    const third = withWorktree({ featureId: "a", operation: "third" }, async () => log.push("third"));
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: "run_stopped" });
    gate.resolve();
    await Promise.all([first, third]);
    expect(log).toEqual(["first", "third"]);
  });
});

describe("between processes", () => {
  test("one waits for the other", async () => {
    const { says, letGo, ended } = startChild("a");
    expect(await says()).toBe("holding");
    const order: string[] = [];
    const mine = holds()({ featureId: "a", operation: "mine" }, async () => void order.push("mine"));
    await holds()({ featureId: "b", operation: "other" }, async () => void order.push("other"));
    letGo();
    expect(await says()).toBe("released");
    await mine;
    await ended;
    expect(order).toEqual(["other", "mine"]);
  });

  test("a hold of a killed process is free at once", async () => {
    const { child, says, ended } = startChild("a");
    expect(await says()).toBe("holding");
    child.kill("SIGKILL");
    await ended;
    expect(await holds()({ featureId: "a", operation: "mine" }, async () => "mine")).toBe("mine");
    expect(await rows()).toEqual([]);
  });

  const held = (owner: string, since: number) =>
    database.db.insertInto("worktree_holds").values({ feature_id: "a", claim: "theirs", owner, operation: "gates.run", since }).execute();

  test("after a timeout the caller gets the holder's name, and may retry", async () => {
    await held("another", Date.now());
    const waited: number[] = [];
    let now = 0;
    const clock = { now: () => Date.now(), monotonic: () => now };
    const sleep = async (ms: number) => {
      waited.push(ms);
      now += ms;
    };
    const withWorktree = holds({ owners: owners("alive"), clock, sleep, waitMs: 1_000 });
    await expect(withWorktree({ featureId: "a", operation: "repo.apply_patch" }, async () => "in")).rejects.toMatchObject({
      code: "operation_in_progress",
      details: { retryable: true, operation: "gates.run" },
    });
    expect(waited.slice(0, 3)).toEqual([5, 10, 20]);
    expect(Math.max(...waited)).toBe(200);
    expect(await rows()).toMatchObject([{ claim: "theirs" }]);
  });

  test.each([
    ["a moment ago", 1_000, "operation_in_progress"],
    ["long ago", 61_000, "in"],
  ])("a holder that is not known, since %s", async (_what, ago, outcome) => {
    await held("elsewhere", Date.now() - ago);
    const withWorktree = holds({ owners: owners("unknown"), waitMs: 0 });
    const got = await withWorktree({ featureId: "a", operation: "x" }, async () => "in").catch(({ code }: { code: string }) => code);
    expect(got).toBe(outcome);
  });

  test("a hold of this process that a failure left behind is free", async () => {
    await held(SELF, Date.now());
    expect(await holds({ owners: owners("alive"), waitMs: 0 })({ featureId: "a", operation: "x" }, async () => "in")).toBe("in");
  });
});
