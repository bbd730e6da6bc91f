import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { ProviderRequest } from "@slipway/agents/provider";
import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  changesOf,
  completion,
  failedAnswer,
  implementation,
  modeOf,
  numberOf,
  partFile,
  partText,
  planAnswer,
  reviewAnswer,
  sectionOf,
  verifierAnswer,
  type Said,
} from "../testing/answers.ts";
import { forgeScene, openForgeScene, tasksUpTo, type ForgeScene } from "../testing/forge-scene.ts";

const TIMEOUT = { timeout: 60_000 };

/** Asks of a dispatch before its answer is accepted. */
const asksOf = ({ sent }: ForgeScene, attempt: string) => sent.filter((request) => request.attempt === attempt).length;
const errorsOf = ({ sent }: ForgeScene, attempt: string) =>
  sent.findLast((request) => request.attempt === attempt)?.errors?.join("\n") ?? "";

/** In the first dispatch; the second one is as usual. */
const first = (said: Said) => (request: ProviderRequest) => (request.attempt.endsWith(".1") ? said : undefined);
const firstOf = (instance: string, said: Said) => (request: ProviderRequest) => (request.attempt === `${instance}.1` ? said : undefined);

describe("every role with an output that no consumer may see", () => {
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    const research = { completion: completion(), payload: { summary: "x", findings: [{ title: "y", detail: "z" }] } };
    const wrongTask = planAnswer(tasksUpTo(1));
    const { tasks } = wrongTask.payload;
    scene = await openForgeScene({
      script: {
        "researcher/impact": first(`Here is my answer:\n\n${JSON.stringify(research)}\n\nI hope it helps.`),
        spec: first({
          completion: completion(),
          payload: {
            summary: "s",
            requirements: [{ id: "FR-1", text: "t" }],
            acceptance_criteria: [{ id: "AC-1", text: "t", requirement: "FR-1" }],
            pushback: [{ severity: "High", concern: "c" }],
          },
        }),
        designer: first({ payload: { summary: "no completion", decisions: [] } }),
        planner: first({
          ...wrongTask,
          payload: { ...wrongTask.payload, tasks: tasks.map((task) => ({ ...task, depends_on: ["task-99"] })) },
        }),
        implementer: first({ output: { completion: completion(), payload: null }, files: [] }),
        verifier: (request) => {
          if (!request.attempt.endsWith(".1")) return undefined;
          const answer = verifierAnswer(request);
          const { verification_report: report } = answer.payload;
          return { ...answer, payload: { verification_report: { ...report, criteria: [{ id: "AC-9", met: true, evidence: "e" }] } } };
        },
        "adversarial-reviewer": (request) => {
          if (request.attempt === "design-security-r1.1") return reviewAnswer("approve", [{ severity: "Critical", category: "security" }]);
          if (request.attempt === "code-security-r1.1")
            return reviewAnswer("approve", [], { checks_cited: [{ task_id: "task-01", check_name: "end-to-end", passed: true }] });
          return undefined;
        },
        "knowledge-agent": first({ completion: completion(), payload: { summary: "x".repeat(30_000), knowledge_updates: [] } }),
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test.each([
    ["impact", "prose around the document", /./],
    ["spec", "a severity of another scale", /"Blocker", "Critical", "Major", "Minor"/],
    ["r1", "no completion block", /completion/],
    ["plan", "a dependency on an unknown task", /tasks\/task-01\.yaml, depends_on\/0: task-99 is in no wave/],
    ["task-01-w1-i1", "no payload with DONE", /payload.*must be given when the status is DONE/],
    ["design-security-r1", "a verdict that contradicts its finding", /payload\/verdict: approve contradicts the security finding/],
    ["code-security-r1", "a citation of a check that never ran", /the check end-to-end of task-01 never ran/],
    ["knowledge", "a text that is too long", /summary/],
  ])("[FOR-053][FOR-054][FOR-133][FOR-157] %s: %s is returned with its field, then dispatched once more", (instance, _what, problem) => {
    const requests = scene.sent.filter(({ attempt }) => attempt === `${instance}.1`);
    expect(requests.flatMap(({ errors = [] }) => errors).join("\n")).toMatch(problem);
    expect(scene.sent.some(({ attempt }) => attempt === `${instance}.2`)).toBe(true);
    expect(scene.sent.some(({ attempt }) => attempt === `${instance}.3`)).toBe(false);
  });

  test("the run goes on with the second outputs, and nothing of the first ones is in the run folder", () => {
    expect(result.status).toBe("merged");
    expect(scene.file("spec-output.yaml")).not.toContain("High");
    expect(scene.file("plan-output.yaml")).not.toContain("task-99");
    const findings = readdirSync(scene.place("review-findings")).map((name) => scene.file(`review-findings/${name}`));
    expect(findings.join("\n")).not.toContain("Critical");
  });

  test("[FOR-151] the telemetry of a repeated dispatch counts both attempts", async () => {
    const rows = (await scene.telemetry()).filter(({ agent }) => agent === "spec");
    expect(rows.map(({ status, dispatch_count, retry_count }) => ({ status, dispatch_count, retry_count }))).toEqual([
      { status: "DONE", dispatch_count: 2, retry_count: 1 },
    ]);
  });
});

const RUN_FOLDER = ".slipway/runs/2026-11-18_forge";

describe("implementers that write where they may not", () => {
  const outside: Readonly<Record<number, readonly string[]>> = {
    1: ["../escaped.json", "verification-ledger.db"],
    2: [partFile(1), "linked/part-09.json"],
    3: ["SRC/PART-03.json", "SRC/part-09.json"],
    4: ["slipway/policy.yaml"],
    5: ["plan-output.yaml", "verification-ledger.db", "verification-ledger.yaml"].map((name) => `${RUN_FOLDER}/${name}`),
  };
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    scene = await openForgeScene({
      tasks: 5,
      prepare: ({ root, git }) => {
        symlinkSync("src", join(root, "linked"));
        git("add", "linked");
        git("commit", "--quiet", "--message=link");
      },
      script: {
        implementer: ({ attempt, repair }) => {
          const number = numberOf(attempt);
          if (repair > 0 || !attempt.endsWith(".1")) return undefined;
          const stolen = (outside[number] ?? []).map((path) => [path, partText("stolen")]);
          // What is not changed is not named, or the answer would not count at all.
          const changes = changesOf([partFile(number)]);
          return implementation({ [partFile(number)]: partText("first"), ...Object.fromEntries(stolen) }, { changes });
        },
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-014][FOR-132] nothing outside the task is written, on disk or in the change", () => {
    expect(result.status).toBe("merged");
    const { git, root, read } = scene.scratch;
    expect(git("show", "--name-only", "--format=", "main").trim().split("\n")).toEqual([1, 2, 3, 4, 5].map(partFile));
    expect(git("grep", "-l", "-e", "first", "main", "--", "src").trim().split("\n")).toHaveLength(5);
    expect(git("log", "-p", "main")).not.toContain("stolen");
    expect(existsSync(`${root}/../escaped.json`)).toBe(false);
    expect(scene.file("plan-output.yaml")).not.toContain("stolen");
    expect(scene.file("verification-ledger.yaml")).not.toContain("stolen");
    expect(readFileSync(scene.place("verification-ledger.db"), "latin1").slice(0, 15)).toBe("SQLite format 3");
    expect(read("slipway/policy.yaml")).not.toContain("stolen");
  });

  test("[FOR-014] each of these writes is recorded as a refusal of the implementer, with its path and the reason", async () => {
    const events = await scene.refused();
    expect(events.map(({ role }) => role)).toEqual(Array.from({ length: 5 }, () => "forge/implementer"));
    const refusals = events.flatMap((event) => event.refusals);
    const paths = refusals.map(({ path }) => path?.replaceAll(/^\\?"|\\?"$/g, ""));
    expect(paths.toSorted()).toEqual(Object.values(outside).flat().toSorted());
    for (const { tool, reason } of refusals) {
      expect(["write", "edit"]).toContain(tool);
      expect(reason).not.toBe("");
    }
  });
});

describe("implementers whose list of changes is not what they changed", () => {
  const also = (number: number) => `src/more-0${number}.json`;
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    const both = (number: number) => ({ [partFile(number)]: partText("first"), [also(number)]: partText("hidden") });
    scene = await openForgeScene({
      tasks: [1, 2, 3].map((number) => ({ number, also: [also(number)] })),
      script: {
        "implementer/task-01-w1-i1.1": implementation({ [partFile(1)]: partText("first") }, { changes: changesOf([partFile(1), also(1)]) }),
        "implementer/task-02-w1-i1.1": implementation(both(2), { changes: changesOf([partFile(2)]) }),
        "implementer/task-03-w1-i1.1": ({ repair }) =>
          implementation(
            { [partFile(3)]: partText("first") },
            { changes: changesOf(repair === 0 ? [partFile(3), partFile(1)] : [partFile(3)]) },
          ),
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test.each([
    ["names a file that it left alone", "task-01", `payload/changes: ${also(1)} is named and was not changed`],
    ["hides a file that it changed", "task-02", `payload/changes: ${also(2)} was changed and is not named`],
  ])("[FOR-132] one that %s is dispatched once more, with the path", (_what, task, problem) => {
    const attempts = scene.dispatched().filter((name) => name.startsWith(`implementer ${task}`));
    expect(attempts).toEqual([1, 2].map((attempt) => `implementer ${task}-w1-i1.${attempt}`));
    const again = scene.sent.find(({ role, attempt }) => role === "implementer" && attempt === `${task}-w1-i1.2`);
    expect(again === undefined ? "" : sectionOf(again, "your last answer was refused")).toBe(problem);
  });

  test("[FOR-132] one that names a file of another task corrects it in the same dispatch", () => {
    const asks = scene.sent.filter(({ role, attempt }) => role === "implementer" && attempt === "task-03-w1-i1.1");
    expect(asks.map(({ errors = [] }) => errors.join())).toEqual([
      "",
      expect.stringContaining(`changes: ${partFile(1)} is not a file of this task`),
    ]);
    expect(scene.dispatched()).not.toContain("implementer task-03-w1-i1.2");
  });

  test("nothing of a refused answer is applied, and the reports name the files that changed", () => {
    expect(result.status).toBe("merged");
    expect(scene.scratch.git("show", "--name-only", "--format=", "main").trim().split("\n")).toEqual([1, 2, 3].map(partFile));
    for (const number of [1, 2, 3]) {
      const named = [...scene.file(`implementation-reports/task-0${number}.yaml`).matchAll(/path: (\S+)/g)].map(([, path]) => path);
      expect(named).toEqual([partFile(number)]);
    }
  });
});

describe("an implementer in a folder", () => {
  const LEDGERS = ["verification-ledger.db", "verification-ledger.yaml"];
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    scene = await openForgeScene({
      tasks: 2,
      works: "folder",
      script: {
        "implementer/task-01-w1-i1.1": ({ workplace }) => {
          symlinkSync("src", join(workplace?.folder ?? "", "linked"));
          const stolen = [...LEDGERS, "linked/part-09.json", "SRC/part-09.json"].map((path) => [path, partText("stolen")]);
          const files = { [partFile(1)]: partText("first"), ...Object.fromEntries(stolen) };
          return implementation(files, { changes: changesOf([partFile(1)]) });
        },
        "implementer/task-02-w1-i1.1": ({ workplace }) => {
          mkdirSync(join(workplace?.folder ?? "", "src"), { recursive: true });
          symlinkSync("a.txt", join(workplace?.folder ?? "", partFile(2)));
          return implementation({ "src/b.txt": "stolen\n" }, { changes: changesOf([partFile(2)]) });
        },
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-014][FOR-132] changes nothing through a link, in another case, in a ledger of its own, or in a file of no task", () => {
    expect(result.status).toBe("merged");
    expect(scene.scratch.git("show", "--name-only", "--format=", "main").trim().split("\n")).toEqual([1, 2].map(partFile));
    expect(scene.scratch.git("log", "-p", "main")).not.toContain("stolen");
    expect(scene.file("verification-ledger.yaml")).not.toContain("stolen");
  });

  test("[FOR-014] has each of them recorded as a refusal", async () => {
    const refused = (await scene.refused()).map(({ refusals }) => refusals.map(({ path, reason }) => `${path}: ${reason}`).toSorted());
    const readOnly = (path: string) => `${path}: it may be read and not changed`;
    expect(refused.toSorted((left, right) => right.length - left.length)).toEqual([
      ["SRC/", "src/part-09.json", ...LEDGERS].map(readOnly).concat("linked: a symbolic link").toSorted(),
      [readOnly("src/b.txt"), `${partFile(2)}: a symbolic link`],
    ]);
  });

  test("and one whose only change is dropped is dispatched once more", () => {
    expect(scene.dispatched()).toContain("implementer task-02-w1-i1.2");
  });
});

describe("a verifier against the ledger", () => {
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    scene = await openForgeScene({
      tasks: 2,
      script: {
        "implementer/task-01-w1-i1": implementation({ [partFile(1)]: partText("BUG") }),
        "verifier/task-01-w1-i1": (request) =>
          verifierAnswer(request, { status: "DONE", met: true, gate: { failed: 0, passed: 3, gate_status: "passed" } }),
        "verifier/task-02-w1-i1": (request) => verifierAnswer(request, { gate: { passed: 7, total_checks: 9 } }),
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-080][FOR-089] DONE and a passed gate in its report do not pass a task whose check failed", async () => {
    expect((await scene.rows()).filter((row) => row >= 12 && row <= 14)).toEqual([14, 12]);
    expect(scene.dispatched()).toContain("planner replan-w1-i1.1");
    expect(result.status).toBe("merged");
  });

  test("[FOR-080] numbers that differ are recorded, and the ledger's decide", async () => {
    expect((await scene.notes()).join("\n")).toMatch(
      /task-02: the verifier's numbers differ; the ledger decides: [^]*the report says 9, the ledger 3/,
    );
    expect(scene.dispatched().filter((name) => name.startsWith("implementer task-02"))).toHaveLength(1);
  });
});

test(
  "[FOR-065][FOR-083] a verifier that is not DONE sends a task back although each of its checks, its smoke script too, passed",
  TIMEOUT,
  async () => {
    const text = `test -f ${partFile(1)}\ngrep -q part ${partFile(1)}\necho ok\n`;
    const smoke_script = { path: "smoke.sh", text, command: ["sh", "smoke.sh"] };
    const scene = await forgeScene({
      // A test command that says of no test that it ran.
      files: { "check.sh": "! grep -rn BUG src\n" },
      script: {
        implementer: ({ attempt }) => implementation({ [partFile(1)]: partText(attempt) }, { mode: modeOf(attempt), smoke_script }),
        "verifier/task-01-w1-i1": (request) => verifierAnswer(request, { status: "NEEDS_REVISION", met: false }),
      },
    });
    await scene.finish();
    const first = (await scene.checks()).filter(({ phase, round }) => phase === "after" && round === 1);
    expect(first.map(({ check_name, passed }) => `${check_name} ${passed}`)).toContain("smoke 1");
    expect((await scene.rows()).filter((row) => row >= 12 && row <= 14)).toEqual([14, 12]);
  },
);

test("[FOR-132] an implementer that claims changes and made none is dispatched once more, and then ends the run", TIMEOUT, async () => {
  const { output } = implementation({ [partFile(1)]: "" }) as { output: object };
  const scene = await forgeScene({ script: { implementer: { output, files: [] } } });
  const result = await scene.finish();
  expect(result.words?.[0]).toMatch(/^ERROR in step 5/);
  const [row] = (await scene.telemetry()).filter(({ agent }) => agent === "implementer");
  expect(row).toMatchObject({ status: "ERROR", notes: expect.stringContaining(`${partFile(1)} is named and was not changed`) });
  expect(scene.dispatched().filter((name) => name.startsWith("implementer"))).toEqual([
    "implementer task-01-w1-i1.1",
    "implementer task-01-w1-i1.2",
  ]);
});

describe.each([
  ["spec", "spec", "2", "research/impact.yaml"],
  ["designer", "r1", "3", "spec-output.yaml"],
  ["adversarial-reviewer", "design-security-r1", "3b", "design-output.yaml"],
  ["planner", "plan", "4", "review-verdicts/design.yaml"],
  ["implementer", "task-01-w1-i1", "5", "tasks/task-01.yaml"],
  ["verifier", "task-01-w1-i1", "6", "implementation-reports/task-01.yaml"],
])("a %s that always says ERROR", (role, instance, step, kept) => {
  test("[FOR-135][FOR-157] has exactly one retry, then the run ends there with its outputs kept", TIMEOUT, async () => {
    const failed = role === "implementer" ? { output: failedAnswer(), files: [] } : failedAnswer();
    const scene = await forgeScene({ script: { [`${role}/${instance}`]: failed } });
    const base = scene.scratch.git("rev-parse", "main");
    const result = await scene.finish();
    expect(result).toMatchObject({ status: "failed", landing: null });
    expect(result.words?.[0]).toMatch(new RegExp(`^ERROR in step ${step}: `));
    expect(scene.dispatched().filter((name) => name.startsWith(`${role} ${instance}`))).toEqual([
      `${role} ${instance}.1`,
      `${role} ${instance}.2`,
    ]);
    expect(scene.has(kept)).toBe(true);
    expect(scene.scratch.git("rev-parse", "main")).toBe(base);
    expect((await scene.rows()).at(-1)).toBe(21);
  });
});

test(
  "[FOR-030][FOR-042][FOR-136] two researchers and the knowledge agent that always fail are tolerated: warnings, and confidence Medium",
  TIMEOUT,
  async () => {
    const scene = await forgeScene({
      script: { "researcher/impact": failedAnswer(), "researcher/patterns": failedAnswer(), "knowledge-agent": failedAnswer() },
    });
    const result = await scene.finish();
    expect(result.status).toBe("merged");
    expect(result.words).toContain("confidence: Medium");
    const names = scene.dispatched();
    for (const name of ["researcher impact", "researcher patterns", "knowledge-agent knowledge"]) {
      expect(names.filter((one) => one.startsWith(name))).toEqual([`${name}.1`, `${name}.2`]);
    }
    const bundle = scene.file("evidence-bundle.md");
    expect(bundle).toContain("the quality of the research is reduced");
    expect(bundle).toContain("the run goes on without its output");
  },
);

test("[FOR-030] with one researcher left the run ends for insufficient research", TIMEOUT, async () => {
  const scene = await forgeScene({ script: { researcher: ({ attempt }) => (attempt.startsWith("impact") ? undefined : failedAnswer()) } });
  const result = await scene.finish();
  expect(result.words?.[0]).toMatch(/^ERROR in step 1: insufficient research/);
  expect(scene.dispatched()).toHaveLength(7);
  expect(scene.has("research/impact.yaml")).toBe(true);
});

const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

test("[FOR-130] a token in an output or in a patch is refused, and is in no file of the run", TIMEOUT, async () => {
  const spec = (text: string) => ({
    completion: completion(),
    payload: {
      summary: text,
      requirements: [{ id: "FR-1", text: "t" }],
      acceptance_criteria: [{ id: "AC-1", text: "t", requirement: "FR-1" }],
    },
  });
  const scene = await forgeScene({
    script: {
      spec: ({ repair }) => (repair === 0 ? spec(`Use ${TOKEN}.`) : undefined),
      implementer: firstOf("task-01-w1-i1", implementation({ [partFile(1)]: partText(TOKEN) })),
    },
  });
  const result = await scene.finish();
  expect(result.status).toBe("merged");
  expect(asksOf(scene, "spec.1")).toBe(2);
  expect(errorsOf(scene, "spec.1")).toContain("contains a key or token");
  expect(scene.dispatched()).toContain("implementer task-01-w1-i1.2");
  expect(scene.file("spec-output.yaml")).not.toContain(TOKEN);
  expect(scene.scratch.git("log", "-p", "--all")).not.toContain(TOKEN);
  expect(readFileSync(scene.place("verification-ledger.yaml"), "utf8")).not.toContain(TOKEN);
});
