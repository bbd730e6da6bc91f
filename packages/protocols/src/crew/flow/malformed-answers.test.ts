import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderRequest } from "@slipway/agents/provider";
import type { Ctx, Question, Workflow } from "@slipway/durable/ctx";
import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChangeServices } from "../../change/services.ts";
import { openDispatcher } from "../../dispatch/dispatcher.ts";
import { protocolRole } from "../../dispatch/roles.ts";
import type { DispatchedRole } from "../agents.ts";
import { DISPATCHED_ROLES } from "../contract/names.ts";
import { sampleOutput } from "../contract/testing/samples.ts";
import { openCrewRun } from "../crew-run.ts";
import type { Attempted } from "../dispatch/order.ts";
import { emptyStatus } from "../session/first-status.ts";
import { parseStatus } from "../session/status.ts";
import { parseTasks } from "../session/tasks.ts";
import type { CrewState } from "../states/states.ts";
import { block } from "./block.ts";
import { openCrewSession, type CrewSession } from "./crew-session.ts";
import { dispatchRole } from "./dispatch-role.ts";
import { orderFor } from "./orders.ts";
import { Blocked } from "./stops.ts";
import { ACCEPTANCE, ARCHITECTURE, fullIntake, OWN, plan, planTask, qa, reviewer, RUN, security } from "./testing/artifacts.ts";
import { answered } from "./testing/memory-session.ts";

interface Said {
  readonly text: (request: ProviderRequest) => string;
}

/** What a model says instead of an answer, and what is told of it. */
interface Malformed extends Said {
  readonly what: string;
  readonly told: RegExp;
}

const MEGABYTE = 1024 * 1024;
const FORMS: readonly Malformed[] = [
  { what: "prose", text: () => "I have done it. All tests pass.", told: /JSON/ },
  { what: "prose around JSON", text: (request) => `Here it is:\n\`\`\`json\n${said(request)}\n\`\`\`\nAnything else?`, told: /JSON/ },
  { what: "an unknown status", text: (request) => said(request, { status: "DONE" }), told: /status/ },
  { what: "no gates", text: (request) => said(request, { gates: undefined }), told: /gates/ },
  { what: "a megabyte", text: (request) => said(request, { summary: "Done. ".repeat(MEGABYTE / 6) }), told: /has more than 3 sentences/ },
  {
    what: "a task id of another form",
    text: (request) => said(request, { next: { recommended_agent: "QA", recommended_task_id: "task-1", reason: "next" } }),
    told: /recommended_task_id/,
  },
];

/** An answer of the form that the request asks for, but for the changes. */
function said({ schema }: ProviderRequest, changes: object = {}): string {
  const output = sampleOutput({}, changes);
  return JSON.stringify("files" in ((schema["properties"] ?? {}) as object) ? { output, files: [] } : output);
}

const STATES: Partial<Record<DispatchedRole, CrewState>> = {
  SpecAgent: "INTAKE",
  Researcher: "DESIGN",
  Architect: "DESIGN",
  Designer: "DESIGN",
  Planner: "PLAN",
  Integrator: "INTEGRATE",
  Docs: "RELEASE",
};

let scratch: ScratchKernel;
let session: CrewSession;
/** What the model says, in order. */
let script: Said[] = [];
const sent: ProviderRequest[] = [];
const attempts: Attempted[] = [];
const questions: { readonly question: Question<unknown>; readonly status: ReturnType<typeof statusNow> }[] = [];

function statusNow() {
  const text = readFileSync(join(scratch.root, OWN, "status.json"), "utf8");
  const read = parseStatus(text);
  if (!read.ok) throw new Error(read.problems.join("; "));
  return { ...read.value, bytes: text.length };
}

