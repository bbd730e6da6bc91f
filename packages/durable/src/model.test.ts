import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { workflow, type Ctx } from "./ctx.ts";
import { isFinished, RUN_TRANSITIONS, type RunStatus } from "./status.ts";
import { openPlace, type Place, type Process } from "./testing/process.ts";

/**
 * One run with a step, a question, a child with its own steps and question, and a parallel step, under any mixture of driving,
 * crashing (in a body or right after a commit), answering, stopping and cancelling. After every command all chains verify, no
 * recorded step has run again, and every change of status is in the table.
 */
const RUN = "run";
const CHILD = "run/child";
const RUNS = Number(process.env["SLIPWAY_MODEL_RUNS"] ?? 60);

interface Model {
  readonly answers: { [RUN]: unknown[]; [CHILD]: unknown[] };
  cancelled: boolean;
}

interface Real {
  readonly place: Place;
  process: Process;
  /** Starts of bodies and commits of results, in order. */
  readonly history: string[];
  crashAt: { readonly where: "body" | "event"; left: number } | null;
  crashed: PromiseWithResolvers<"crashed">;
  lastStatus: RunStatus;
}

const question = { kind: "approval", title: "?", schema: z.enum(["yes", "no"]) };

async function reopen(real: Pick<Real, "place">, state: () => Real): Promise<Process> {
  const process: Process = await real.place.open({
    kernel: undefined,
    maxCrashes: 1000,
    workflows: [workflow("flow", "1", (ctx) => flow(ctx, () => hit(process, "body")))],
    observe: (event) => {
      if (event.kind === "step") state().history.push(`recorded ${event.stream}:${event.name}`);
      hit(process, "event");
    },
  });
  function hit(process: Process, where: "body" | "event"): boolean {
    const { crashAt } = state();
    if (state().process !== process || crashAt?.where !== where || --crashAt.left > 0) return false;
    state().crashAt = null;
    process.crash();
    state().crashed.resolve("crashed");
    return true;
  }
  async function flow(ctx: Ctx, crashes: () => boolean): Promise<unknown> {
    const body = (id: string) => () => {
      if (process.isDead()) return new Promise<never>(() => undefined);
      state().history.push(`ran ${id}`);
      return crashes() ? new Promise<never>(() => undefined) : Promise.resolve(id);
    };
    const child = workflow<null, unknown, undefined>("child", "1", async (inner) => {
      await inner.step("c1", body(`${CHILD}:c1`));
      const answer = await inner.ask("q", question);
      await inner.step("c2", body(`${CHILD}:c2`));
      return answer;
    });
    await ctx.step("a", body(`${RUN}:a`));
    const first = await ctx.ask("q", question);
    const [second] = await ctx.all<unknown>([() => ctx.child("child", child, null), () => ctx.step("b", body(`${RUN}:b`))]);
    return [first, second];
  }
  return process;
}

const valid = (answers: readonly unknown[]) => answers.find((answer) => answer === "yes" || answer === "no");

function predicted(model: Model): unknown {
  if (model.cancelled) return { status: "cancelled", reason: "model" };
  const [first, second] = [valid(model.answers[RUN]), valid(model.answers[CHILD])];
  if (first === undefined) return { status: "waiting", questions: [{ runId: RUN, name: "q" }] };
  if (second === undefined) return { status: "waiting", questions: [{ runId: CHILD, name: "q" }] };
  return { status: "completed", value: [first, second] };
}

async function checkInvariants(real: Real): Promise<void> {
  const { engine } = real.process;
  for (const { runId } of await engine.runs()) expect(await engine.verify(runId)).toMatchObject({ ok: true });
  real.history.forEach((entry, index) => {
    if (entry.startsWith("recorded ")) expect(real.history.slice(index + 1)).not.toContain(entry.replace("recorded", "ran"));
  });
  const { status } = (await engine.run(RUN))!;
  if (status !== real.lastStatus) expect(reachable(real.lastStatus)).toContain(status);
  if (isFinished(status)) {
    const open = [...real.place.inbox.questions.values()].filter((asked) => asked.closed === null);
    expect(open).toEqual([]);
    for (const run of await engine.runs()) expect(isFinished(run.status)).toBe(true);
  }
  real.lastStatus = status;
}

