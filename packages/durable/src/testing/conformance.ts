// oxlint-disable unicorn/consistent-function-scoping -- a test reads best with its small functions beside it
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { JournalEvent } from "../chain.ts";
import { workflow, type Ctx, type Question, type Workflow } from "../ctx.ts";
import type { Engine } from "../engine.ts";
import { SlipwayError } from "../errors.ts";

/** What the suite needs from a backend. Everything else goes through `Engine` and `Ctx`. */
export interface ConformanceHarness {
  /** A process with these workflows; all processes of the harness share one store. */
  open(workflows: readonly Workflow<never, unknown, undefined>[], observe?: (event: JournalEvent) => void): Promise<Engine>;
  /** Ends that process like SIGKILL. */
  crash(engine: Engine): Promise<void>;
  /** `<run id>#<name>` of the open questions in the inbox. */
  openQuestions(): Promise<string[]>;
  dispose(): Promise<void>;
}

const yesOrNo: Question<"yes" | "no"> = { kind: "approval", title: "Go on?", schema: z.enum(["yes", "no"]) };
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 5 });
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

export function durableConformance(name: string, makeHarness: () => Promise<ConformanceHarness>): void {
  describe(`durable conformance: ${name}`, () => {
    let harness: ConformanceHarness;
    const ran: string[] = [];

    beforeEach(async () => {
      harness = await makeHarness();
      ran.length = 0;
    });
    afterEach(() => harness.dispose());

    /** A step whose body appends to the trace. */
    const traced = <T>(ctx: Ctx, step: string, value: T): Promise<T> =>
      ctx.step(step, () => {
        ran.push(step);
        return Promise.resolve(value);
      });
    const flow = (run: (ctx: Ctx, input: never) => Promise<unknown>, version = "1"): Workflow<never, unknown, undefined> =>
      workflow("flow", version, run);
    const open = (run: (ctx: Ctx, input: never) => Promise<unknown>) => harness.open([flow(run)]);
    /** Starts a run in a process that crashes at the body `crashing`, then continues it in a second one. */
    async function crashAndResume(run: (ctx: Ctx, crash: () => Promise<never>) => Promise<unknown>) {
      let dying = true;
      const { promise: crashed, resolve } = Promise.withResolvers<void>();
      const first: Engine = await open((ctx) => run(ctx, crash));
      const crash = async (): Promise<never> => {
        if (!dying) return undefined as never;
        dying = false;
        await harness.crash(first);
        resolve();
        return never();
      };
      const runId = await first.start("flow", null);
      void first.drive(runId, { whenWaiting: "wait" }).catch(() => undefined);
      await crashed;
      const second = await open((ctx) => run(ctx, crash));
      return { runId, second, outcome: await second.drive(runId) };
    }

    describe("steps", () => {
      test("a finished run returns its value again without running anything", async () => {
        const engine = await open(async (ctx, input: never) => ({
          input,
          sum: (await traced(ctx, "one", 1)) + (await traced(ctx, "two", 2)),
        }));
        const runId = await engine.start("flow", { a: [1, null, "x"] });
        const expected = { status: "completed", value: { input: { a: [1, null, "x"] }, sum: 3 } };
        expect(await engine.drive(runId)).toEqual(expected);
        expect(await engine.drive(runId)).toEqual(expected);
        expect(ran).toEqual(["one", "two"]);
        expect(await engine.run(runId)).toMatchObject({ status: "completed", workflow: "flow", version: "1", parentRunId: null });
      });

      test("after a crash only unrecorded steps run again", async () => {
        const { outcome } = await crashAndResume(async (ctx, crash) => {
          const before = await traced(ctx, "before", { n: 1 });
          const during = await ctx.step("during", async () => {
            ran.push("during");
            await crash();
            return 2;
          });
          return [before, during, await traced(ctx, "after", 3)];
        });
        expect(outcome).toEqual({ status: "completed", value: [{ n: 1 }, 2, 3] });
        expect(ran).toEqual(["before", "during", "during", "after"]);
      });

      test("a step without a value returns undefined, before and after a crash", async () => {
        const seen: unknown[] = [];
        await crashAndResume(async (ctx, crash) => {
          seen.push(await ctx.step("nothing", () => Promise.resolve()));
          await ctx.step("crash", crash);
        });
        expect(seen).toEqual([undefined, undefined]);
      });

      test("the value is a copy already in the first execution", async () => {
        const shared = { list: [1], gone: undefined };
        const engine = await open(async (ctx) => {
          const value = await ctx.step("shared", () => Promise.resolve(shared));
          shared.list.push(2);
          return { value, keys: Object.keys(value) };
        });
        expect(await engine.drive(await engine.start("flow", null))).toEqual({
          status: "completed",
          value: { value: { list: [1] }, keys: ["list"] },
        });
      });

      test.each([
        ["a function", () => 1],
        ["not a number", Number.NaN],
        ["a date", new Date(0)],
        ["half a surrogate pair", "\ud800"],
      ])("a value that is not JSON (%s) fails the step", async (_what, value) => {
        const engine = await open((ctx) => ctx.step("odd", () => Promise.resolve(value)));
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({
          status: "failed",
          failure: { code: "payload_not_json" },
        });
      });

      test("a failure is recorded and thrown again as the same error", async () => {
        const seen: unknown[] = [];
        const failing = () => {
          ran.push("fail");
          return Promise.reject(new SlipwayError("step_failed", "two tests failed", { failed: 2, secret: () => 1 }));
        };
        await crashAndResume(async (ctx, crash) => {
          await ctx.step("gate", failing).catch((error: SlipwayError) => seen.push([error.code, error.message, error.details]));
          await ctx.step("crash", crash);
        });
        expect(ran).toEqual(["fail"]);
        expect(seen).toHaveLength(2);
        expect(seen[0]).toEqual(seen[1]);
        expect(seen[0]).toEqual(["step_failed", "two tests failed", expect.objectContaining({ failed: 2, retryable: false })]);
      });

      test.each([
        ["a plain error", new TypeError("no such thing"), 'Step "bad" failed: no such thing'],
        ["something else", "a string", 'Step "bad" failed: a string'],
      ])("%s becomes step_failed", async (_what, thrown, message) => {
        const engine = await open((ctx) => ctx.step("bad", () => Promise.reject(thrown)));
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({
          status: "failed",
          failure: { code: "step_failed", message, details: { step: "bad" } },
        });
      });

      test("a step that finds its lease lost halts the run without failing it", async () => {
        let refused = true;
        const engine = await open((ctx) =>
          ctx.step("write", () => (refused ? Promise.reject(new SlipwayError("lease_lost", "not yours")) : Promise.resolve("written"))),
        );
        const runId = await engine.start("flow", null);
        await expect(engine.drive(runId)).rejects.toMatchObject({ code: "lease_lost" });
        expect((await engine.events(runId)).map(({ kind }) => kind)).not.toContain("step_failed");
        refused = false;
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "written" });
      });

      test("a run whose function throws has failed permanently", async () => {
        const engine = await open(() => Promise.reject(new Error("bug")));
        const runId = await engine.start("flow", null);
        const failed = { status: "failed", failure: { code: "internal_error", message: "bug" } };
        expect(await engine.drive(runId)).toMatchObject(failed);
        expect(await engine.drive(runId)).toMatchObject(failed);
      });

      test("a name may be used only once", async () => {
        const engine = await open(async (ctx) => {
          await traced(ctx, "same", 1);
          await traced(ctx, "same", 2);
        });
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({
          status: "failed",
          failure: { code: "duplicate_step" },
        });
        expect(ran).toEqual(["same"]);
      });

      test("a name used twice is also found after a crash", async () => {
        const { outcome } = await crashAndResume(async (ctx, crash) => {
          await traced(ctx, "same", 1);
          await ctx.step("crash", crash);
          await traced(ctx, "same", 2);
        });
        expect(outcome).toMatchObject({ status: "failed", failure: { code: "duplicate_step" } });
      });

      test.each(["", "a\nb", "😀\u0085", "x@asked", "x@retry3", "\ud800", "y".repeat(500)])("%j cannot be a name", async (step) => {
        const engine = await open((ctx) => ctx.step(step, () => Promise.resolve(1)));
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({
          status: "failed",
          failure: { code: "schema_validation_failed" },
        });
      });

      test("any other text can be a name", async () => {
        const names = ["😀 ü", "user@example.com", "feature:a/b#1", "x@asked?", "y".repeat(400)];
        const engine = await open((ctx) => ctx.all(names.map((step) => () => traced(ctx, step, step))));
        expect(await engine.drive(await engine.start("flow", null))).toEqual({ status: "completed", value: names });
      });

      test("a megabyte is stored and read back as a value, an input and a result", async () => {
        const big = "ä".repeat(500_000);
        const { outcome, second, runId } = await crashAndResume(async (ctx, crash) => {
          const value = await ctx.step("big", () => Promise.resolve({ big }));
          await ctx.step("crash", crash);
          return {
            ...value,
            child: await ctx.child(
              "child",
              workflow("echo", "1", (_ctx, input: string) => Promise.resolve(input.length)),
              big,
            ),
          };
        });
        expect(outcome).toEqual({ status: "completed", value: { big, child: 500_000 } });
        expect(await second.verify(runId)).toMatchObject({ ok: true });
      });
    });

    describe("retries and time limits", () => {
      const flaky = () => new SlipwayError("step_timeout", "again");

      test("a retryable failure is retried, and siblings are not affected", async () => {
        let attempts = 0;
        const engine = await open((ctx) =>
          ctx.all([
            () => traced(ctx, "left", "l"),
            () =>
              ctx.step("flaky", () => (++attempts < 3 ? Promise.reject(flaky()) : Promise.resolve("ok")), {
                retry: { attempts: 5, backoffMs: 5 },
              }),
            () => traced(ctx, "right", "r"),
          ]),
        );
        expect(await engine.drive(await engine.start("flow", null))).toEqual({ status: "completed", value: ["l", "ok", "r"] });
        expect(attempts).toBe(3);
        expect(ran.toSorted()).toEqual(["left", "right"]);
      });

      test("attempts are bounded, and the last failure is thrown", async () => {
        let attempts = 0;
        const engine = await open((ctx) =>
          ctx.step("flaky", () => (attempts++, Promise.reject(flaky())), { retry: { attempts: 3, backoffMs: 1 } }),
        );
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({
          status: "failed",
          failure: { code: "step_timeout" },
        });
        expect(attempts).toBe(3);
      });

      test("a failure that is not retryable is retried only if the policy says so", async () => {
        const counts = { refused: 0, insisted: 0 };
        const engine = await open(async (ctx) => {
          const retry = { attempts: 3, backoffMs: 1, factor: 3, maxBackoffMs: 2 };
          await ctx.step("refused", () => (counts.refused++, Promise.reject(new Error("no"))), { retry }).catch(() => undefined);
          await ctx
            .step("insisted", () => (counts.insisted++, Promise.reject(new Error("no"))), { retry: { ...retry, when: () => true } })
            .catch(() => undefined);
        });
        await engine.drive(await engine.start("flow", null));
        expect(counts).toEqual({ refused: 1, insisted: 3 });
      });

      test("attempts from before a crash count", async () => {
        let attempts = 0;
        const { outcome } = await crashAndResume((ctx, crash) =>
          ctx.step("flaky", async () => (++attempts === 3 ? crash() : Promise.reject(flaky())), { retry: { attempts: 4, backoffMs: 1 } }),
        );
        // Two failed, the third was cut off by the crash; then the third again and the fourth.
        expect(attempts).toBe(5);
        expect(outcome).toMatchObject({ status: "failed", failure: { code: "step_timeout" } });
      });

      test("a body that takes too long is aborted through its signal", async () => {
        let reason: unknown;
        const engine = await open((ctx) =>
          ctx.step(
            "slow",
            (signal) =>
              new Promise((_resolve, reject) =>
                signal.addEventListener("abort", () => ((reason = signal.reason), reject(new Error("aborted")))),
              ),
            { timeoutMs: 20 },
          ),
        );
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({ status: "failed", failure: { code: "step_timeout" } });
        expect(reason).toMatchObject({ code: "step_timeout" });
      });

      test("a body that ignores the abort is abandoned", async () => {
        const engine = await open((ctx) => ctx.step("deaf", () => never(), { timeoutMs: 20 }));
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({ status: "failed", failure: { code: "step_timeout" } });
      });

      test("a body that fails or ends in time is not affected by the timeout", async () => {
        const engine = await open(async (ctx) => {
          const failed = await ctx
            .step("fails", () => Promise.reject(new SlipwayError("step_failed", "red")), { timeoutMs: 5000 })
            .catch((error: SlipwayError) => error.code);
          return [failed, await ctx.step("ends", () => Promise.resolve(1), { timeoutMs: 5000 })];
        });
        expect(await engine.drive(await engine.start("flow", null))).toEqual({ status: "completed", value: ["step_failed", 1] });
      });
    });

    describe("all", () => {
      test("keeps the order of the operations and honours the limit", async () => {
        let [now, most] = [0, 0];
        const operation = (ctx: Ctx, number: number) => () =>
          ctx.step(`n${number}`, async () => {
            most = Math.max(most, ++now);
            await new Promise((resolve) => setTimeout(resolve, number % 2 === 0 ? 8 : 1));
            now--;
            return number;
          });
        const engine = await open((ctx) =>
          ctx.all(
            [0, 1, 2, 3, 4, 5, 6].map((number) => operation(ctx, number)),
            { limit: 3 },
          ),
        );
        expect(await engine.drive(await engine.start("flow", null))).toEqual({ status: "completed", value: [0, 1, 2, 3, 4, 5, 6] });
        expect(most).toBe(3);
      });

      test("waits for every operation and throws the first failure in their order", async () => {
        const fail = (ctx: Ctx, step: string, afterMs: number) => () =>
          ctx.step(step, async () => {
            await new Promise((resolve) => setTimeout(resolve, afterMs));
            throw new SlipwayError("step_failed", step);
          });
        const engine = await open((ctx) =>
          ctx.all([() => traced(ctx, "fine", 1), fail(ctx, "late", 15), fail(ctx, "early", 1), () => traced(ctx, "last", 1)]),
        );
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({ status: "failed", failure: { message: "late" } });
        expect(ran).toEqual(["fine", "last"]);
      });

      test("of an empty list is empty, and an operation may throw synchronously", async () => {
        const engine = await open(async (ctx) => {
          const thrown = await ctx
            .all([
              () => {
                throw new SlipwayError("step_failed", "at once");
              },
            ])
            .catch((error: SlipwayError) => error.message);
          return [await ctx.all([]), thrown];
        });
        expect(await engine.drive(await engine.start("flow", null))).toEqual({ status: "completed", value: [[], "at once"] });
      });
    });

    describe("questions", () => {
      test("a waiting run frees the process, and continues with the answer", async () => {
        const run = async (ctx: Ctx) => [await traced(ctx, "before", 1), await ctx.ask("approve", yesOrNo), await traced(ctx, "after", 2)];
        const engine = await open(run);
        const runId = await engine.start("flow", null);
        const waiting = { status: "waiting", questions: [{ runId, name: "approve" }] };
        expect(await engine.drive(runId)).toEqual(waiting);
        expect(await engine.run(runId)).toMatchObject({ status: "waiting", holder: null });
        expect(await harness.openQuestions()).toEqual([`${runId}#approve`]);
        expect(await engine.drive(runId)).toEqual(waiting);
        await engine.signal(runId, "approve", "yes", "ada");
        const other = await open(run);
        expect(await other.drive(runId)).toEqual({ status: "completed", value: [1, "yes", 2] });
        expect(ran).toEqual(["before", "after"]);
        expect(await harness.openQuestions()).toEqual([]);
      });

      test("an answer that arrives before the question is kept", async () => {
        const engine = await open((ctx) => ctx.ask("approve", yesOrNo));
        const runId = await engine.start("flow", null);
        await engine.signal(runId, "approve", "no");
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "no" });
      });

      test("the first valid answer counts, and invalid ones are refused", async () => {
        const engine = await open((ctx) => ctx.ask("approve", yesOrNo));
        const runId = await engine.start("flow", null);
        await engine.signal(runId, "approve", { perhaps: true });
        expect(await engine.drive(runId)).toMatchObject({ status: "waiting" });
        await engine.signal(runId, "approve", "no");
        await engine.signal(runId, "approve", "yes");
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "no" });
        expect((await engine.events(runId)).map((event) => event.kind)).toContain("answer_refused");
      });

      test("an answer from the same or another process wakes a waiting drive", async () => {
        const run = async (ctx: Ctx) => [await ctx.ask("first", yesOrNo), await ctx.ask("second", yesOrNo)];
        const [engine, other] = [await open(run), await open(run)];
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId, { whenWaiting: "wait" });
        await eventually(async () => expect(await harness.openQuestions()).toEqual([`${runId}#first`]));
        await engine.signal(runId, "first", "yes");
        await eventually(async () => expect(await harness.openQuestions()).toEqual([`${runId}#second`]));
        await other.signal(runId, "second", "no");
        expect(await driven).toEqual({ status: "completed", value: ["yes", "no"] });
      });

      test("transforms of the schema are repeated, not recorded", async () => {
        const seen: unknown[] = [];
        const date: Question<Date> = { kind: "date", title: "When?", schema: z.string().transform((text) => new Date(text)) };
        const run = async (ctx: Ctx) => {
          seen.push(await ctx.ask("when", date));
          return ctx.ask("approve", yesOrNo);
        };
        const engine = await open(run);
        const runId = await engine.start("flow", null);
        await engine.signal(runId, "when", "2020-01-01T00:00:00Z");
        await engine.drive(runId);
        await engine.signal(runId, "approve", "yes");
        await engine.drive(runId);
        expect(seen).toEqual([new Date("2020-01-01T00:00:00Z"), new Date("2020-01-01T00:00:00Z")]);
      });

      test("an unanswered question expires with its default or as a failure", async () => {
        const engine = await open(async (ctx) => {
          const standIn = await ctx.ask("mild", { ...yesOrNo, timeoutMs: 10, onTimeout: "no" });
          return [standIn, await ctx.ask("strict", { ...yesOrNo, timeoutMs: 10 }).catch((error: SlipwayError) => error.code)];
        });
        const runId = await engine.start("flow", null);
        expect(await engine.drive(runId, { whenWaiting: "wait" })).toEqual({ status: "completed", value: ["no", "question_expired"] });
        expect(await harness.openQuestions()).toEqual([]);
      });

      test("an expired question stays expired after a crash, even with a late answer", async () => {
        const seen: unknown[] = [];
        const { second, runId } = await crashAndResume(async (ctx, crash) => {
          seen.push(await ctx.ask("mild", { ...yesOrNo, timeoutMs: 5, onTimeout: "no" }));
          seen.push(await ctx.ask("strict", { ...yesOrNo, timeoutMs: 5 }).catch((error: SlipwayError) => error.code));
          await ctx.step("crash", crash);
        });
        expect(seen).toEqual(["no", "question_expired", "no", "question_expired"]);
        expect((await second.events(runId)).filter((event) => event.kind === "expired")).toHaveLength(2);
      });

      test("the timeout also runs while no process does", async () => {
        let timeoutMs = 0;
        const engine = await open((ctx) => ctx.ask("approve", { ...yesOrNo, timeoutMs, onTimeout: "no" }));
        let runId = "";
        let first: unknown;
        // On a busy machine the first drive may take longer than the short ones.
        for (timeoutMs of [500, 5_000, 20_000]) {
          runId = await engine.start("flow", null);
          first = await engine.drive(runId);
          if ((first as { status: string }).status === "waiting") break;
        }
        expect(first).toMatchObject({ status: "waiting" });
        await new Promise((resolve) => setTimeout(resolve, timeoutMs + 10));
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "no" });
      });

      test("each reminder is recorded once when it is due", async () => {
        // The last one leaves the others time to be recorded again.
        const engine = await open((ctx) => ctx.ask("approve", { ...yesOrNo, remindAfterMs: [25, 5, 200] }));
        const runId = await engine.start("flow", null);
        const reminders = async () => (await engine.events(runId)).filter(({ kind }) => kind === "reminder").map(({ key }) => key);
        const driven = engine.drive(runId, { whenWaiting: "wait" });
        await eventually(async () => expect(await reminders()).toContain("approve@reminder3"));
        await engine.signal(runId, "approve", "yes");
        expect(await driven).toEqual({ status: "completed", value: "yes" });
        expect(await reminders()).toEqual(["approve@reminder2", "approve@reminder1", "approve@reminder3"]);
      });

      test("a run waits only when nothing else can continue", async () => {
        const engine = await open((ctx) =>
          ctx.all<unknown>([
            () => ctx.ask("approve", yesOrNo),
            () => ctx.sleep("nap", 20).then(() => traced(ctx, "late", 1)),
            () =>
              ctx.child(
                "child",
                workflow("child", "1", (inner) => inner.ask("inner", yesOrNo)),
                null,
              ),
          ]),
        );
        const runId = await engine.start("flow", null);
        const outcome = await engine.drive(runId);
        expect(outcome).toEqual({
          status: "waiting",
          questions: expect.arrayContaining([
            { runId, name: "approve" },
            { runId: `${runId}/child`, name: "inner" },
          ]) as unknown,
        });
        expect(ran).toEqual(["late"]);
        await engine.signal(runId, "approve", "yes");
        expect(await engine.drive(runId)).toEqual({ status: "waiting", questions: [{ runId: `${runId}/child`, name: "inner" }] });
        await engine.signal(`${runId}/child`, "inner", "no");
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: ["yes", null, "no"].map((value) => value ?? 1) });
      });

      test("a finished or unknown run accepts no answers", async () => {
        const engine = await open(() => Promise.resolve(1));
        const runId = await engine.start("flow", null);
        await engine.drive(runId);
        await expect(engine.signal(runId, "approve", "yes")).rejects.toMatchObject({ code: "question_closed" });
        await expect(engine.signal("nobody", "approve", "yes")).rejects.toMatchObject({ code: "run_not_found" });
      });
    });

    describe("sleep", () => {
      test("lasts its time, and is not repeated at replay", async () => {
        const started = Date.now();
        const { outcome } = await crashAndResume(async (ctx, crash) => {
          await ctx.sleep("nap", 25);
          await ctx.step("crash", crash);
          await ctx.sleep("second", 1);
          return "awake";
        });
        expect(outcome).toEqual({ status: "completed", value: "awake" });
        expect(Date.now() - started).toBeGreaterThanOrEqual(24);
      });

      test("continues after a crash with the remaining time", async () => {
        const { outcome, second, runId } = await crashAndResume(async (ctx, crash) => {
          await ctx.all<unknown>([() => ctx.sleep("nap", 60), () => ctx.step("crash", crash)]);
        });
        expect(outcome).toMatchObject({ status: "completed" });
        const naps = (await second.events(runId)).filter((event) => event.name === "nap");
        expect(naps.map(({ kind }) => kind)).toEqual(["sleeping", "slept"]);
        expect(naps[1]!.at - naps[0]!.at).toBeGreaterThanOrEqual(59);
      });
    });

    describe("until", () => {
      /** Two children: one waits until the other has run `deed`. */
      const pair = (deed: (ctx: Ctx) => Promise<unknown>, done: () => boolean) => (ctx: Ctx) =>
        ctx.all([
          () =>
            ctx.child(
              "waiter",
              workflow("waiter", "1", async (inner: Ctx) => {
                const seen = await inner.until("the deed", () => Promise.resolve(done() ? { seen: true } : undefined));
                return traced(inner, "after", seen);
              }),
              null,
            ),
          () => ctx.child("doer", workflow("doer", "1", deed), null),
        ]);
      const finished = ["after", { status: "completed", value: [{ seen: true }, "done"] }] as const;

      test("continues when another part of the run has made it true, and journals only the result", async () => {
        let done = false;
        const engine = await open(
          pair(
            (ctx) => ctx.step("deed", () => Promise.resolve(((done = true), "done"))),
            () => done,
          ),
        );
        const runId = await engine.start("flow", null);
        expect(await engine.drive(runId)).toEqual(finished[1]);
        const events = await engine.events(`${runId}/waiter`);
        expect(events.map(({ kind, name: what }) => `${kind} ${what}`)).toEqual([
          "started waiter",
          "awaited the deed",
          "step after",
          "completed waiter",
        ]);
      });

      test("the value is recorded, and `look` is not called again after a crash", async () => {
        let looks = 0;
        const { outcome } = await crashAndResume(async (ctx, crash) => {
          const seen = await ctx.until("sight", () => Promise.resolve(((looks += 1), { look: looks })));
          await ctx.step("crash", crash);
          return seen;
        });
        expect(outcome).toEqual({ status: "completed", value: { look: 1 } });
        expect(looks).toBe(1);
      });

      test("a run whose other parts wait for a person returns waiting with only their questions", async () => {
        let done = false;
        const asking = async (ctx: Ctx) => {
          await ctx.ask("go", yesOrNo);
          return ctx.step("deed", () => Promise.resolve(((done = true), "done")));
        };
        const engine = await open(pair(asking, () => done));
        const runId = await engine.start("flow", null);
        expect(await engine.drive(runId)).toEqual({ status: "waiting", questions: [{ runId: `${runId}/doer`, name: "go" }] });
        await engine.signal(`${runId}/doer`, "go", "yes");
        expect(await engine.drive(runId)).toEqual(finished[1]);
      });

      test("parts that can continue do so before the run returns waiting", async () => {
        let done = false;
        const engine = await open((ctx) =>
          ctx.all<unknown>([
            () =>
              pair(
                (inner) => inner.step("deed", () => Promise.resolve(((done = true), "done"))),
                () => done,
              )(ctx),
            () => ctx.ask("other", yesOrNo),
          ]),
        );
        expect(await engine.drive(await engine.start("flow", null))).toMatchObject({ status: "waiting", questions: [{ name: "other" }] });
        expect(ran).toEqual(["after"]);
      });

      test("the end of a child wakes an until", async () => {
        const engine = await open(async (ctx) => {
          const doer = `${ctx.runId}/doer`;
          const ended = async () => ((await engine.run(doer))?.status === "completed" ? true : undefined);
          return ctx.all<unknown>([
            () => ctx.ask("other", yesOrNo),
            () => ctx.until("its end", ended).then(() => traced(ctx, "after", 1)),
            () =>
              ctx.child(
                "doer",
                workflow("doer", "1", (inner: Ctx) => traced(inner, "deed", "done")),
                null,
              ),
          ]);
        });
        await engine.drive(await engine.start("flow", null));
        expect(ran).toEqual(["deed", "after"]);
      });

      test("parts that wait for each other halt the run, which can be driven again", async () => {
        let done = false;
        const engine = await open((ctx) => ctx.until("nothing", () => Promise.resolve(done ? "seen" : undefined)));
        const runId = await engine.start("flow", null);
        await expect(engine.drive(runId)).rejects.toMatchObject({ code: "internal_error", details: { waits: [`${runId}#nothing`] } });
        expect(await engine.run(runId)).toMatchObject({ status: "stopped", holder: null });
        done = true;
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "seen" });
      });

      test("a failing `look` is recorded like a failing step", async () => {
        const seen: unknown[] = [];
        const look = () => (ran.push("look"), Promise.reject(new SlipwayError("run_not_found", "no such feature")));
        await crashAndResume(async (ctx, crash) => {
          await ctx.until("sight", look).catch((error: SlipwayError) => seen.push(error.code));
          await ctx.step("crash", crash);
        });
        expect(seen).toEqual(["run_not_found", "run_not_found"]);
        expect(ran).toEqual(["look"]);
      });

      test("a stop ends the wait, and the run can be resumed", async () => {
        const engine = await open((ctx) =>
          ctx.all<unknown>([
            () => ctx.until("nothing", () => Promise.resolve(ran.length > 0 ? "seen" : undefined)),
            () => ctx.ask("go", yesOrNo).then(() => traced(ctx, "deed", 1)),
          ]),
        );
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId, { whenWaiting: "wait" });
        await eventually(async () => expect(await harness.openQuestions()).toHaveLength(1));
        await engine.requestStop(runId, "enough");
        expect(await driven).toEqual({ status: "stopped", reason: "enough" });
        await engine.signal(runId, "go", "yes");
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: ["seen", 1] });
      });
    });

    describe("children", () => {
      const double = workflow<number, number, undefined>("double", "1", (ctx, input) =>
        ctx.step("double", () => Promise.resolve(input * 2)),
      );

      test("have their own run and journal, and the parent records their final head", async () => {
        const engine = await open((ctx) => ctx.all([1, 2].map((number) => () => ctx.child(`double:${number}`, double, number))));
        const runId = await engine.start("flow", null);
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: [2, 4] });
        expect((await engine.runs({ rootRunId: runId })).map((run) => [run.runId, run.status]).toSorted()).toEqual([
          [runId, "completed"],
          [`${runId}/double:1`, "completed"],
          [`${runId}/double:2`, "completed"],
        ]);
        const event = (await engine.events(runId)).find((entry) => entry.key === "double:1");
        expect(JSON.parse(event!.payload)).toEqual({ run_id: `${runId}/double:1`, head: await engine.head(`${runId}/double:1`), value: 2 });
        for (const stream of [runId, `${runId}/double:1`]) expect(await engine.verify(stream)).toMatchObject({ ok: true });
      });

      test("a child's failure is thrown in the parent, before and after a crash", async () => {
        const seen: unknown[] = [];
        const failing = workflow<null, null, undefined>("failing", "1", () =>
          Promise.reject(new SlipwayError("step_failed", "red", { tests: 3 })),
        );
        await crashAndResume(async (ctx, crash) => {
          await ctx
            .child("bad", failing, null)
            .catch((error: SlipwayError) => seen.push([error.code, error.message, error.details["tests"]]));
          await ctx.step("crash", crash);
        });
        expect(seen).toEqual([
          ["step_failed", "red", 3],
          ["step_failed", "red", 3],
        ]);
      });

      test("after a crash in one child no recorded step of any child runs again", async () => {
        const { outcome } = await crashAndResume((ctx, crash) => {
          const member = workflow<string, string, undefined>("member", "1", async (inner, id) => {
            await traced(inner, `${id}:1`, 1);
            if (id === "b") await inner.step("crash", crash);
            await traced(inner, `${id}:2`, 2);
            return id;
          });
          return ctx.all(
            ["a", "b", "c"].map((id) => () => ctx.child(id, member, id)),
            { limit: 1 },
          );
        });
        expect(outcome).toEqual({ status: "completed", value: ["a", "b", "c"] });
        expect(ran).toEqual(["a:1", "a:2", "b:1", "b:2", "c:1", "c:2"]);
      });

      test("children of children, with names that look like paths", async () => {
        const leaf = workflow<string, string, undefined>("leaf", "1", (ctx, id) => traced(ctx, "leaf", `${ctx.runId}:${id}`));
        const branch = workflow<null, string[], undefined>("branch", "1", (ctx) =>
          ctx.all(["a/b", "a"].map((id) => () => ctx.child(id, leaf, id))),
        );
        const engine = await open(async (ctx) => [await ctx.child("a", branch, null), await ctx.child("a/a", leaf, "x")]);
        const runId = await engine.start("flow", null, { runId: "r" });
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: [["r/a/a%2Fb:a/b", "r/a/a:a"], "r/a%2Fa:x"] });
      });
    });

    describe("stop and cancel", () => {
      const untilAborted = (signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          ran.push("long");
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        });

      test.each(["the same process", "another process"])(
        "stop, from %s, aborts the running step without failing it, and the run can be resumed",
        async (from) => {
          let patient = true;
          const run = (ctx: Ctx) => ctx.step("long", (signal) => (patient ? untilAborted(signal) : Promise.resolve("done")));
          const engine = await open(run);
          const stopper = from === "the same process" ? engine : await open(run);
          const runId = await engine.start("flow", null);
          const driven = engine.drive(runId);
          await eventually(() => expect(ran).toEqual(["long"]));
          await stopper.requestStop(runId, "lunch", "ada");
          expect(await driven).toEqual({ status: "stopped", reason: "lunch" });
          expect(await engine.run(runId)).toMatchObject({ status: "stopped", holder: null });
          patient = false;
          expect(await engine.drive(runId)).toEqual({ status: "completed", value: "done" });
          expect((await engine.events(runId)).map((event) => event.kind)).toEqual(["started", "stopped", "step", "completed"]);
        },
      );

      test("an abort signal passed to drive stops the run", async () => {
        const engine = await open((ctx) => ctx.step("long", untilAborted));
        const runId = await engine.start("flow", null);
        const abort = new AbortController();
        const driven = engine.drive(runId, { signal: abort.signal });
        await eventually(() => expect(ran).toEqual(["long"]));
        abort.abort(new Error("Ctrl-C"));
        expect(await driven).toEqual({ status: "stopped", reason: "Ctrl-C" });
        expect(await engine.drive(runId, { signal: AbortSignal.abort("already") })).toEqual({ status: "stopped", reason: "already" });
      });

      test("a body that succeeds although it was aborted is recorded", async () => {
        const stubborn = (signal: AbortSignal) =>
          new Promise<string>((resolve) => {
            ran.push("stubborn");
            signal.addEventListener("abort", () => setTimeout(() => resolve("kept"), 5));
          });
        const engine = await open((ctx) => ctx.step("stubborn", stubborn));
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId);
        await eventually(() => expect(ran).toEqual(["stubborn"]));
        await engine.requestStop(runId, "lunch");
        await driven;
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "kept" });
        expect(ran).toEqual(["stubborn"]);
      });

      test("stop and cancel of a run that no process drives take effect at once", async () => {
        const engine = await open((ctx) => ctx.ask("approve", yesOrNo));
        const runId = await engine.start("flow", null);
        await engine.drive(runId);
        await engine.requestStop(runId, "later");
        expect(await engine.run(runId)).toMatchObject({ status: "stopped" });
        await engine.requestStop(runId, "again");
        await engine.requestCancel(runId, "not wanted", "ada");
        expect(await engine.run(runId)).toMatchObject({ status: "cancelled" });
        expect(await harness.openQuestions()).toEqual([]);
        expect(await engine.drive(runId)).toEqual({ status: "cancelled", reason: "not wanted" });
        await engine.requestStop(runId, "too late");
        await engine.requestCancel(runId, "too late");
        expect((await engine.events(runId)).map((event) => event.kind)).toEqual(["started", "asked", "stopped", "cancelled"]);
      });

      test("cancel aborts running bodies, closes questions and ends the whole tree", async () => {
        const engine = await open((ctx) =>
          ctx.all<unknown>([
            () => ctx.step("long", untilAborted),
            () =>
              ctx.child(
                "child",
                workflow("child", "1", (inner) => inner.ask("inner", yesOrNo)),
                null,
              ),
            () => ctx.sleep("nap", 60_000),
          ]),
        );
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId);
        await eventually(async () => expect(await harness.openQuestions()).toHaveLength(1));
        await engine.requestCancel(runId, "not wanted");
        expect(await driven).toEqual({ status: "cancelled", reason: "not wanted" });
        expect((await engine.runs()).map((run) => run.status)).toEqual(["cancelled", "cancelled"]);
        expect(await harness.openQuestions()).toEqual([]);
        for (const { runId: stream } of await engine.runs()) expect(await engine.verify(stream)).toMatchObject({ ok: true });
      });

      test("cancel of a child does not affect its siblings", async () => {
        const member = workflow<string, string, undefined>("member", "1", (ctx, id) =>
          id === "a" ? ctx.step("long", untilAborted) : ctx.ask("approve", yesOrNo),
        );
        const engine = await open((ctx) =>
          ctx.all(["a", "b"].map((id) => () => ctx.child(id, member, id).catch((error: SlipwayError) => error.code))),
        );
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId, { whenWaiting: "wait" });
        await eventually(async () => expect(await harness.openQuestions()).toHaveLength(1));
        await engine.requestCancel(`${runId}/a`, "not this one");
        await engine.signal(`${runId}/b`, "approve", "yes");
        expect(await driven).toEqual({ status: "completed", value: ["run_cancelled", "yes"] });
        expect(await engine.run(`${runId}/a`)).toMatchObject({ status: "cancelled" });
      });

      test("cancel of a child of a run that no process drives", async () => {
        const member = workflow<string, string, undefined>("member", "1", (ctx) => ctx.ask("approve", yesOrNo));
        const engine = await open((ctx) =>
          ctx.all(["a", "b"].map((id) => () => ctx.child(id, member, id).catch((error: SlipwayError) => error.code))),
        );
        const runId = await engine.start("flow", null);
        await engine.drive(runId);
        await engine.requestCancel(`${runId}/a`, "not this one");
        expect(await engine.run(runId)).toMatchObject({ status: "waiting" });
        expect(await harness.openQuestions()).toEqual([`${runId}/b#approve`]);
        await engine.signal(`${runId}/b`, "approve", "no");
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: ["run_cancelled", "no"] });
      });

      test("closing the engine stops its runs, which can be resumed", async () => {
        let patient = true;
        const run = (ctx: Ctx) => ctx.step("long", (signal) => (patient ? untilAborted(signal) : Promise.resolve("done")));
        const engine = await open(run);
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId);
        await eventually(() => expect(ran).toEqual(["long"]));
        await engine.close();
        expect(await driven).toMatchObject({ status: "stopped" });
        patient = false;
        expect(await (await open(run)).drive(runId)).toEqual({ status: "completed", value: "done" });
      });
    });

    describe("identity and versions", () => {
      test("the same id, workflow and input are the same run; anything else is refused", async () => {
        const engine = await harness.open([flow((ctx) => traced(ctx, "once", 1)), workflow("other", "1", () => Promise.resolve(2))]);
        expect(await engine.start("flow", { a: 1, b: 2 }, { runId: "mine" })).toBe("mine");
        expect(await engine.start("flow", { b: 2, a: 1 }, { runId: "mine" })).toBe("mine");
        await expect(engine.start("flow", { a: 2 }, { runId: "mine" })).rejects.toMatchObject({ code: "run_exists" });
        await expect(engine.start("other", { a: 1, b: 2 }, { runId: "mine" })).rejects.toMatchObject({ code: "run_exists" });
        expect(await engine.runs({ rootsOnly: true })).toMatchObject([{ runId: "mine", status: "pending" }]);
      });

      test.each(["", "a/b", "a#b", "a\u0000b"])("%j cannot be an id", async (runId) => {
        const engine = await open(() => Promise.resolve(1));
        await expect(engine.start("flow", null, { runId })).rejects.toMatchObject({ code: "schema_validation_failed" });
      });

      test("unknown runs, workflows and children as roots are refused with a reason", async () => {
        const engine = await open((ctx) =>
          ctx.child(
            "child",
            workflow("child", "1", (inner) => inner.ask("q", yesOrNo)),
            null,
          ),
        );
        await expect(engine.drive("nobody")).rejects.toMatchObject({ code: "run_not_found" });
        await expect(engine.start("nothing", null)).rejects.toMatchObject({ code: "workflow_unknown" });
        expect(await engine.run("nobody")).toBeUndefined();
        const runId = await engine.start("flow", null);
        await engine.drive(runId);
        await expect(engine.drive(`${runId}/child`)).rejects.toMatchObject({ code: "run_not_found" });
        await expect((await harness.open([])).drive(runId)).rejects.toMatchObject({ code: "workflow_unknown" });
      });

      test("another version is refused until a person accepts it", async () => {
        const run = async (ctx: Ctx) => [await traced(ctx, "before", 1), await ctx.ask("approve", yesOrNo)];
        const first = await harness.open([flow(run)]);
        const runId = await first.start("flow", null);
        await first.drive(runId);
        await first.signal(runId, "approve", "yes");
        const second = await harness.open([flow(run, "2")]);
        await expect(second.drive(runId)).rejects.toMatchObject({
          code: "workflow_version_changed",
          details: {
            suggested_next_actions: [
              expect.stringContaining(`slipway resume ${runId} --accept-version`),
              expect.stringContaining(`slipway stop ${runId} --cancel`),
            ],
          },
        });
        await expect(second.repin(runId, "3", "ada")).rejects.toMatchObject({ code: "workflow_version_changed" });
        await second.repin(runId, "2", "ada");
        await second.repin(runId, "2", "ada");
        expect(await second.drive(runId)).toEqual({ status: "completed", value: [1, "yes"] });
        expect((await second.events(runId)).filter((event) => event.kind === "repinned")).toHaveLength(1);
        await first.repin(runId, "1", "too late");
        expect(await second.run(runId)).toMatchObject({ version: "2" });
      });

      test("a child's version is pinned as well", async () => {
        let version = "1";
        const engine = await open((ctx) =>
          ctx.child(
            "child",
            workflow("child", version, (inner) => inner.ask("q", yesOrNo)),
            null,
          ),
        );
        const runId = await engine.start("flow", null);
        await engine.drive(runId);
        version = "2";
        await expect(engine.drive(runId)).rejects.toMatchObject({
          code: "workflow_version_changed",
          details: {
            run_id: `${runId}/child`,
            suggested_next_actions: [
              expect.stringContaining(`resume ${runId} --accept`),
              expect.stringContaining(`stop ${runId} --cancel`),
            ],
          },
        });
        await engine.repin(`${runId}/child`, "2", "ada");
        await engine.signal(`${runId}/child`, "q", "yes");
        expect(await engine.drive(runId)).toEqual({ status: "completed", value: "yes" });
      });

      test("code that does something else under a recorded name counts as a changed version, not as a failure", async () => {
        let changed = false;
        const engine = await open(async (ctx) => {
          if (changed) await ctx.sleep("one", 1);
          else await traced(ctx, "one", 1);
          return ctx.ask("approve", yesOrNo);
        });
        const runId = await engine.start("flow", null);
        await engine.drive(runId);
        changed = true;
        await expect(engine.drive(runId)).rejects.toMatchObject({
          code: "workflow_version_changed",
          details: { suggested_next_actions: [expect.stringContaining(`slipway stop ${runId} --cancel`)] },
        });
        changed = false;
        expect(await engine.drive(runId)).toMatchObject({ status: "waiting" });
      });

      test("only one process drives a run at a time", async () => {
        const run = (ctx: Ctx) => ctx.ask("approve", yesOrNo);
        const [engine, other] = [await open(run), await open(run)];
        const runId = await engine.start("flow", null);
        const driven = engine.drive(runId, { whenWaiting: "wait" });
        await eventually(async () => expect(await harness.openQuestions()).toHaveLength(1));
        for (const rival of [engine, other])
          await expect(rival.drive(runId)).rejects.toMatchObject({
            code: "run_lease_held",
            details: { pid: expect.any(Number) as unknown },
          });
        await expect(other.repin(runId, "1.1", "ada").then(() => other.resetCrashes(runId, "ada"))).rejects.toMatchObject({
          code: expect.stringMatching(/version_changed|lease_held/) as unknown,
        });
        await engine.signal(runId, "approve", "yes");
        expect(await driven).toMatchObject({ status: "completed" });
      });
    });

    test("every journal of a busy tree verifies, also against its kept heads", async () => {
      const observed: JournalEvent[] = [];
      const member = workflow<number, number, undefined>("member", "1", async (ctx, number) => {
        for (let round = 0; round < 5; round++) await ctx.step(`round:${round}`, () => Promise.resolve({ round }));
        return number;
      });
      const engine = await harness.open(
        [flow((ctx) => ctx.all([1, 2, 3, 4].map((number) => () => ctx.child(`m${number}`, member, number))))],
        (event) => observed.push(event),
      );
      const runId = await engine.start("flow", null);
      await engine.drive(runId);
      for (const run of await engine.runs()) {
        const events = await engine.events(run.runId);
        const verdict = await engine.verify(run.runId, { seq: 2, hash: events[1]!.hash });
        expect(verdict).toEqual({ ok: true, events: events.length, pruned: 0, head: await engine.head(run.runId) });
        expect(observed.filter((event) => event.stream === run.runId)).toEqual(events);
      }
    });
  });
}
