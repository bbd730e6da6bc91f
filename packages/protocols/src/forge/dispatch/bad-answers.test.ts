import type { ProviderRequest } from "@slipway/agents/provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlayedForgeRole } from "../agents.ts";
import { changesOf, usualAnswer } from "../testing/answers.ts";
import { openForgeScene, tasksUpTo, type ForgeScene } from "../testing/forge-scene.ts";
import type { Dispatched } from "./dispatch.ts";
import type { Dispatch } from "./dispatches.ts";

const TASK = { task_id: "task-01", round: 1 } as const;
const REVIEW = { scope: "code", focus: "security", round: 1, risk_level: "🟢", fallback: true } as const;

/** What each role is asked for; all that it builds on is recorded. */
const WORK: { readonly [R in PlayedForgeRole]: (instance: string) => Extract<Dispatch, { readonly role: R }> } = {
  researcher: (instance) => ({ role: "researcher", step: "1", instance, focus: "impact", more: null }),
  spec: (instance) => ({ role: "spec", step: "2", instance, wishes: null }),
  designer: (instance) => ({ role: "designer", step: "3", instance, round: 1 }),
  planner: (instance) => ({ role: "planner", step: "4", instance, constraints: [], feedback: null, failed: [] }),
  implementer: (instance) => ({ role: "implementer", step: "5", instance, ...TASK, mode: "implement", findings: [] }),
  verifier: (instance) => ({ role: "verifier", step: "6", instance, ...TASK, size: "Standard" }),
  "adversarial-reviewer": (instance) => ({ role: "adversarial-reviewer", step: "7", instance, ...REVIEW }),
  "knowledge-agent": (instance) => ({ role: "knowledge-agent", step: "8", instance, confidence: "High" }),
};

