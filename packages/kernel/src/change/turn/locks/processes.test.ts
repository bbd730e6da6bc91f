import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { openBench, type Bench } from "./testing/bench.ts";

const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

function startChild(path: string, ...args: string[]) {
  const script = new URL("./testing/child.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--conditions=slipway-source", script, path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, output })) };
}

async function counter() {
  const bench = await openBench();
  benches.push(bench);
  await bench.db.insertInto("signals").values({ run_id: "", name: "counter", value: "0", sent_by: "", at: 0, consumed_at: null }).execute();
  const value = async () => (await bench.db.selectFrom("signals").select("value").executeTakeFirstOrThrow()).value;
  return { ...bench, path: bench.sqlite.path, value };
}

test("processes that share a lock lose no update, although read and write are separate", async () => {
  const { path, value } = await counter();
  const children = ["f1", "f2", "f3"].map((holder) => startChild(path, holder, "6", "2"));
  expect((await Promise.all(children.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await value()).toBe("18");
});

test("a process that was suspended beyond its lease writes nothing when it wakes", async () => {
  const { path, value } = await counter();
  const slow = startChild(path, "slow", "1", "1500", "300");
  await once(slow.child.stdout, "data");
  slow.child.kill("SIGSTOP");
  expect(await startChild(path, "quick", "3", "0", "10000").ended).toMatchObject({ code: 0 });
  slow.child.kill("SIGCONT");
  expect((await slow.ended).output).toMatch(/lock_not_held/);
  expect(await value()).toBe("3");
});
