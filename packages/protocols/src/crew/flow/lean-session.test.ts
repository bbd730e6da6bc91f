import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FeatureResult } from "../../change/feature-run.ts";
import { parseStatus } from "../session/status.ts";
import { viewCrew } from "../view.ts";
import { leanIntake, OWN, qa, RUN } from "./testing/artifacts.ts";
import { openBench, type Answer, type CrewBench } from "./testing/bench.ts";
import { builds, reviews } from "./testing/team.ts";

let bench: CrewBench;
let result: FeatureResult;
/** status.json and tasks.yaml on disk when a role was called. */
const atCall = new Map<string, { readonly state: string; readonly tasks: string }>();
const OTHER = ".slipway/runs/2026-11-17_other-session/status.json";

const watched =
  (name: string, answer: Answer): Answer =>
  (request, turn) => {
    const read = parseStatus(bench.file("status.json"));
    atCall.set(name, { state: read.ok ? read.value.current_state : "invalid", tasks: bench.file("tasks.yaml") });
    return answer(request, turn);
  };

beforeAll(async () => {
  bench = await openBench(
    {
      "spec-agent": [leanIntake()],
      coder: [watched("coder", builds())],
      reviewer: [watched("reviewer", reviews)],
      qa: [watched("qa", () => qa())],
    },
    {},
    { mode: "lean", files: { ".github/copilot-instructions.md": "Be short.\n" } },
  );
  bench.scratch.write(OTHER, "earlier\n");
  result = await bench.result();
});
afterAll(() => bench.close());

describe("a lean session", () => {
  test("[CRW-082][CRW-090] goes from the request to the merge, with Coder, Reviewer and QA on its task", () => {
    expect(result.status).toBe("merged");
    expect(bench.states()).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
    expect(bench.roles()).toEqual(["SpecAgent meta", "Coder T-001", "Reviewer T-001", "QA T-001"]);
    expect(bench.scratch.git("show", "main:src/a.txt")).toBe("two\n");
    expect(bench.status()).toMatchObject({ mode: "lean", current_state: "DONE", user_decisions: [], last_ci_result: "green" });
  });

  test("[CRW-025][CRW-026] has its folder with the files of a lean session", async () => {
    expect(bench.status().session).toBe(RUN);
    const names = ["spec.md", "acceptance.json", "tasks.yaml", "status.json", "report.md", "run-log.jsonl"];
    for (const name of names) expect(bench.file(name)).not.toBe("");
    expect(() => bench.file("architecture.md")).toThrow("ENOENT");
  });

  test("[CRW-045] the files on disk name the state and the tasks before each call", () => {
    expect(atCall.get("coder")).toMatchObject({ state: "IMPLEMENT_LOOP", tasks: expect.stringContaining("status: not-started") });
    expect(atCall.get("reviewer")).toMatchObject({ state: "IMPLEMENT_LOOP", tasks: expect.stringContaining("status: implemented") });
    expect(bench.file("tasks.yaml")).toContain("status: completed");
  });

  test("[CRW-098] the report is written from the records", () => {
    expect(bench.file("report.md")).toContain("src/a.txt: says two");
    expect(bench.file("report.md")).toContain("## Known issues\n\nNone.");
  });

  test("[CRW-002] the final text names the artifacts and the commands", () => {
    expect(result.words?.join("\n")).toContain(`The session ${RUN} is done.`);
    expect(result.words).toContain(`- ${OWN}report.md`);
    expect(result.words).toContain("- grep -q two src/a.txt");
  });

  test("[CRW-009][CRW-011][CRW-012] a Reviewer gets every changed file of the session, and the branch from git", () => {
    const { prompt } = bench.last("reviewer");
    expect(prompt).toContain('"branch": "main"');
    const changed = /"session_changed_files": (\[[^\]]*\])/.exec(prompt)?.[1] ?? "";
    expect(JSON.parse(changed)).toEqual([
      { path: "src/a.txt", change_type: "modified" },
      { path: "test/a.test.sh", change_type: "added" },
    ]);
    expect(bench.last("coder").prompt).not.toContain("session_changed_files");
  });

  test("[CRW-037][CRW-115] the log has the digests of all that a role got in full", () => {
    const digest = (text: string) => createHash("sha256").update(text).digest("hex");
    const record = bench.log().find(({ dispatch }) => dispatch[0]?.agent === "Reviewer");
    expect(record?.context).toMatchObject({ [`${OWN}spec.md`]: digest(bench.file("spec.md")), "src/a.txt": digest("two\n") });
    expect(bench.last("reviewer").prompt).toContain("two\n");
  });

  test("[CRW-104] the project's instructions are found once and named in every prompt", () => {
    expect(bench.status().runtime_flags).toMatchObject({ copilot_instructions_exists: true });
    for (const { prompt } of bench.sent) expect(prompt).toContain("Read .github/copilot-instructions.md");
  });

  test("[CRW-102] every prompt has the same sections in the same order", () => {
    const heads = bench.sent.map(({ prompt }) =>
      [...prompt.matchAll(/^# (Agent|Contract|Project instructions|Session|Input|First steps)$/gm)].map(([, head]) => head),
    );
    expect(new Set(heads.map((head) => head.join()))).toEqual(new Set(["Agent,Contract,Project instructions,Session,Input,First steps"]));
  });

  test("[CRW-106] each step is one record with at most one dispatch", () => {
    expect(bench.log().every(({ dispatch, why }) => dispatch.length <= 1 && why !== "")).toBe(true);
    expect(bench.log().find(({ dispatch }) => dispatch[0]?.agent === "Coder")?.dispatch).toEqual([
      { agent: "Coder", task: "T-001", project_type: "lib" },
    ]);
  });

  test("[CRW-027] another session is as it was", () => {
    expect(bench.scratch.read(OTHER)).toBe("earlier\n");
  });

  test("[CRW-049] its view shows the state of the session, and the tasks as tasks.yaml has them", async () => {
    const reader = { records: bench.scratch.records } as Parameters<typeof viewCrew>[0];
    const nodes = await viewCrew(reader, { runId: RUN, id: "change-letters" });
    expect(nodes.map(({ title, status }) => [title, status])).toEqual([
      ["DONE", "done"],
      ["T-001 Letters say two.", "completed"],
    ]);
  });
});
