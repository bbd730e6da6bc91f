import { mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import { afterEach, describe, expect, test } from "vitest";
import { coder, file, leanIntake, LETTERS_TWO, own, OWN, qa, reviewer, RUN, said } from "./testing/artifacts.ts";
import { openBench, shown, type CrewBench, type Models, type People, type Reply } from "./testing/bench.ts";
import { builds, reviews } from "./testing/team.ts";

let bench: CrewBench;
afterEach(() => bench.close());

const LEAN: Models = { "spec-agent": [leanIntake()], coder: [builds()], reviewer: [reviews], qa: [qa()] };
const lean = async (models: Models, people: People = {}) => {
  bench = await openBench({ ...LEAN, ...models }, people, { mode: "lean" });
  return bench;
};
const changedBy = (artifacts: object, files = LETTERS_TWO) => builds(files, artifacts);
const touched = () => bench.scratch.git("status", "--porcelain", "src", "test");

describe("an answer that is not valid", () => {
  test("[CRW-001][CRW-021] is asked for again with identical input, and two in a row cost no repair", async () => {
    const fenced = ({ prompt }: { readonly prompt: string }) => `\`\`\`json\n${JSON.stringify(reviewer(prompt).output)}\n\`\`\``;
    const prose = ({ prompt }: { readonly prompt: string }) => `Here it is: ${JSON.stringify(reviewer(prompt).output)}`;
    await lean({ reviewer: [fenced, prose, reviews] });
    expect((await bench.result()).status).toBe("merged");
    const [first, ...others] = bench.sent.filter(({ role }) => role === "reviewer").map(({ prompt }) => prompt);
    expect(others).toEqual([first, first]);
    expect(bench.status().retry_counts).toEqual({});
    expect(bench.roles().filter((role) => role === "Reviewer T-001")).toHaveLength(1);
  });

  test("[CRW-021][CRW-022][CRW-002] three times blocks the session, with nothing of it in the repository, until a person resumes", async () => {
    const lies: Reply = said({ files_changed: ["src/b.txt"] }, [file("src/a.txt", "two\n")]);
    await lean({ coder: [lies, lies, lies, builds()] });
    await bench.run();
    expect(bench.status()).toMatchObject({ current_state: "BLOCKED", blocker: "subagent_failure" });
    const body = bench.asked.at(-1)?.body ?? "";
    expect(body).toContain("Coder failed 3 times; last:");
    expect(body).toContain("src/a.txt was changed and is not declared; src/b.txt is declared and was not changed");
    expect(body).toContain("What you can do:");
    expect(body).toContain("slipway resume");
    const { features } = bench.scratch.kernel;
    expect(await features.changedFiles("change-letters")).toEqual([]);
    expect(bench.log().at(-1)).toMatchObject({ state: "IMPLEMENT_LOOP", blockers: ["subagent_failure"] });
    await bench.answer("crew_blocked", { decision: "resume", comment: "Try the other model." });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.last("coder").prompt).toContain("The user says: Try the other model.");
    expect(bench.states()).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "BLOCKED", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
  });

  test.each<[string, (request: Parameters<ReturnType<typeof builds>>[0]) => Reply, string]>([
    [
      "[CRW-020] that hides a change",
      changedBy({ files_changed: ["src/a.txt"], tests_added_or_updated: [] }),
      "test/a.test.sh was changed and is not declared",
    ],
    [
      "[CRW-047] that sets its task to completed",
      (request) => coder(shown(request, `${OWN}tasks.yaml`).replace("status: not-started", "status: completed"), "T-009", LETTERS_TWO),
      "T-001 is not-started",
    ],
    [
      "[CRW-111] that adds a secret",
      builds([file("src/a.txt", "two\nghp_0123456789abcdefghijABCDEFGHIJ012345\n"), file("test/a.test.sh", "x\n")]),
      "a secret was added in src/a.txt",
    ],
  ])("%s", async (_what, wrong, problem) => {
    await lean({ coder: [wrong] });
    await bench.run();
    expect(bench.asked.at(-1)?.body).toContain(problem);
    expect(bench.roles()).toEqual(["SpecAgent meta"]);
    expect(touched()).toBe("");
  });
});