beforeAll(async () => {
  scratch = await openScratchKernel();
  const { kernel, records } = scratch;
  const provider = {
    name: "scripted",
    works: "prompt" as const,
    invoke: async (request: ProviderRequest) => {
      sent.push(request);
      const next = script.shift();
      if (next === undefined) throw new Error("called more often than the bound");
      return { text: next.text(request), usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: null };
    },
  };
  const dispatcher = openDispatcher({
    protocol: () => "crew",
    kernel,
    role: (name, protocol) => protocolRole(protocol, name, async () => null),
    provider: async () => ({ model: null, provider }),
    onWarning: () => undefined,
  });
  const services = openChangeServices(kernel, dispatcher);
  const ctxOf = (runId: string): Ctx =>
    ({
      runId,
      step: (_name: string, work: (signal: AbortSignal) => Promise<unknown>) => work(new AbortController().signal),
      async child<I, O>(name: string, { run }: Workflow<I, O, unknown>, input: I) {
        const attempted = await run(ctxOf(`${runId}/${name}`), input, services);
        attempts.push(attempted as Attempted);
        return attempted;
      },
      async ask(_name: string, question: Question<unknown>) {
        questions.push({ question, status: statusNow() });
        return { decision: "resume" };
      },
    }) as unknown as Ctx;
  const feature = { feature_id: "change-letters", spec_source: "request", run_id: RUN, order: ["change-letters"], alone: true as const };
  const spec_digest = await records.objects.put(Buffer.from("Letters say two."));
  const call = { actor: { type: "orchestrator", id: "o" } as const, operationId: "init" };
  await kernel.features.init(call, { feature_id: "change-letters", run_id: RUN, spec_source: "request", spec_digest });
  const run = openCrewRun(ctxOf(RUN), services, { feature: { ...feature, spec_digest }, project_type: "lib" });
  session = openCrewSession(run, { mode: "full", project_type: "lib" }, "Letters say two.");
  const tasks = parseTasks(plan(planTask("T-001")).files[0]?.content ?? "", "full");
  if (!tasks.ok) throw new Error(tasks.problems.join("; "));
  await session.save({
    why: "everything that a role gets",
    edited: {
      ...emptyStatus({ session: RUN, mode: "full", at: "2026-11-18T10:00:00Z" }),
      user_decisions: [
        answered("approved", { decision_id: "UD-APPROVE-DESIGN", state_context: "APPROVE_DESIGN" }),
        answered("per-batch", { decision_id: "UD-REVIEW-STRATEGY", state_context: "REVIEW_STRATEGY" }),
      ],
    },
    tasks: tasks.value,
    texts: { "spec.md": fullIntake().files[0]?.content ?? "", "acceptance.json": ACCEPTANCE, "architecture.md": ARCHITECTURE },
    dispatch: [],
  });
});
afterAll(() => scratch.close());

/** One dispatch whose model says this, in order. */
function dispatch(role: DispatchedRole, answers: readonly Said[]) {
  script = [...answers];
  sent.length = attempts.length = questions.length = 0;
  const state = STATES[role] ?? "IMPLEMENT_LOOP";
  const taskId = state === "IMPLEMENT_LOOP" ? "T-001" : "meta";
  const more = role === "Researcher" ? { researchQuestion: "Which letters?" } : {};
  return dispatchRole(session, orderFor(session, role, taskId, { state, ...more }), "work");
}

test.each(DISPATCHED_ROLES)(
  "[CRW-001][CRW-021] three malformed answers of %s, whatever their form, end in BLOCKED, and status.json says what happened",
  async (role) => {
    for (const answers of [FORMS.slice(0, 3), FORMS.slice(3)]) {
      const cause = await dispatch(role, answers).catch((error: unknown) => error);
      if (!(cause instanceof Blocked)) throw cause;
      await block(session, cause);
      const [asked] = questions;
      expect(new Set(sent.map(({ prompt }) => prompt)).size).toBe(1);
      expect(attempts).toHaveLength(answers.length);
      for (const [index, { what, told }] of answers.entries())
        expect(attempts[index], what).toMatchObject({ kind: "failed", transient: false, error: expect.stringMatching(told) });
      const last = answers.at(-1);
      const happened = expect.stringMatching(
        new RegExp(`^subagent_failure: ${role} failed 3 times; last: agent_output_invalid: .*${last?.told.source}`),
      );
      expect(asked?.status).toMatchObject({ current_state: "BLOCKED", blocker: "subagent_failure", known_issues: [happened] });
      expect(asked?.status.bytes).toBeLessThan(16 * 1024);
      expect(asked?.question).toMatchObject({ kind: "crew_blocked", body: expect.stringContaining(`${role} failed 3 times`) });
      expect(statusNow()).toMatchObject({ current_state: "INTAKE", known_issues: [], retry_counts: {} });
    }
  },
);

const UNDONE = { meets_definition_of_done: false, needs_review: false, needs_tests: false, security_concerns: [] };
const notes = ["missing: the letters", "workaround: none"];
const STUCK = { status: "BLOCKED", summary: "The letters are not there.", gates: UNDONE };
/** Of most roles the shortest valid answer is that the work cannot be done. */
const CANNOT = (request: ProviderRequest) => said(request, { ...STUCK, artifacts: { notes } });
const VALID: Partial<Record<DispatchedRole, Said["text"]>> = {
  Reviewer: ({ prompt }) => JSON.stringify(reviewer(prompt).output),
  QA: (request) => said(request, { ...qa().output, ...STUCK }),
  Security: () => JSON.stringify(security().output),
};

test.each(DISPATCHED_ROLES)("[CRW-021] a third answer of %s that is valid counts, and the two before it cost no repair", async (role) => {
  const done = await dispatch(role, [...FORMS.slice(0, 2), { text: VALID[role] ?? CANNOT }]);
  expect(attempts.map(({ kind }) => kind)).toEqual(["failed", "failed", "answered"]);
  expect(attempts.at(-1)).toMatchObject({ answer: { output: done.output } });
  expect(statusNow()).toMatchObject({ current_state: "INTAKE", retry_counts: {} });
});