/** A command may take more than one step. */
function reachable(from: RunStatus, seen = new Set<RunStatus>()): Set<RunStatus> {
  for (const next of RUN_TRANSITIONS[from]) if (!seen.has(next)) reachable(next, seen.add(next));
  return seen;
}

type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, act: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(model, real) {
    await act(model, real);
    await checkInvariants(real);
  },
  toString: () => name,
});

const drive = command("drive", async (model, real) => {
  expect(await real.process.engine.drive(RUN)).toEqual(predicted(model));
});

const driveAndCrash = (where: "body" | "event", left: number): Command =>
  command(`crash at ${where} ${left}`, async (model, real) => {
    real.crashAt = { where, left };
    real.crashed = Promise.withResolvers();
    const result = await Promise.race([real.process.engine.drive(RUN), real.crashed.promise]);
    if (result !== "crashed") expect(result).toEqual(predicted(model));
    real.crashAt = null;
    real.process = await reopen(real, () => real);
  });

const answer = (runId: typeof RUN | typeof CHILD, value: unknown): Command =>
  command(`answer ${runId} ${JSON.stringify(value)}`, async (model, real) => {
    const run = await real.process.engine.run(runId);
    const sent = real.process.engine.signal(runId, "q", value);
    if (run === undefined) return expect(sent).rejects.toMatchObject({ code: "run_not_found" });
    if (isFinished(run.status)) return expect(sent).rejects.toMatchObject({ code: "question_closed" });
    await sent;
    model.answers[runId].push(value);
  });

const stop = command("stop", async (_model, real) => {
  const before = (await real.process.engine.run(RUN))!.status;
  await real.process.engine.requestStop(RUN, "model");
  expect((await real.process.engine.run(RUN))!.status).toBe(isFinished(before) ? before : "stopped");
});

const cancel = command("cancel", async (model, real) => {
  const before = (await real.process.engine.run(RUN))!.status;
  await real.process.engine.requestCancel(RUN, "model");
  model.cancelled ||= !isFinished(before);
  expect((await real.process.engine.run(RUN))!.status).toBe(isFinished(before) ? before : "cancelled");
});

const restart = command("restart", async (_model, real) => {
  await real.process.engine.close();
  real.process = await reopen(real, () => real);
});

const commands = fc.commands(
  [
    fc.constant(drive),
    fc.constant(stop),
    fc.constant(restart),
    fc
      .tuple(fc.constantFrom("body" as const, "event" as const), fc.integer({ min: 1, max: 6 }))
      .map(([where, left]) => driveAndCrash(where, left)),
    fc
      .tuple(fc.constantFrom(RUN, CHILD), fc.constantFrom("yes", "no", "perhaps", { deep: [1] }))
      .map(([runId, value]) => answer(runId as typeof RUN | typeof CHILD, value)),
    fc.oneof({ arbitrary: fc.constant(drive), weight: 5 }, { arbitrary: fc.constant(cancel), weight: 1 }),
  ],
  { maxCommands: 14 },
);

test(
  "whatever happens to a run, it does everything once and ends where it should",
  async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const place = openPlace();
        const real: Real = {
          place,
          process: undefined as unknown as Process,
          history: [],
          crashAt: null,
          crashed: Promise.withResolvers(),
          lastStatus: "pending",
        };
        real.process = await reopen(real, () => real);
        await real.process.engine.start("flow", null, { runId: RUN });
        try {
          await fc.asyncModelRun(() => ({ model: { answers: { [RUN]: [], [CHILD]: [] }, cancelled: false }, real }), sequence);
        } finally {
          await place.dispose();
        }
      }),
      { numRuns: RUNS },
    );
  },
  30_000 + RUNS * 200,
);