describe("a call that fails", () => {
  test("[CRW-021] is one attempt of three, like an invalid answer", async () => {
    const error = new SlipwayError("agent_failed", "The model is not there.", { retryable: true, suggested_next_actions: ["Wait."] });
    await lean({ reviewer: [error, "no json", error] });
    await bench.run();
    expect(bench.sent.filter(({ role }) => role === "reviewer")).toHaveLength(3);
    expect(bench.asked.at(-1)?.body).toContain("Reviewer failed 3 times; last: agent_failed: The model is not there.");
  });
});

describe("QA", () => {
  test("[CRW-116][CRW-022] with numbers that are not those of the run is refused, and its tests are taken back", async () => {
    const added = { files_changed: ["test/q.test.sh"], tests_added_or_updated: ["test/q.test.sh"] };
    const lies = qa({ passed: 7 }, added, {}, [file("test/q.test.sh", "true\n")]);
    await lean({ qa: [lies] });
    await bench.run();
    expect(bench.asked.at(-1)?.body).toContain("/artifacts/test_results/passed: 7, but the tests gave 1");
    const changed = await bench.scratch.kernel.features.changedFiles("change-letters");
    expect(changed.map(({ path }) => path)).toEqual(["src/a.txt", "test/a.test.sh"]);
  });

  test("[CRW-080] may not change production code: the change is dropped and told", async () => {
    const reaches = qa({}, { files_changed: [] }, {}, [file("src/a.txt", "three\n")]);
    await lean({ qa: [reaches] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.scratch.git("show", "main:src/a.txt")).toBe("two\n");
    const refused = (await bench.events()).filter(({ name }) => name === "agent.refused").map(({ payload }) => payload);
    expect(refused.join()).toContain("src/a.txt");
  });
});

describe("an edit of what only the harness writes", () => {
  test("[CRW-043] of status.json is discarded and recorded, and what agents may add is kept", async () => {
    const edits = (request: Parameters<ReturnType<typeof builds>>[0]) => {
      const status = { ...bench.status(), current_state: "DONE", assumptions: ["Two is enough."], last_ci_result: "green" };
      const made = builds()(request);
      return { ...made, files: [...made.files, own("status.json", JSON.stringify(status))] };
    };
    await lean({ coder: [edits] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.status().assumptions).toEqual(["Two is enough."]);
    const events = (await bench.events()).filter(({ name }) => name === "agent.refused").map(({ payload }) => payload);
    expect(events.join()).toContain("Coder changed current_state in status.json");
    expect(bench.states()).toContain("INTEGRATE");
  });
});

describe("a write outside the grant", () => {
  const refusedBy = async () => {
    const events = (await bench.events()).filter(({ name }) => name === "agent.refused");
    return events.map(({ payload }) => (JSON.parse(payload) as { event: { role: string; refusals: object[] } }).event);
  };

  test("[CRW-081][CRW-043] of the session's other files, or under another spelling of one that may be written, is dropped and recorded", async () => {
    const reaches = (request: Parameters<ReturnType<typeof builds>>[0]) => {
      const made = coder(shown(request, `${OWN}tasks.yaml`).replace("goal: Letters say two.", "goal: Nothing."), "T-001", LETTERS_TWO);
      const names = ["run-log.jsonl", "approve-design-history.jsonl", "STATUS.json", "Tasks.yaml"];
      const files = [...names.map((name) => own(name, "{}\n")), file(`.slipway/RUNS/${RUN}/tasks.yaml`, "tasks: []\n")];
      return { ...made, files: [...made.files, ...files] };
    };
    await lean({ coder: [reaches] });
    expect((await bench.result()).status).toBe("merged");
    const dropped = (path: string) => ({ tool: "write", path, reason: "it may be read and not changed" });
    const names = [`${OWN}STATUS.json`, `${OWN}Tasks.yaml`, `${OWN}approve-design-history.jsonl`, `${OWN}run-log.jsonl`];
    expect(await refusedBy()).toEqual([
      { role: "crew/coder", subject: "change-letters", count: 5, refusals: [`.slipway/RUNS/${RUN}/tasks.yaml`, ...names].map(dropped) },
      {
        role: "crew/coder",
        subject: "change-letters",
        count: 1,
        refusals: [
          {
            tool: "edit",
            path: `${OWN}tasks.yaml`,
            reason: "Coder changed more than the status of T-001 in tasks.yaml; that is discarded.",
          },
        ],
      },
    ]);
    expect(bench.file("tasks.yaml")).toContain("goal: Letters say two.");
    expect(bench.roles()).toEqual(["SpecAgent meta", "Coder T-001", "Reviewer T-001", "QA T-001"]);
    expect(readdirSync(join(bench.scratch.root, OWN)).toSorted()).toEqual(
      ["acceptance.json", "report.md", "run-log.jsonl", "spec.md", "status.json", "tasks.yaml"].toSorted(),
    );
  });

  test("[CRW-080][CRW-021] of the repository, through a link or under another spelling, is refused by name, and nothing of it is there", async () => {
    const told: Readonly<Record<string, string>> = {
      "out/new.txt": "out/new.txt is declared and was not changed",
      "alias.txt": "alias.txt is declared and was not changed",
      "SRC/a.txt": '"SRC/a.txt" (twin)',
      [`.Slipway/runs/${RUN}/status.json`]: `the path ".Slipway/runs/${RUN}/status.json" is another spelling of .slipway`,
      "Slipway/policy.yaml": `the path "Slipway/policy.yaml" is in Slipway's own folder`,
    };
    const paths = Object.keys(told);
    const reaches = (request: Parameters<ReturnType<typeof builds>>[0], turn: number) => {
      const path = paths[Math.floor(turn / 3)];
      return builds(path === undefined ? LETTERS_TWO : [...LETTERS_TWO, file(path, "three\n")])(request);
    };
    await lean({ coder: [reaches] }, { crew_blocked: paths.map(() => ({ decision: "resume" })) });
    const { root, git } = bench.scratch;
    const outside = mkdtempSync(join(tmpdir(), "slipway-crew-outside-"));
    symlinkSync(outside, join(root, "out"));
    symlinkSync("src/b.txt", join(root, "alias.txt"));
    git("add", "out", "alias.txt");
    git("commit", "--quiet", "--message", "links");
    const before = git("ls-tree", "-r", "main").split("\n");
    expect((await bench.result()).status).toBe("merged");
    expect(bench.asked.map(({ body }) => body)).toEqual(Object.values(told).map((reason) => expect.stringContaining(reason)));
    const stops = bench.log().filter(({ blockers }) => blockers.includes("subagent_failure"));
    expect(stops.map(({ why }) => why)).toEqual(Object.values(told).map((reason) => expect.stringContaining(reason)));
    const links = paths.slice(0, 2).map((path) => ({ tool: "write", path, reason: "a symbolic link is in its place" }));
    const spellings = Object.values(told)
      .slice(3)
      .map((reason) => ({ tool: "write", path: null, reason: expect.stringContaining(JSON.stringify(reason).slice(1, -1)) }));
    expect((await refusedBy()).flatMap(({ refusals }) => refusals)).toEqual(expect.arrayContaining([...links, ...spellings]));
    const changed = git("ls-tree", "-r", "main")
      .split("\n")
      .filter((line) => !before.includes(line));
    expect(changed.map((line) => line.split("\t")[1])).toEqual(["src/a.txt", "test/a.test.sh"]);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe("the first dispatch", () => {
  test("[CRW-042] that fails for good leaves a status.json which shows BLOCKED", async () => {
    await lean({ "spec-agent": ["no json"] });
    await bench.run();
    expect(bench.status()).toMatchObject({ current_state: "BLOCKED", mode: "lean", blocker: "subagent_failure" });
    expect(() => bench.file("spec.md")).toThrow("ENOENT");
  });
});

describe("an agent that says it cannot", () => {
  test("[CRW-023][CRW-050] blocks the session and its task; resumed, Coder gets the task again", async () => {
    const stuck = said({ notes: ["missing: the letter file", "workaround: add it"] }, [], {
      status: "BLOCKED",
      summary: "The letter file is missing.",
    });
    await lean({ coder: [stuck, builds()] }, { crew_blocked: [{ decision: "resume" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.asked[0]?.body).toContain("agent_blocked: Coder, T-001: The letter file is missing.");
    expect(bench.last("coder").prompt).toMatch(/id: T-001\n\s+status: blocked/);
    expect(bench.file("tasks.yaml")).toContain("status: completed");
  });
});
