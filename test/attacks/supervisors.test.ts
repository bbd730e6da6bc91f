import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROGRAM } from "slipway/testing/program";
import { expect, onTestFinished, test } from "vitest";
import { expectRefused } from "../bad-input/place.ts";
import { withAgent } from "./agent.ts";
import { slipway } from "./cli.ts";
import { unharmed } from "./surroundings.ts";
import { makeYard } from "./yard.ts";

test("attack 41: of two supervisors one wins, and the other starts nothing; after the first has died, the next takes over", async () => {
  const yard = await makeYard({
    files: { ...withAgent({ waits: true }), "other.spec.md": "# Other\n\nThe second letter file says two.\n" },
  });
  onTestFinished(() => yard.remove());
  const first = spawn(process.execPath, [...PROGRAM, "run", "letters.spec.md"], { cwd: yard.root, env: { ...yard.env }, stdio: "ignore" });
  const ended = new Promise((resolve) => first.once("close", resolve));
  onTestFinished(async () => {
    first.kill("SIGKILL");
    await ended;
  });
  while (!existsSync(join(yard.home, "asked.planner"))) await sleep(20);
  await unharmed(yard, ["letters"], async () => {
    for (const argv of [["run", "other.spec.md"], ["resume"]])
      expectRefused(await slipway(yard, argv), { code: "run_lease_held", names: [String(first.pid)] });
  });
  expect(yard.sql("SELECT id FROM features")).toEqual([{ id: "letters" }]);
  first.kill("SIGKILL");
  await ended;
  yard.write(join(yard.home, "go"), "");
  expect((await slipway(yard, ["resume"])).code).toBe(23);
  expect(yard.sql("SELECT status FROM features")).toEqual([{ status: "ready_to_merge" }]);
});
