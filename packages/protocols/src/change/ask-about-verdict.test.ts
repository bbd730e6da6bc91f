import { workflow } from "@slipway/durable/ctx";
import { openEngine, type Engine } from "@slipway/durable/engine";
import {
  openScratchKernel,
  PERSON,
  POLICY,
  WITHOUT_TRIAL,
  type ApprovedFacts,
  type ScratchKernel,
} from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deliver, oneChange, type Delivered } from "./deliver.ts";
import { readyFiles } from "./ready-files.ts";
import { openChangeServices, type ChangeServices } from "./services.ts";

const program = workflow<null, Delivered, ChangeServices>("program", "1", (ctx, _input, services) =>
  deliver(oneChange(ctx, services, "sums"), {
    ...readyFiles(services.kernel, {
      id: "sums",
      appliedBy: "test",
      summary: "adds sums",
      acceptance_criteria: ["it adds"],
      areas: ["src"],
      files: async () => ({ "src/sum.js": "exports.sum = (a, b) => a + b;\n" }),
    }),
    spec: { source: "sums.md", text: "sums" },
    whenSentBack: "The files stay as they are.",
    retryLabel: "try again",
    giveUpLabel: "end it",
  }),
);

const RUN = "run";
/** The full gate runs no test, whatever the repository has. */
const IDLE = `version: 1
profiles: { default: { modes: { fast: [{ name: check, cmd: ["true"] }], full: [{ name: check, cmd: [echo, all is well] }] } } }
`;

let scratch: ScratchKernel;
let engine: Engine;
beforeEach(async () => {
  const [[was, is]] = Object.entries(WITHOUT_TRIAL) as [[string, string]];
  scratch = await openScratchKernel({
    "slipway/policy.yaml": POLICY.replace(was, is).replace("canary: off", "canary: final"),
    "slipway/gates.yaml": IDLE,
    "test/one.test.js": 'const { test } = require("node:test");\ntest("is one", () => {});\n',
  });
  const { database, objects, clock, ids, inbox } = scratch.records;
  const services = openChangeServices(scratch.kernel, { invoke: () => Promise.reject(new Error("nobody is asked")) });
  engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [program], kernel: services });
  await engine.start("program", null, { runId: RUN });
  await drive();
});
afterEach(async () => {
  await engine.close();
  await scratch.close();
});

const drive = () => engine.drive(RUN, { whenWaiting: "return" });
const question = async () => (await scratch.records.inbox.listOpen())[0]!;
const answer = async (value: unknown) => void (await scratch.records.answer({ id: (await question()).id, value, by: PERSON }));

test("a verdict that proves nothing asks a person, again after another run, and the decision to merge is in the approval", async () => {
  const first = await question();
  expect(first).toMatchObject({
    kind: "verdict_not_proven",
    title: "The verdict of a gate of sums proves nothing",
    body: expect.stringMatching(
      /^The full gate did not turn red although a failing test was planted in it \(test\/\S+\.test\.js\).*proves nothing\.\n.*no step ran it\n.*\| all is well$/s,
    ),
  });
  await answer({ decision: "retry" });
  await drive();
  expect((await question()).id).not.toBe(first.id);
  await answer({ decision: "merge_all_the_same", comment: "there is nothing to test" });
  await drive();
  const approval = await question();
  expect(approval.body).toMatch(
    /Look closely: The full gate did not turn red .*proves nothing\. kim decided to merge all the same: there is nothing to test/,
  );
  await answer({ decision: "approve", token: scratch.sign(approval.context as unknown as ApprovedFacts) });
  expect(await drive()).toMatchObject({ status: "completed", value: { status: "merged" } });
});

test("only the answer of a person to this question waives it", async () => {
  const { features } = scratch.kernel;
  const call = { actor: { type: "orchestrator", id: "o" }, operationId: "waive" } as const;
  await expect(features.waiveCanary(call, { feature_id: "sums", question_id: (await question()).id })).rejects.toMatchObject({
    code: "answer_not_allowed",
  });
});

test("sent back, the reason goes to whoever builds it", async () => {
  await answer({ decision: "build", comment: "let the gate run the tests" });
  await drive();
  expect((await question()).body).toContain("so its verdict proves nothing. let the gate run the tests");
});

test("a person may end the feature", async () => {
  await answer({ decision: "give_up", comment: "not now" });
  await drive();
  expect(await scratch.kernel.features.standing("sums")).toMatchObject({ status: "failed", status_reason: "not now" });
});
