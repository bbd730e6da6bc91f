import { workflow } from "@slipway/durable/ctx";
import { openEngine, type Engine } from "@slipway/durable/engine";
import {
  GATES,
  openScratchKernel,
  PERSON,
  POLICY,
  WITHOUT_TRIAL,
  type ApprovedFacts,
  type ScratchKernel,
} from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, expect, test } from "vitest";
import { deliver, oneChange, type Delivered } from "./deliver.ts";
import { readyFiles } from "./ready-files.ts";
import { openChangeServices, type ChangeServices } from "./services.ts";

const TESTS = { files: [{ path: "src/sum.test.ts", titles: ["adds", "subtracts"] }], command: ["node", "--test", "--out={report}"] };

const program = workflow<null, Delivered, ChangeServices>("program", "1", (ctx, _input, services) =>
  deliver(oneChange(ctx, services, "sums"), {
    ...readyFiles(services.kernel, {
      id: "sums",
      appliedBy: "test",
      summary: "adds sums with their tests",
      acceptance_criteria: ["it adds"],
      areas: ["src"],
      files: async () => ({ "src/sum.test.ts": "the tests\n" }),
      tests: TESTS,
    }),
    spec: { source: "sums.md", text: "sums" },
    whenSentBack: "The files stay as they are.",
    retryLabel: "try again",
    giveUpLabel: "end it",
  }),
);

const RUN = "run";
const report = (...names: string[]) => `<testsuites>${names.map((name) => `<testcase name="${name}"/>`).join("")}</testsuites>\n`;

/** The full gate reports the tests that a file of the repository lists, whatever the change contains. */
const REPORTING = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: ["true"] }]
      full: [{ name: check, cmd: [cp, listed.xml, reports/junit.xml] }]
parsers:
  tests: { type: junit_xml, path: reports/junit.xml, modes: [full] }
`;

let scratch: ScratchKernel;
let engine: Engine;
afterEach(async () => {
  await engine.close();
  await scratch.close();
});

async function start(listed: string, files: Readonly<Record<string, string>> = {}) {
  const [[was, is]] = Object.entries(WITHOUT_TRIAL) as [[string, string]];
  const policy = POLICY.replace(was, is);
  scratch = await openScratchKernel({
    "slipway/policy.yaml": policy,
    "slipway/gates.yaml": REPORTING,
    "listed.xml": listed,
    ...files,
  });
  const { database, objects, clock, ids, inbox } = scratch.records;
  const services = openChangeServices(scratch.kernel, { invoke: () => Promise.reject(new Error("nobody is asked")) });
  engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [program], kernel: services });
  await engine.start("program", null, { runId: RUN });
  return drive();
}

const drive = () => engine.drive(RUN, { whenWaiting: "return" });
const question = async () => (await scratch.records.inbox.listOpen())[0]!;
const answer = async (value: unknown) => void (await scratch.records.answer({ id: (await question()).id, value, by: PERSON }));
const approve = async () => answer({ decision: "approve", token: scratch.sign((await question()).context as unknown as ApprovedFacts) });

function list(...names: string[]): void {
  scratch.write("listed.xml", report(...names));
  scratch.git("commit", "--quiet", "--all", "--message=gate");
}

test("a gate that ran its tests makes the change ready to merge", async () => {
  await start(report("sums > adds", "sums > subtracts", "another"));
  expect((await question()).kind).toBe("approval");
});

test("a gate that passed without them asks a person, who corrects it and tries again", async () => {
  expect((await start(report("another", "adds"))).status).toBe("waiting");
  expect(await question()).toMatchObject({
    kind: "tests_not_run",
    title: "The gates do not run the tests of sums",
    body: expect.stringMatching(/did not run 1 of the 2 tests .*Not run: src\/sum\.test\.ts \(1 of 2\)\.\nnext: .*reports\/junit\.xml/s),
  });
  expect(await scratch.kernel.features.standing("sums")).toMatchObject({ status: "blocked", gates: { full: "fail" } });
  list("adds", "subtracts");
  await answer({ decision: "retry" });
  await drive();
  await approve();
  expect(await drive()).toMatchObject({ status: "completed", value: { status: "merged" } });
});

test("without a report nothing shows that they ran", async () => {
  await start(report("adds", "subtracts"), { "slipway/gates.yaml": GATES });
  expect((await question()).body).toMatch(/writes no test report.*\["node","--test","--out=reports\/junit\.xml"\].*modes: \[full\]/s);
});

test("a person may merge without them, and the approval shows who decided it", async () => {
  await start(report("another"));
  await answer({ decision: "without_tests", comment: "they run at night" });
  await drive();
  expect((await question()).body).toContain(
    "Look closely: its own tests did not run in the gates; kim decided to merge without them: they run at night",
  );
  await approve();
  expect(await drive()).toMatchObject({ status: "completed", value: { status: "merged" } });
});

test("a person may give up", async () => {
  await start(report("another"));
  await answer({ decision: "give_up", comment: "not now" });
  expect(await drive()).toMatchObject({ status: "completed", value: { status: "not_merged", reason: "not now" } });
});

test("an approved change does not merge on a base whose gate no longer runs them", async () => {
  await start(report("adds", "subtracts"));
  await approve();
  list("another");
  await drive();
  expect(await question()).toMatchObject({ kind: "blocked", title: expect.stringContaining("did not run 2 of the 2 tests") });
  expect(scratch.git("log", "-1", "--format=%s", "main").trim()).toBe("gate");
});