interface Said {
  readonly completion: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

const MEGABYTE = 1024 * 1024;
const withPayload = ({ completion, payload }: Said, more: object) => ({ completion, payload: { ...payload, ...more } });

/** An answer that names what there is not, and how it is told. */
const FOREIGN: { readonly [R in PlayedForgeRole]: readonly [(said: Said) => unknown, RegExp] } = {
  researcher: [(said) => withPayload(said, { findings: [{ title: "t", detail: "d", files: ["../secrets"] }] }), /findings\/0\/files\/0/],
  spec: [(said) => withPayload(said, { acceptance_criteria: [{ id: "AC-1", text: "t", requirement: "FR-9" }] }), /FR-9/],
  designer: [(said) => withPayload(said, { decisions: spoiled(said, "decisions", { selected: "alt-9" }) }), /alt-9/],
  planner: [(said) => withPayload(said, { tasks: spoiled(said, "tasks", { depends_on: ["task-99"] }) }), /task-99 is in no wave/],
  implementer: [(said) => withPayload(said, { changes: changesOf(["src/part-02.json"]) }), /src\/part-02\.json is not a file of this task/],
  verifier: [
    ({ completion, payload }) => {
      const report = payload["verification_report"] as object;
      return { completion, payload: { verification_report: { ...report, criteria: [{ id: "AC-9", met: true, evidence: "e" }] } } };
    },
    /AC-9 is not a criterion of this task/,
  ],
  "adversarial-reviewer": [
    (said) => withPayload(said, { checks_cited: [{ task_id: "task-99", check_name: "tests", passed: true }] }),
    /the check tests of task-99 never ran/,
  ],
  "knowledge-agent": [
    (said) => withPayload(said, { instruction_changes: [{ path: "src/part-01.json", text: "t", weakens: false }] }),
    /an instruction file lies below/,
  ],
};

function spoiled({ payload }: Said, list: string, more: object): object[] {
  return (payload[list] as object[]).map((entry) => ({ ...entry, ...more }));
}

interface Kind {
  readonly of: (said: Said, role: PlayedForgeRole) => unknown;
  readonly problem: (role: PlayedForgeRole) => RegExp;
}

const KINDS: Readonly<Record<string, Kind>> = {
  "prose around the document": { of: (said) => `Here it is:\n\n${JSON.stringify(said)}\n\nI hope it helps.`, problem: () => /line \d+/ },
  "a status that does not exist": {
    of: ({ completion, payload }) => ({ completion: { ...completion, status: "FINISHED" }, payload }),
    problem: () => /completion\/status/,
  },
  "no completion block": { of: ({ payload }) => ({ payload }), problem: () => /completion/ },
  "1 MB of words": {
    of: ({ payload }) => `completion: { status: DONE, summary: ${"word ".repeat(MEGABYTE / 5)} }\npayload: ${JSON.stringify(payload)}\n`,
    problem: () => /at most 1048576 are read/,
  },
  "something that there is not": { of: (said, role) => FOREIGN[role][0](said), problem: (role) => FOREIGN[role][1] },
};

const CELLS = (Object.keys(WORK) as PlayedForgeRole[]).flatMap((role) =>
  Object.entries(KINDS).map(([kind, { of, problem }], index) => ({ role, kind, of, problem: problem(role), name: `task-01-${index}` })),
);

let scene: ForgeScene;
let before: { readonly main: string; readonly tree: string };
const ended = new Map<string, Dispatched>();

/** Every answer of `-never` is bad, the first one of `-once`. */
function said(request: ProviderRequest): string | object {
  const { role, attempt, repair } = request;
  const usual = usualAnswer(request, tasksUpTo(1)) as object;
  const cell = CELLS.find((one) => one.role === role && attempt.startsWith(`${one.name}-`));
  if (cell === undefined || (attempt.includes("-once.") && repair > 0)) return usual;
  if (!("files" in usual)) return cell.of(usual as Said, cell.role) as string | object;
  const { output, files } = usual as { readonly output: Said; readonly files: object };
  const bad = cell.of(output, cell.role);
  return typeof bad === "string" ? bad : { output: bad, files };
}

const treeNow = async () => (await scene.scratch.kernel.features.context(scene.feature)).tree;

beforeAll(async () => {
  const roles = Object.fromEntries(Object.keys(WORK).map((role) => [role, said]));
  scene = await openForgeScene({ script: roles, leaveAt: (event) => /^step \S*knowledge-agent:knowledge\.1 begin$/.test(event) });
  expect((await scene.drive()).status).toBe("stopped");
  before = { main: scene.scratch.git("rev-parse", "main"), tree: await treeNow() };
  const dispatches = CELLS.flatMap(({ role, name }) => ["never", "once"].map((how) => WORK[role](`${name}-${how}`)));
  const results = await scene.dispatch(dispatches);
  results.forEach((result, index) => ended.set(`${dispatches[index]?.role} ${dispatches[index]?.instance}`, result));
}, 120_000);
afterAll(() => scene.close());

const asksOf = (role: string, instance: string) =>
  scene.sent.filter((request) => request.role === role && request.attempt === `${instance}.1`);

describe.each(CELLS)("$role: $kind", ({ role, name, problem }) => {
  test("[FOR-053] the agent is told what is wrong, and its corrected answer counts", () => {
    expect(asksOf(role, `${name}-once`).map(({ errors = [] }) => errors.join("\n"))).toEqual(["", expect.stringMatching(problem)]);
    expect(ended.get(`${role} ${name}-once`)).toMatchObject({ ok: true, status: "DONE" });
  });

  test("[FOR-054][FOR-133] after three such answers the dispatch has no output", () => {
    expect(asksOf(role, `${name}-never`)).toHaveLength(3);
    expect(ended.get(`${role} ${name}-never`)).toMatchObject({ ok: false, status: null, reason: expect.stringMatching(problem) });
  });
});

test("[FOR-054] each failed dispatch is recorded as ERROR, and nothing of it is in the change or on the base", async () => {
  const rows = (await scene.telemetry()).filter(({ instance }) => instance?.endsWith("-never"));
  expect(rows.map(({ status }) => status)).toEqual(CELLS.map(() => "ERROR"));
  expect(scene.scratch.git("rev-parse", "main")).toBe(before.main);
  expect(await treeNow()).toBe(before.tree);
});
