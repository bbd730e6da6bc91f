import { readFileSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { deadEndpoint, openReceiver, type Receiver } from "@slipway/kernel/notify/testing/receiver";
import { afterEach, expect, test } from "vitest";
import { letters } from "./testing/project.ts";

const open: Receiver[] = [];
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver.close();
});

function projectTelling(...endpoints: readonly string[]) {
  const channels = endpoints.map((endpoint) => `    - { type: webhook, endpoint: "${endpoint}", events: [block, complete, error] }`);
  const section = ["notifications:", "  allow_loopback: true", "  channels:", ...channels, ""].join("\n");
  return letters({ "slipway/policy.yaml": `${POLICY}${section}` });
}

const events = ({ received }: Receiver) => received.map(({ body }) => (JSON.parse(body) as { readonly event: string }).event);

test("[CRI-133] [CRI-138] a question of any protocol is told once, also across resumes, and the end of the run once", async () => {
  const receiver = await openReceiver();
  open.push(receiver);
  const project = projectTelling(receiver.url);
  const run = await project.run();
  expect(run.code).toBe(23);
  const [first] = receiver.received.map(({ body }) => JSON.parse(body) as object);
  expect(first).toMatchObject({
    event: "block",
    text: expect.stringMatching(/^Slipway: run \S+ is blocked\. Run `slipway status` for details\.$/),
    protocol_state: { type: "blocked" },
    blocking_record: { query: "Merge letters into main?", resolved: false },
  });
  for (let time = 0; time < 2; time++) expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
  expect(events(receiver)).toEqual(["block"]);
  await project.slipway(["approve"]);
  expect((await project.slipway(["merge"])).code).toBe(0);
  expect(events(receiver)).toEqual(["block", "complete"]);
});

test("[CRI-137] a dead webhook changes nothing about the run, and status shows it", async () => {
  const dead = await deadEndpoint();
  const project = projectTelling(dead);
  expect((await project.run()).code).toBe(23);
  const { host } = new URL(dead);
  const { stdout } = await project.slipway(["status"]);
  expect(stdout).toContain(`notification (block) to ${host} failed: the connection failed (ECONNREFUSED)`);
  expect(stdout).toContain("Waiting for a person");
  expect(stdout).not.toContain("secret");
  const [board] = (await project.slipway(["status", "--json"])).json<{ notifications: object[] }>();
  expect(board?.notifications).toMatchObject([{ event: "block", channel: host }]);
  expect(JSON.parse(readFileSync(join(project.root, ".slipway", "notification-state.json"), "utf8"))).toMatchObject({
    failures: [{ channel: host }],
  });
});

test("[CRI-135] an invalid schedule is an error of the configuration that names file and field", async () => {
  const project = letters({ "slipway/policy.yaml": `${POLICY}notifications: { reminder_schedule: "@daily" }\n` });
  const { code, stderr } = await project.run();
  expect(code).toBe(2);
  expect(stderr).toMatch(/^config_invalid: slipway\/policy\.yaml is not valid:\n.*\/notifications\/reminder_schedule/);
});
